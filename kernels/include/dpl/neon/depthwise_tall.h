/* Depthwise 3x3 at stride 1: blocks of eight lanes of four rows of the output, one below the other.
 *
 * The six rows of the input that four rows need are copied as int16, between the zero points that
 * windows reach beyond the sides. So one list of steps serves all of them: of a column of windows
 * six vectors serve twelve products whatever the channels are, and the nine weights of a piece stay
 * in registers along a row. Rows of which the strip above has copies already are moved. The last
 * strip ends with the output: what it repeats it writes to its first own row, before that.
 * Included behind depthwise.h. */
#ifndef DPL_NEON_DEPTHWISE_TALL_H
#define DPL_NEON_DEPTHWISE_TALL_H

#include "dpl/neon/depthwise.h"

#define TALL_KERNEL 3
#define TALL_ROWS (PIXELS + TALL_KERNEL - 1)
#define WIDE_BYTES ((int32_t)sizeof(int16_t))
#define NO_ROW (INT32_MIN / 2) /* above any that windows reach */

/* Blocks along a row: the first one's first tap, and where its four rows go; steps are in bytes.
 * `row` and `column` lead from tap to tap, `step` and `to_step` from a block to the next. */
typedef struct {
    const int8_t *from;
    int8_t *to[PIXELS];
    int64_t row, column, step, to_step;
    int64_t count;
} tall_run;

/* A core's copies, `row_bytes` each, of input rows from `first` on, those before `done`. */
typedef struct {
    const depthwise *d;
    int8_t *rows, *beside;
    int32_t group;     /* pixels side by side */
    int32_t pixel;     /* bytes of a copy's */
    int32_t row_bytes; /* of a copy */
    int32_t beside_bytes;
    int32_t zero, first, done;
} tall;

#if defined(__aarch64__)
#include "dpl/neon/depthwise_tall_a64.h"
#endif

static inline eight_sums with_wide(eight_sums sums, int16x8_t a, int16x8_t x) {
    sums.low = vmlal_s16(sums.low, vget_low_s16(a), vget_low_s16(x));
    sums.high = vmlal_s16(sums.high, vget_high_s16(a), vget_high_s16(x));
    return sums;
}

static inline int16x8_t wide_at(const int8_t *from) {
    return vld1q_s16((const int16_t *)(const void *)from);
}

static inline block_sums sum_tall(const tall_run *r, const int8_t *from, const int8_t *piece,
                                  const four_tables *tables) {
    const eight_sums begin = {vld1q_s32(tables[0].bias), vld1q_s32(tables[1].bias)};
    block_sums sums = {begin, begin, begin, begin};
    for (int32_t t = 0; t < TALL_KERNEL * TALL_KERNEL; t++) {
        const int8_t *at = from + t / TALL_KERNEL * r->row + t % TALL_KERNEL * r->column;
        const int16x8_t x = wide_weights(piece, t);
        sums.p0 = with_wide(sums.p0, wide_at(at), x);
        sums.p1 = with_wide(sums.p1, wide_at(at + r->row), x);
        sums.p2 = with_wide(sums.p2, wide_at(at + 2 * r->row), x);
        sums.p3 = with_wide(sums.p3, wide_at(at + 3 * r->row), x);
    }
    return sums;
}

/* By any rule. */
static __attribute__((noinline)) void run_tall_any(const dpl_requant *given, const tall_run *r,
                                                   const int8_t *piece, const four_tables *tables) {
    const dpl_requant q = *given; /* a store could change these */
    const int8_t *from = r->from;
    for (int32_t i = 0; i < r->count; i++, from += r->step) {
        store_block(&q, tables, sum_tall(r, from, piece, tables), r->to, (int32_t)(i * r->to_step),
                    PIXELS);
    }
}

static inline void run_tall_piece(const dpl_requant *q, const tall_run *r, const int8_t *piece,
                                  const four_tables *tables) {
#ifdef __aarch64__
    if (is_tall_usual(q, tables)) {
        run_tall_a53(q, r, piece, tables);
        return;
    }
#endif
    run_tall_any(q, r, piece, tables);
}

/* All lanes of blocks, the last eight from the end. */
static inline void run_tall_blocks(const depthwise *d, const tall_run *r) {
    const int32_t last = d->lanes - WIDTH;
    const int8_t *piece = d->pieces;
    for (int32_t c = 0; c < d->lanes; c += WIDTH) {
        const int32_t lane = c < last ? c : last;
        const four_tables *tables = tables_of(&d->taps, piece, WEIGHT_BYTES);
        tall_run own = *r;
        own.from += lane * WIDE_BYTES;
        for (int32_t k = 0; k < PIXELS; k++) {
            own.to[k] += lane * ELEMENT_BYTES;
        }
        run_tall_piece(d->requant, &own, piece, tables);
        piece = (const int8_t *)(tables + 2);
    }
}

/* `count` blocks of the strip from column `x` on. */
static inline void run_tall_row(const tall *t, int8_t *const *to, int32_t pitch, int32_t x,
                                int32_t count) {
    const int32_t column = t->d->window.dilation_width * t->pixel;
    const tall_run r = {.from = t->rows + x * t->pixel,
                        .to = {to[0], to[1], to[2], to[3]},
                        .row = t->row_bytes,
                        .column = column,
                        .step = t->group * t->pixel,
                        .to_step = t->group * pitch,
                        .count = count};
    run_tall_blocks(t->d, &r);
}

/* `count` pixels of each row from column `x` on, a group at least; where they fill no blocks the
 * last one is that of the last pixels. */
static inline void run_tall_pixels(const tall *t, int8_t *const *to, int32_t pitch, int32_t x,
                                   int32_t count) {
    const int32_t left = count > t->group ? count - t->group : 0;
    if (count >= t->group) {
        run_tall_row(t, to, pitch, x, count / t->group);
    }
    if (count % t->group != 0) {
        int8_t *last[PIXELS];
        for (int32_t k = 0; k < PIXELS; k++) {
            last[k] = to[k] + left * pitch;
        }
        run_tall_row(t, last, pitch, x + left, 1);
    }
}

/* Rows of the strip from `y` on, the first `again` of which are done: they go where the next one
 * does, before that. Pixels side by side go to rows of their own first where those of the output do
 * not follow each other or fill no block. */
static inline void run_strip(const tall *t, int32_t y, int32_t again, int32_t x, int32_t count) {
    const depthwise *d = t->d;
    const int32_t pitch = d->output.pixel_pitch, bytes = d->output.channels;
    const int whole = t->group == 1 || (pitch == bytes && count >= t->group);
    int8_t *to[PIXELS], *at[PIXELS];
    for (int32_t k = 0; k < PIXELS; k++) {
        to[k] = dpl_row_s8(&d->output, y + (k < again ? again : k)) + x * pitch;
        at[k] = whole ? to[k] : t->beside + k * t->beside_bytes;
    }
    run_tall_pixels(t, at, whole ? pitch : bytes, x, count);
    for (int32_t k = again; k < PIXELS && !whole; k++) {
        const strided_run copy = {to[k], at[k], pitch, bytes};
        copy_runs(copy, bytes, count);
    }
}

/* Whole pairs of vectors; they may move to lower addresses. */
static inline void move_row(int8_t *to, const int8_t *from, int32_t bytes) {
    for (int32_t i = 0; i < bytes; i += 2 * RUN_BYTES) {
        const int8x16_t first = vld1q_s8(from + i), last = vld1q_s8(from + i + RUN_BYTES);
        vst1q_s8(to + i, first);
        vst1q_s8(to + i + RUN_BYTES, last);
    }
}

static inline void fill_wide_row(int8_t *to, int32_t value, int32_t bytes) {
    const int16x8_t all = vdupq_n_s16((int16_t)value);
    for (int32_t i = 0; i < bytes; i += RUN_BYTES) {
        vst1q_s16((int16_t *)(void *)(to + i), all);
    }
}

/* The columns of an input row that windows cover. */
static inline void copy_wide_row(const tall *t, int8_t *to, int32_t y) {
    const dpl_tensor_s8 *input = &t->d->input;
    const int32_t left = t->d->window.pads.left;
    const int32_t columns =
        t->d->output.width + (TALL_KERNEL - 1) * t->d->window.dilation_width - left;
    const strided_run at = {to + left * t->pixel, dpl_row_s8(input, y), t->pixel,
                            input->pixel_pitch};
    copy_wide(at, input->channels, columns < input->width ? columns : input->width);
}

/* The rows of the strip whose first is `first`. */
static inline void hold_rows(tall *t, int32_t first) {
    for (int32_t y = first; y < first + TALL_ROWS; y++) {
        int8_t *to = t->rows + (y - first) * t->row_bytes;
        if (y < t->done) {
            move_row(to, t->rows + (y - t->first) * t->row_bytes, t->row_bytes);
        } else if (y < 0 || y >= t->d->input.height) {
            fill_wide_row(to, t->zero, t->row_bytes);
        } else {
            copy_wide_row(t, to, y);
        }
    }
    t->first = first;
    t->done = first + TALL_ROWS;
}

/* This core's columns of four pixels. */
static inline void run_tall_share(tall *t) {
    const depthwise *d = t->d;
    const int32_t width = d->output.width, last = d->output.height - PIXELS;
    const int32_t top = d->window.pads.top;
    const dpl_share columns = dpl_core_share((d->output.height + PIXELS - 1) / PIXELS * width);
    for (int32_t at = columns.begin; at < columns.end;) {
        const int32_t strip = at / width * PIXELS, x = at % width, left = columns.end - at;
        const int32_t count = left < width - x ? left : width - x;
        const int32_t y = strip < last ? strip : last;
        if (y - top != t->first) {
            hold_rows(t, y - top);
        }
        run_strip(t, y, strip - y, x, count);
        at += count;
    }
}

static inline int32_t whole_pairs(int32_t bytes) {
    return (bytes + 2 * RUN_BYTES - 1) / (2 * RUN_BYTES) * (2 * RUN_BYTES);
}

static inline tall tall_of(const depthwise *d, int32_t zero) {
    const dpl_window *w = &d->window;
    const int32_t channels = d->input.channels / ELEMENT_BYTES, group = side_by_side(channels);
    const int32_t pixel = channels * WIDE_BYTES, width = d->output.width;
    const int32_t columns = width + group - 1 + (TALL_KERNEL - 1) * w->dilation_width;
    const int32_t apart = group > 1 ? pixel : (pixel + 7) / 8 * 8;
    const int32_t beside = (width > group ? width : group) * d->output.channels;
    const tall t = {.d = d,
                    .group = group,
                    .pixel = apart,
                    .row_bytes = whole_pairs(columns * apart),
                    .beside_bytes = group > 1 ? beside : 0,
                    .zero = zero,
                    .first = NO_ROW,
                    .done = NO_ROW};
    return t;
}

/* Of a core. */
static inline int32_t tall_bytes(const tall *t) {
    return TALL_ROWS * t->row_bytes + whole_words(PIXELS * t->beside_bytes);
}

/* Whether strips repeat few rows: a seventh, or a quarter where pixels do not begin at eight bytes,
 * which loads take longer for. */
static inline int repeats_few(const depthwise *d) {
    const int32_t height = d->output.height, rows = in_blocks(height);
    return rows * 7 <= height * 8 || (d->input.channels % 8 != 0 && rows * 4 <= height * 5);
}

/* Whether windows are 3x3 at stride 1, strips repeat few rows, which are no shorter than what
 * begins them, or rows are copied anyway, and copies fit; the same in
 * deployer/kernelset/neon/depthwise_tall.py. */
static inline int is_tall(const depthwise *d) {
    const dpl_window *w = &d->window;
    const int square = w->kernel_height == TALL_KERNEL && w->kernel_width == TALL_KERNEL;
    const int dense = (w->stride_height | w->stride_width | w->dilation_height) == 1;
    if (!square || !dense || d->input.channels != d->output.channels || d->output.height < PIXELS) {
        return 0;
    }
    const int few = d->input.channels <= DPL_COPIED_CHANNELS * ELEMENT_BYTES;
    const tall t = tall_of(d, 0);
    const int fills = d->output.width >= PIXELS && repeats_few(d);
    return (few || t.group > 1 || fills) && tall_bytes(&t) <= DPL_TALL_BYTES;
}

/* As run_depthwise. */
static __attribute__((noinline)) void run_tall(depthwise *d, int32_t zero, void *scratch,
                                               int32_t least) {
    tall t = tall_of(d, zero);
    t.rows = own_of(scratch, tall_bytes(&t), least);
    t.beside = t.rows + TALL_ROWS * t.row_bytes;
    d->lanes = t.group * d->input.channels / ELEMENT_BYTES;
    d->taps.count = listed_taps(&d->window);
    fill_wide_row(t.rows, zero, TALL_ROWS * t.row_bytes);
    run_tall_share(&t);
}

#endif
