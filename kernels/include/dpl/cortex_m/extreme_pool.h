/* Maximum and minimum pools: a body. A file has `args`, KERNEL, what extreme.h needs, and PADDING,
 * the output of a window without taps.
 *
 * A block's input rows are folded into a strip, whole rows of pixels at a time, so that the channel
 * count does not matter. The strip is then folded with itself, shifted by columns: a window of n
 * columns takes log2 n runs. What is left are the outputs, at every stride-th pixel of the strip.
 */
#include "dpl/cortex_m/extreme.h"
#include "dpl/cortex_m/pool_rows.h"
#include "dpl/cortex_m/run.h"
#include "dpl/cortex_m/small_pixels.h"

typedef element folded;

/* Of a pixel that begins anywhere, from which on it is worth a run of its own. */
enum { SEVERAL_BYTES = 32 };

/* Whole rows where pixels have no gaps, otherwise each pixel of a row is a run. */
static run_shape shape_of_rows(const args *a, const pool_block *b, const alike_rows *rows) {
    const int32_t inside = b->end - b->begin, channels = b->channels;
    if (a->input.pixel_pitch == channels) {
        const run_shape whole = {rows->apart, rows->apart, b->pitch, inside * channels,
                                 rows->count};
        return whole;
    }
    const int32_t pitch = a->input.pixel_pitch;
    const run_shape pixels = {pitch, pitch, channels, channels, inside};
    return pixels;
}

static __attribute__((noinline)) void copy_rows(const element *from, element *to,
                                                const run_shape *given) {
    const run_shape s = *given;
    for (int32_t i = s.rows; i > 0; i--, from += s.a_step, to += s.to_step) {
        copy_run(to, from, s.length);
    }
}

/* Two rows of outputs and more, two at a time: what both have in common is folded once, into the
 * second's place. Returns how many rows that made. */
static int32_t fold_pairs(const args *a, const run_shape *rows, const element *from, element *to) {
    const dpl_window *w = &a->window;
    const int32_t pitch = a->input.row_pitch, stride = w->stride_height, tall = w->kernel_height;
    const int32_t pairs = rows->rows / 2, to_step = 2 * rows->to_step;
    if (pairs == 0 || w->dilation_height > 1 || tall < stride + 2) {
        return 0;
    }
    element *second = to + rows->to_step;
    run_shape s = {2 * rows->a_step, 2 * rows->b_step, to_step, rows->length, pairs};
    extreme_rows(from + stride * pitch, from + (stride + 1) * pitch, second, &s);
    s.a_step = to_step;
    for (int32_t t = stride + 2; t < tall; t++) {
        extreme_rows(second, from + t * pitch, second, &s);
    }
    for (int32_t t = 0; t < stride; t++) {
        extreme_rows(t == 0 ? second : to, from + t * pitch, to, &s);
    }
    for (int32_t t = tall; t < tall + stride; t++) {
        extreme_rows(second, from + t * pitch, second, &s);
    }
    return 2 * pairs;
}

/* Folds the taps of some rows into `to`. */
static void fold_rows(const args *a, const pool_block *b, alike_rows *rows, element *to) {
    run_shape s = shape_of_rows(a, b, rows);
    const element *from = a->input.data + (b->first + b->begin) * a->input.pixel_pitch + b->channel;
    dpl_row_walk walk = rows->taps.rows;
    const int32_t taps = rows->taps.y.end - rows->taps.y.begin;
    to += b->begin * b->channels;
    if (rows->count > 1) {
        const int32_t done = fold_pairs(a, &s, from + walk.offset, to);
        walk.offset += done * rows->apart;
        to += done * b->pitch;
        s.rows -= done;
    }
    if (s.rows == 0) {
        return;
    }
    const element *top = from + walk.offset;
    if (taps == 1) {
        copy_rows(top, to, &s);
        return;
    }
    dpl_next_row(&walk);
    const element *second = from + walk.offset;
    const int aligned = !((uintptr_t)top & 3);
    extreme_rows(aligned ? top : second, aligned ? second : top, to, &s);
    s.a_step = s.to_step;
    for (int32_t t = 2; t < taps; t++) {
        dpl_next_row(&walk);
        extreme_rows(to, from + walk.offset, to, &s);
    }
}

/* Each column becomes that of `taps` columns. */
static void fold_columns(const dpl_window *w, const pool_block *b, int32_t taps, element *strip) {
    enum { LINE = 8 / sizeof(element) };
    int32_t wide = b->wide;
    for (int32_t have = 1, more; have < taps; have += more) {
        more = least_of(have, taps - have);
        wide -= more * w->dilation_width;
        const int32_t length = (b->rows - 1) * b->pitch + b->origin + wide * b->channels;
        const element *other = strip + more * w->dilation_width * b->channels;
        any_lines(strip, other, strip, (length + LINE - 1) / LINE);
    }
}

static void bound(const args *a, const pool_block *b, element *strip) {
    const int32_t low = a->requant.low, high = a->requant.high;
    if (low == LOWEST && high == HIGHEST) {
        return;
    }
    for (int32_t i = b->origin; i < b->rows * b->pitch; i++) {
        strip[i] = (element)dpl_clamp(strip[i], low, high);
    }
}

/* Whether each pixel's columns are folded by themselves: where they are words, or several in
 * windows that hardly meet, and without harm to others, so at most one of them begins the window of
 * another pixel, and that one is taken first. */
static int apart(const dpl_window *w, const pool_block *b) {
    const int32_t bytes = b->channels * (int32_t)sizeof(element), stride = w->stride_width;
    const int hardly = stride > 1 && w->kernel_width <= stride + 1 && bytes >= SEVERAL_BYTES;
    const int words = (bytes % 4 == 0 || hardly) && w->kernel_width > 1;
    const int few = w->dilation_width == 1 && w->kernel_width <= 2 * stride;
    return words && (b->columns == 1 || (stride > 1 && few));
}

/* The pixels of a row of outputs but the last, whole words of each, if it has no gaps: the next
 * pixel is written over what is too much. Returns how many. */
static int32_t loosely(const args *a, const pool_block *b, run_shape *s) {
    enum { WORD = 4 / sizeof(element) };
    s->rows = a->output.pixel_pitch == b->channels ? b->columns - 1 : 0;
    s->length = (b->channels + WORD - 1) & -WORD;
    return s->rows;
}

/* The row of outputs `to` from the strip's row: the taps t > 0 of all pixels, t by t. */
static void fold_pixels(const args *a, const pool_block *b, element *strip, element *to) {
    const int32_t taps = a->window.kernel_width, stride = a->window.stride_width;
    const int32_t next = stride < taps ? stride : 1, step = stride * b->channels;
    const int32_t column = a->window.dilation_width * b->channels;
    run_shape s = {step, step, step, b->channels, b->columns};
    for (int32_t i = 1; i + 1 < taps; i++) {
        const int32_t t = i == 1 ? next : i <= next ? i - 1 : i;
        extreme_rows(strip, strip + t * column, strip, &s);
    }
    const element *last = strip + (next == taps - 1 && taps > 2 ? taps - 2 : taps - 1) * column;
    s.to_step = a->output.pixel_pitch;
    const int32_t done = loosely(a, b, &s);
    extreme_rows(strip, last, to, &s);
    s.rows = b->columns - done;
    s.length = b->channels;
    extreme_rows(strip + done * step, last + done * step, to + done * s.to_step, &s);
}

/* Rows of at least a word each. */
static void copy_words(const element *from, element *to, const run_shape *given) {
    enum { WORD = 4 / sizeof(element) };
    const run_shape s = *given;
    for (int32_t i = s.rows; i > 0; i--, from += s.a_step, to += s.to_step) {
        int32_t at = 0;
        do {
            store_word(to + at, load_word(from + at));
            at += WORD;
        } while (at < s.length);
    }
}

/* The row of outputs `to` from the strip's row, all of whose columns are folded. */
static void copy_pixels(const args *a, const pool_block *b, element *from, element *to) {
    const int32_t from_pitch = a->window.stride_width * b->channels;
    const int32_t to_pitch = a->output.pixel_pitch;
    if (from_pitch == b->channels && to_pitch == b->channels) {
        const run_shape s = {0, 0, 0, b->columns * b->channels, 1};
        copy_rows(from, to, &s);
    } else if (b->channels * sizeof(element) < 4) {
        const small_pixels p = {(const int8_t *)from, from_pitch * (int32_t)sizeof(element),
                                (int8_t *)to, to_pitch * (int32_t)sizeof(element), b->columns};
        copy_small(&p, b->channels * (int32_t)sizeof(element));
    } else {
        run_shape s = {from_pitch, 0, to_pitch, b->channels, b->columns};
        const int32_t done = loosely(a, b, &s);
        copy_words(from, to, &s);
        s.rows = b->columns - done;
        s.length = b->channels;
        copy_rows(from + done * from_pitch, to + done * to_pitch, &s);
    }
}

/* Whether the columns' last fold may make the outputs: those of a row follow one another, and the
 * strip's pixels do. */
static int folds_to_output(const args *a, const pool_block *b) {
    const dpl_window *w = &a->window;
    const int32_t bytes = a->output.row_pitch * (int32_t)sizeof(element);
    const int follow = w->stride_width == 1 && a->output.pixel_pitch == b->channels;
    const element *first = a->output.data + b->x * b->channels;
    return follow && w->kernel_width > 1 && ((uintptr_t)first & 3) == 0 && bytes % 4 == 0;
}

/* How many columns are folded before a power of two, or the rest, is left. */
static int32_t columns_before_last(int32_t wide) {
    int32_t have = 1;
    while (2 * have < wide) {
        have *= 2;
    }
    return have;
}

static void finish_row(const args *a, const pool_block *b, element *from, element *to) {
    const dpl_window *w = &a->window;
    const int32_t last = w->kernel_width - columns_before_last(w->kernel_width);
    const element *other = from + last * w->dilation_width * b->channels;
    extreme_run(from, other, to, b->columns * b->channels);
}

static void finish_block(const args *a, const pool_block *b, element *strip) {
    const dpl_window *w = &a->window;
    const int pixels = apart(w, b), last = !pixels && folds_to_output(a, b);
    bound(a, b, strip);
    if (!pixels) {
        fold_columns(w, b, last ? columns_before_last(w->kernel_width) : w->kernel_width, strip);
    }
    for (int32_t r = 0; r < b->rows; r++) {
        element *from = strip + b->origin + r * b->pitch;
        element *to = row_of(&a->output, b->y + r) + b->x * a->output.pixel_pitch + b->channel;
        (last ? finish_row : pixels ? fold_pixels : copy_pixels)(a, b, from, to);
    }
}

static int in_columns(const args *a) {
    (void)a;
    return 0;
}

static int is_column(const args *a) {
    (void)a;
    return 0;
}

static int is_alone(const args *a) {
    (void)a;
    return 0;
}

static void make_alone(const args *a) {
    (void)a;
}

#include "dpl/cortex_m/pool_strip.h"
