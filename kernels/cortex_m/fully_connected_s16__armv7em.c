/* FullyConnected, int16: weights streamed once, four channels at a time. */
#include "dpl/cores.h"
#include "dpl/cortex_m/blocking.h"
#include "dpl/cortex_m/gemv_s16.h"
#include "dpl/fully_connected.h"

enum { ROWS = DPL_GEMV_S16_CHANNELS, STEP = DPL_GEMV_VALUES, PAIR = 2 };

/* With zeros behind it that fill the last eight. */
static void copy_input(const int16_t *from, int32_t depth, int16_t *to) {
    int32_t left = depth;
    for (; left >= STEP; left -= STEP, from += STEP, to += STEP) {
        const uint32_t p = load_word(from), q = load_word(from + 2);
        const uint32_t r = load_word(from + 4), s = load_word(from + 6);
        store_word(to, p);
        store_word(to + 2, q);
        store_word(to + 4, r);
        store_word(to + 6, s);
    }
    if (left == 0) {
        return;
    }
    for (int32_t i = 0; i < STEP; i += 2) {
        store_word(to + i, 0);
        __asm__ volatile("" : : : "memory"); /* no call of memset, nor below of memcpy */
    }
    for (int32_t i = 0; i < left; i++) {
        to[i] = from[i];
        __asm__ volatile("" : : : "memory");
    }
}

static inline int16_t high_output(const dpl_requant *q, int32_t sum, const int32_t *multiplier) {
    return (int16_t)dpl_clamp(scale_high(sum, *multiplier, q->rounding[0]), q->low, q->high);
}

/* By other rules than that of the high words: out of line, since an image seldom needs them, and an
 * output at a time, which keeps few registers. */
static __attribute__((noinline)) int32_t other_output(const dpl_requant *q, int32_t sum,
                                                      int32_t channel) {
    return dpl_requantize(q, sum, channel);
}

static inline void put_outputs(const dpl_requant *q, const int32_t *sums, int32_t first,
                               int32_t count, int16_t *out) {
    if (q->rule != DPL_Q32) {
        for (int32_t i = 0; i < count; i++) {
            out[first + i] = (int16_t)other_output(q, sums[i], first + i);
        }
        return;
    }
    const int32_t step = q->channel_step, *const m = q->multiplier + first * step;
    out += first;
    if (count == ROWS) {
        out[0] = high_output(q, sums[0], m);
        out[1] = high_output(q, sums[1], m + step);
        out[2] = high_output(q, sums[2], m + 2 * step);
        out[3] = high_output(q, sums[3], m + 3 * step);
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        out[i] = high_output(q, sums[i], m + i * step);
    }
}

static inline void add_few(int32_t count, const uint32_t *w, const uint32_t *x, int32_t fours,
                           int32_t *sums) {
    if (count == 1) {
        *sums = add_long_1x1(w, x, fours, *sums);
    } else {
        (count > PAIR ? add_long_4x1 : add_long_2x1)(w, x, fours, sums);
    }
}

/* The last three, two or one channels: `fours` of values at `x`, and two more at `last`, if any. */
static __attribute__((noinline)) void put_last(const dpl_fully_connected_s16_args *a,
                                               const uint32_t *w, int32_t first, const uint32_t *x,
                                               int32_t fours, const uint32_t *last) {
    const int32_t count = a->output.channels - first;
    const int32_t *const bias = a->bias + first;
    /* one by one, as of a loop gcc would make a call of memcpy */
    int32_t sums[ROWS] = {bias[0], count > 1 ? bias[1] : 0, count > PAIR ? bias[2] : 0, 0};
    if (fours > 0) {
        add_few(count, w, x, fours, sums);
    }
    if (last) {
        add_few(count, w + fours * (count > PAIR ? ROWS : PAIR), last, 2, sums);
    }
    put_outputs(&a->requant, sums, first, count, dpl_row_s16(&a->output, 0));
}

/* No more channels than those: all but the last eight values are taken where they lie. */
static void put_few(const dpl_fully_connected_s16_args *a) {
    const int16_t *in = dpl_row_s16(&a->input, 0);
    const int32_t depth = a->input.channels, whole = (depth - 1) / STEP * STEP;
    copy_input(in + whole, depth - whole, a->scratch);
    put_last(a, (const uint32_t *)(const void *)a->weights, 0, (const uint32_t *)(const void *)in,
             whole / 4, a->scratch);
}

void dpl_fully_connected_s16__armv7em(const dpl_fully_connected_s16_args *a) {
    const int32_t depth = a->input.channels, fours = (depth + STEP - 1) / STEP * 2;
    const dpl_share share = dpl_core_share((a->output.channels + ROWS - 1) / ROWS);
    const uint32_t *w = (const uint32_t *)(const void *)a->weights + share.begin * fours * ROWS;
    int16_t *out = dpl_row_s16(&a->output, 0);
    if (a->output.channels < ROWS) {
        if (share.begin < share.end) {
            put_few(a);
        }
        return;
    }
    copy_input(dpl_row_s16(&a->input, 0), depth, a->scratch);
    for (int32_t block = share.begin; block < share.end; block++, w += fours * ROWS) {
        const int32_t c = block * ROWS;
        if (c + ROWS > a->output.channels) {
            put_last(a, w, c, a->scratch, fours, 0);
            return;
        }
        const int32_t *const bias = a->bias + c;
        int32_t sums[] = {bias[0], bias[1], bias[2], bias[3]};
        add_long_4x1(w, a->scratch, fours, sums);
        put_outputs(&a->requant, sums, c, ROWS, out);
    }
}
