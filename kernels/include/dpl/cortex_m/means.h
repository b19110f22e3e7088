/* Means of sums in a strip: a body. A file has `folded`, a sum, SATURATE to the bounds of an
 * output, `four_means`, a function that makes neighbouring outputs four at a time, and `fours_of`,
 * which picks one. */
#ifndef DPL_CORTEX_M_MEANS_H
#define DPL_CORTEX_M_MEANS_H

#include "dpl/cortex_m/mean_of.h"

/* `count` outputs so far apart. */
typedef struct {
    const folded *from;
    element *to;
    int32_t from_step, to_step, count;
} mean_run;

static inline __attribute__((always_inline)) int32_t sum_at(const folded *from, int32_t taps,
                                                            int32_t tap) {
    int32_t sum = *from;
    if (taps == 5) { /* gcc unrolls loops of fewer turns alone */
        const folded *third = from + 2 * tap;
        return sum + from[tap] + *third + third[tap] + third[2 * tap];
    }
    for (int32_t t = 1; t < taps; t++) {
        from += tap;
        sum += *from;
    }
    return sum;
}

static inline __attribute__((always_inline)) int32_t scaled_sum(const mean *m, int32_t sum,
                                                                int high) {
    return high ? scale_high(sum, m->multiplier, m->rounding)
                : (sum * m->multiplier + m->rounding) >> m->shift;
}

/* By i32, shift or, where `high`, q32; `taps` and `high` are constants where they matter. Two at a
 * time, so that no one waits for what it has just loaded or multiplied. */
static inline __attribute__((always_inline)) void
saturated_means(const mean *given, const mean_run *r, int32_t taps, int high) {
    const mean m = *given; /* a store of a byte could change the fields */
    const int32_t tap = m.tap, from_step = r->from_step, to_step = r->to_step;
    const folded *from = r->from;
    element *to = r->to;
    int32_t left = r->count;
    for (; left > 1; left -= 2, from += 2 * from_step, to += 2 * to_step) {
        const int32_t first = sum_at(from, taps, tap), second = sum_at(from + from_step, taps, tap);
        const int32_t x = scaled_sum(&m, first, high), y = scaled_sum(&m, second, high);
        to[0] = (element)SATURATE(x);
        to[to_step] = (element)SATURATE(y);
    }
    if (left > 0) {
        *to = (element)SATURATE(scaled_sum(&m, sum_at(from, taps, tap), high));
    }
}

static inline __attribute__((always_inline)) void means_by(const mean *m, const mean_run *r,
                                                           int high) {
    switch (m->taps) {
    case 1: saturated_means(m, r, 1, high); break;
    case 2: saturated_means(m, r, 2, high); break;
    case 3: saturated_means(m, r, 3, high); break;
    case 5: saturated_means(m, r, 5, high); break;
    default: saturated_means(m, r, m->taps, high); break;
    }
}

static void affine_means(const mean *m, const mean_run *r) {
    means_by(m, r, 0);
}

static void high_means(const mean *m, const mean_run *r) {
    means_by(m, r, 1);
}

static void any_means(const mean *m, const mean_run *r) {
    for (int32_t i = 0; i < r->count; i++) {
        const int32_t sum = sum_at(r->from + i * r->from_step, m->taps, m->tap);
        r->to[i * r->to_step] = (element)dpl_requantize_mean(m->requant, sum, m->entry);
    }
}

static int is_affine(const dpl_requant *q) {
    return q->rule == DPL_I32 || q->rule == DPL_SHIFT;
}

/* How four at a time are made of the type's bounds, 0 where they are not. */
static four_means *fast_means(const mean *m) {
    const dpl_requant *q = m->requant;
    const int saturates = q->low == LOWEST && q->high == HIGHEST;
    return saturates && (is_affine(q) || q->rule == DPL_Q32) ? fours_of(m) : 0;
}

/* The last of four or more are four over those before. */
static void means_by_fours(four_means *fast, const mean *m, const folded *from, element *to,
                           int32_t count) {
    fast(m, from, to, count / 4);
    if (count % 4 > 0) {
        fast(m, from + count - 4, to + count - 4, 1);
    }
}

static void means_of_run(const mean *m, const mean_run *r) {
    const dpl_requant *q = m->requant;
    four_means *fast = r->from_step == 1 && r->to_step == 1 && r->count >= 4 ? fast_means(m) : 0;
    if (fast) {
        means_by_fours(fast, m, r->from, r->to, r->count);
    } else if (q->low != LOWEST || q->high != HIGHEST || (!is_affine(q) && q->rule != DPL_Q32)) {
        any_means(m, r);
    } else if (is_affine(q)) {
        affine_means(m, r);
    } else {
        high_means(m, r);
    }
}

/* `count` pixels of four channels and more, so far apart. Where outputs have no gaps, the next
 * pixel is written over what fours have too much. */
typedef struct {
    const folded *from;
    element *to;
    int32_t from_step, to_step, channels, count;
} mean_pixels;

static inline void means_of_pixels(const mean *m, const mean_pixels *p) {
    four_means *fast = fast_means(m);
    const folded *from = p->from;
    element *to = p->to;
    const int32_t loose = fast && p->to_step == p->channels ? p->count - 1 : 0;
    for (int32_t x = 0; x < p->count; x++, from += p->from_step, to += p->to_step) {
        const mean_run r = {from, to, 1, 1, p->channels};
        if (x < loose) {
            fast(m, from, to, (p->channels + 3) / 4);
        } else {
            means_of_run(m, &r);
        }
    }
}

#endif
