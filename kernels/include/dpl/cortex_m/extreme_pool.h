/* Maximum and minimum pools: a body. A file has `args`, KERNEL, what extreme.h needs, and PADDING,
 * the output of a window without taps.
 *
 * A block's input rows are folded into a strip, whole rows of pixels at a time, so that the channel
 * count does not matter. The strip is then folded with itself, shifted by columns: a window of n
 * columns takes log2 n runs. What is left are the outputs, at every stride-th pixel of the strip.
 */
#include "dpl/cortex_m/extreme.h"
#include "dpl/cortex_m/extreme_turns.h"
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

#if defined(__ARM_FEATURE_DSP)
/* The next word of the first row is in another register than the best of it and the second. */
#define BEST_OF_ROWS(LESS, SECOND, FIRST, THIRD)                                                   \
    DIFFERENCE " %[t], %[n], %[q]\n" LESS TAKE_OF("p", "n", "q") SECOND DIFFERENCE                 \
        " %[t], %[p], %[r]\n" FIRST TAKE("p", "r") THIRD "str %[p], [%[to]], #4\n"
#define SECOND_WORD "ldr %[q], [%[x], %[b]]\n"
#define FIRST_WORD "ldr %[n], [%[x]], #4\n"
#define THIRD_WORD "ldr %[r], [%[x], %[c]]\n"
#define NEXT_WORDS BEST_OF_ROWS("subs %[left], %[left], #1\n", SECOND_WORD, FIRST_WORD, THIRD_WORD)
#endif

/* `count` > 0 words of three rows, the others `b` and `c` bytes behind the first: 5 cycles each. */
static inline void words_of_three(const element *x, int32_t b, int32_t c, element *to,
                                  int32_t count) {
    enum { SIZE = sizeof(element), WORD = 4 / SIZE };
#if defined(__ARM_FEATURE_DSP)
    int32_t left = count - 1;
    uint32_t n, p, q, r, t;
    __asm__ volatile(SECOND_WORD FIRST_WORD THIRD_WORD "cmp %[left], #0\n beq 2f\n1:\n" NEXT_WORDS
                                                       "bne 1b\n2:\n" BEST_OF_ROWS("", "", "", "")
                     : [x] "+&r"(x), [to] "+&r"(to), [left] "+&r"(left), [n] "=&r"(n), [p] "=&r"(p),
                       [q] "=&r"(q), [r] "=&r"(r), [t] "=&r"(t)
                     : [b] "r"(b), [c] "r"(c - 4)
                     : "cc", "memory");
#else
    for (int32_t i = 0; i < count; i++, x += WORD, to += WORD) {
        const uint32_t two = better_word(load_word(x), load_word(x + b / SIZE));
        store_word(to, better_word(two, load_word(x + c / SIZE)));
    }
#endif
}

/* Three rows, whose words are aligned, to each of the strip's; the last elements are a word over
 * those before. */
static __attribute__((noinline)) void fold_threes(const element *x, int32_t b, int32_t c,
                                                  element *to, const run_shape *given) {
    enum { SIZE = sizeof(element), WORD = 4 / SIZE };
    const run_shape s = *given;
    const int32_t words = s.length / WORD, last = s.length - WORD;
    for (int32_t i = s.rows; i > 0; i--, x += s.a_step, to += s.to_step) {
        words_of_three(x, b * SIZE, c * SIZE, to, words);
        if (s.length % WORD > 0) {
            words_of_three(x + last, b * SIZE, c * SIZE, to + last, 1);
        }
    }
}

/* Whether fold_threes takes them: of a row, so many elements apart. */
static inline int are_threes(const element *x, int32_t b, int32_t c, const run_shape *s) {
    enum { WORD = 4 / sizeof(element) };
    const int32_t places = (int32_t)((uintptr_t)x / sizeof(element)) | b | c;
    return (places | (s->rows > 1 ? s->a_step : 0)) % WORD == 0 && s->length >= WORD;
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
    if (taps == 3) {
        dpl_row_walk last = walk;
        dpl_next_row(&last);
        const int32_t b = (int32_t)(second - top), c = (int32_t)(from + last.offset - top);
        if (are_threes(top, b, c, &s)) {
            fold_threes(top, b, c, to, &s);
            return;
        }
    }
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

/* Whether pixels are whole words. */
static inline int has_words(const pool_block *b) {
    return b->channels * sizeof(element) % 4 == 0;
}

/* Whether each output is made of three columns, an element or a word at a time: at strides, where
 * to fold all columns, or pixel by pixel, takes longer than 6 cycles. */
static int by_outputs(const dpl_window *w, const pool_block *b) {
    const int many = b->columns >= DPL_POOL_OUTPUT_COLUMNS;
    const int few = b->channels <= DPL_POOL_OUTPUT_CHANNELS * (int32_t)sizeof(element);
    return w->kernel_width == 3 && w->stride_width > 1 && many && (few || has_words(b));
}

#if defined(__ARM_FEATURE_DSP)
LINE(three_apart, 3, ONE, APART)
LINE(three_words_apart, 3, WORD, APART)
LINE(three_words_next, 3, WORD, NEXT)
#else
static void three_apart(const near_steps *s, const line_shape *l) {
    enum { SIZE = sizeof(element) };
    for (int32_t i = 0; i < l->lines.count * l->count; i++) {
        const int32_t line = i / l->count, at = i % l->count;
        const element *x = l->from + line * l->lines.from_step + at * l->step;
        element *to = l->to + line * l->lines.to_step + at * l->to_step;
        for (int32_t n = 0; n < l->size; n++) {
            const int32_t moved = l->step == l->size && l->to_step == l->size ? l->size : 0;
            const element second = x[n + moved + s->at[0] / SIZE];
            const element third = x[n + moved + s->at[1] / SIZE];
            const element best = BETTER(x[n], second) ? x[n] : second;
            to[n] = BETTER(best, third) ? best : third;
        }
    }
}

#define three_words_apart three_apart
#define three_words_next three_apart
#endif

/* A row's channels are lines, or words of them; of wide pixels each is a line of words. */
static void fold_outputs(const args *a, const pool_block *b, element *from, element *to) {
    const dpl_window *w = &a->window;
    const int words = has_words(b);
    const int32_t column = w->dilation_width * b->channels, step = w->stride_width * b->channels;
    const int32_t size = words ? 4 / (int32_t)sizeof(element) : 1, count = b->channels / size;
    const int32_t at[NEAR_TAPS - 1] = {column, 2 * column, 0}, to_step = a->output.pixel_pitch;
    const line_shape down = {from, to, size, step, to_step, b->columns, {size, size, count, 0}};
    const line_shape along = {from, to, size, size, size, count, {step, to_step, b->columns, 0}};
    const int wide = words && count > b->columns;
    const near_steps steps = steps_of(at, wide ? &along : &down);
    if (wide) {
        three_words_next(&steps, &along);
    } else {
        (words ? three_words_apart : three_apart)(&steps, &down);
    }
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
    const int outputs = by_outputs(w, b), pixels = !outputs && apart(w, b);
    const int last = !pixels && folds_to_output(a, b);
    bound(a, b, strip);
    if (!pixels && !outputs) {
        fold_columns(w, b, last ? columns_before_last(w->kernel_width) : w->kernel_width, strip);
    }
    for (int32_t r = 0; r < b->rows; r++) {
        element *from = strip + b->origin + r * b->pitch;
        element *to = row_of(&a->output, b->y + r) + b->x * a->output.pixel_pitch + b->channel;
        (outputs  ? fold_outputs
         : last   ? finish_row
         : pixels ? fold_pixels
                  : copy_pixels)(a, b, from, to);
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
