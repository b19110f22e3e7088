/* AveragePool. A kernel's file has `args`, KERNEL, `lanes`, partial sums of eight elements, and
 * MOST_TAPS, how many of them they hold.
 *
 * Four times eight sums at once, of four pixels or, in a single one, of its channels: a load and an
 * addition for each tap. The last eight channels overlap those before. */
#include "dpl/mean.h"
#include "dpl/neon/means.h"

enum { BLOCKS = 4, LEAST_CHANNELS = EIGHT, FEW = 4 };

typedef struct {
    int32_t from, to;
} distances;

/* Sums of `count` times eight elements so far apart. */
INLINED void sum_taps(const dpl_taps *taps, const element *input, int32_t apart, int32x4_t *sums,
                      int count) {
    const int32_t width = taps->x.end - taps->x.begin;
    dpl_row_walk rows = taps->rows;
    lanes partial[BLOCKS];
    int32_t room = MOST_TAPS;
    UNROLLED for (int i = 0; i < count; i++) {
        partial[i] = no_lanes();
        sums[2 * i] = sums[2 * i + 1] = vdupq_n_s32(0);
    }
    for (int32_t y = taps->y.begin; y < taps->y.end; y++, dpl_next_row(&rows)) {
        const element *x = input + rows.offset + taps->column;
        for (int32_t left = width; left > 0; room = MOST_TAPS) {
            const int32_t run = left < room ? left : room;
            for (int32_t t = run; t > 0; t--, x += taps->pitch) {
                UNROLLED for (int i = 0; i < count; i++) {
                    partial[i] = with_eight(partial[i], x + i * apart);
                }
            }
            left -= run;
            room -= run;
            if (room > 0) {
                break;
            }
            UNROLLED for (int i = 0; i < count; i++) {
                add_lanes(sums + 2 * i, partial[i]);
                partial[i] = no_lanes();
            }
        }
    }
    UNROLLED for (int i = 0; i < count; i++) {
        add_lanes(sums + 2 * i, partial[i]);
    }
}

INLINED void fold(const dpl_requant *q, const divisor *d, const dpl_taps *taps,
                  const element *input, element *out, distances apart, int count) {
    const limits within = limits_of(q->low, q->high);
    int32x4_t sums[2 * BLOCKS];
    sum_taps(taps, input, apart.from, sums, count);
    UNROLLED for (int i = 2 * count; i < TOGETHER; i++) {
        sums[i] = vdupq_n_s32(0);
    }
    divide_sums(q->rule, d, sums, 2 * count < TOGETHER ? TOGETHER : 2 * count);
    UNROLLED for (int i = 0; i < count; i++) {
        store_eight(out + i * apart.to, narrowed(sums[2 * i], sums[2 * i + 1], &within));
    }
}

/* At least eight channels. */
static void fold_alike(const args *a, const dpl_taps *taps, const element *input, element *out,
                       int32_t count) {
    const dpl_requant *q = &a->requant;
    const divisor d = divisor_of(q, dpl_taps_count(taps));
    const distances apart = {a->window.stride_width * a->input.pixel_pitch, a->output.pixel_pitch};
    const int32_t last = count - EIGHT;
    for (int32_t c = 0; c < last; c += EIGHT) {
        fold(q, &d, taps, input + c, out + c, apart, BLOCKS);
    }
    fold(q, &d, taps, input + last, out + last, apart, BLOCKS);
}

/* The sum of elements in a run: a load and three additions for eight, where one by one they take
 * as many loads and additions as there are elements. */
static inline int32_t sum_run(const element *x, int32_t count) {
    int32x4_t sums[2] = {vdupq_n_s32(0), vdupq_n_s32(0)};
    int32_t lane[4], left = count;
    for (; left >= EIGHT; left -= EIGHT, x += EIGHT) {
        add_lanes(sums, with_eight(no_lanes(), x));
    }
    vst1q_s32(lane, vaddq_s32(sums[0], sums[1]));
    int32_t sum = lane[0] + lane[1] + lane[2] + lane[3];
    for (; left > 0; left--) {
        sum += *x++;
    }
    return sum;
}

/* A channel whose taps lie side by side. */
static inline void fold_lines(const dpl_requant *q, const dpl_taps *taps, const element *input,
                              element *out) {
    const int32_t width = taps->x.end - taps->x.begin, entry = dpl_taps_count(taps) - 1;
    dpl_row_walk rows = taps->rows;
    int32_t sum = 0;
    for (int32_t y = taps->y.begin; y < taps->y.end; y++, dpl_next_row(&rows)) {
        sum += sum_run(input + rows.offset + taps->column, width);
    }
    *out = (element)dpl_requantize_mean(q, sum, entry);
}

/* Up to FEW channels: a constant. */
INLINED void fold_some(const dpl_requant *q, const dpl_taps *taps, const element *input,
                       element *out, int count) {
    const int32_t width = taps->x.end - taps->x.begin, entry = dpl_taps_count(taps) - 1;
    int32_t sums[FEW] = {0};
    dpl_row_walk rows = taps->rows;
    for (int32_t y = taps->y.begin; y < taps->y.end; y++, dpl_next_row(&rows)) {
        const element *x = input + rows.offset + taps->column;
        for (int32_t left = width; left > 0; left--, x += taps->pitch) {
            UNROLLED for (int i = 0; i < count; i++) {
                sums[i] += x[i];
            }
        }
    }
    UNROLLED for (int i = 0; i < count; i++) {
        out[i] = (element)dpl_requantize_mean(q, sums[i], entry);
    }
}

static inline void fold_few(const dpl_requant *q, const dpl_taps *taps, const element *input,
                            element *out, int32_t count) {
    int32_t c = 0;
    if (count == 1 && taps->pitch == 1) {
        fold_lines(q, taps, input, out);
        return;
    }
    for (; c + FEW <= count; c += FEW) {
        fold_some(q, taps, input + c, out + c, FEW);
    }
    for (; c < count; c++) {
        fold_some(q, taps, input + c, out + c, 1);
    }
}

static void fold_pixel(const args *a, const dpl_taps *taps, const element *input, element *out,
                       int32_t count) {
    const dpl_requant *q = &a->requant;
    const distances apart = {EIGHT, EIGHT};
    const int32_t last = count - EIGHT;
    if (last < 0) {
        fold_few(q, taps, input, out, count);
        return;
    }
    const divisor d = divisor_of(q, dpl_taps_count(taps));
    int32_t c = 0;
    for (; c + BLOCKS * EIGHT <= count; c += BLOCKS * EIGHT) {
        fold(q, &d, taps, input + c, out + c, apart, BLOCKS);
    }
    for (; c < last; c += EIGHT) {
        fold(q, &d, taps, input + c, out + c, apart, 1);
    }
    if (c < count) {
        fold(q, &d, taps, input + last, out + last, apart, 1);
    }
}

#include "dpl/neon/pool_rows.h"
