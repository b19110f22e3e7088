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

/* Folds the taps of some rows into `to`. */
static void fold_rows(const args *a, const pool_block *b, alike_rows *rows, element *to) {
    run_shape s = shape_of_rows(a, b, rows);
    const element *from = a->input.data + (b->first + b->begin) * a->input.pixel_pitch + b->channel;
    dpl_row_walk walk = rows->taps.rows;
    const element *top = from + walk.offset;
    const int32_t taps = rows->taps.y.end - rows->taps.y.begin;
    to += b->begin * b->channels;
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

/* Each column becomes that of all columns under its window. */
static void fold_columns(const dpl_window *w, const pool_block *b, element *strip) {
    enum { LINE = 8 / sizeof(element) };
    int32_t wide = b->wide;
    for (int32_t have = 1, more; have < w->kernel_width; have += more) {
        more = least_of(have, w->kernel_width - have);
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

/* Whether each pixel's columns are folded by themselves: where they are words, and without harm to
 * others, so at most one of them begins the window of another pixel, and that one is taken first.
 */
static int apart(const dpl_window *w, const pool_block *b) {
    const int words = b->channels * sizeof(element) % 4 == 0 && w->kernel_width > 1;
    const int few = w->dilation_width == 1 && w->kernel_width <= 2 * w->stride_width;
    return words && (b->columns == 1 || (w->stride_width > 1 && few));
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

static void finish_block(const args *a, const pool_block *b, element *strip) {
    const int pixels = apart(&a->window, b);
    bound(a, b, strip);
    if (!pixels) {
        fold_columns(&a->window, b, strip);
    }
    for (int32_t r = 0; r < b->rows; r++) {
        element *from = strip + b->origin + r * b->pitch;
        element *to = row_of(&a->output, b->y + r) + b->x * a->output.pixel_pitch + b->channel;
        (pixels ? fold_pixels : copy_pixels)(a, b, from, to);
    }
}

#include "dpl/cortex_m/pool_strip.h"
