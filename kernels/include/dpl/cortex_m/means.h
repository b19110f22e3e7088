/* Means of sums in a strip: a body. A file has `folded`, a sum, SATURATE to the bounds of an
 * output, and `fast_means`, which makes as many neighbouring outputs as it can and returns how
 * many. */
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
    for (int32_t t = 1; t < taps; t++) {
        from += tap;
        sum += *from;
    }
    return sum;
}

/* By i32, shift or, where `high`, q32; `taps` and `high` are constants where they matter. */
static inline __attribute__((always_inline)) void saturated_means(const mean *m, const mean_run *r,
                                                                  int32_t taps, int high) {
    const int32_t multiplier = m->multiplier, rounding = m->rounding, shift = m->shift;
    const int32_t tap = m->tap, from_step = r->from_step, to_step = r->to_step;
    const folded *from = r->from;
    element *to = r->to;
    for (int32_t i = r->count; i > 0; i--, from += from_step, to += to_step) {
        const int32_t sum = sum_at(from, taps, tap);
        const int32_t value =
            high ? scale_high(sum, multiplier, rounding) : (sum * multiplier + rounding) >> shift;
        *to = (element)SATURATE(value);
    }
}

static void affine_means(const mean *m, const mean_run *r) {
    switch (m->taps) {
    case 1: saturated_means(m, r, 1, 0); break;
    case 2: saturated_means(m, r, 2, 0); break;
    case 3: saturated_means(m, r, 3, 0); break;
    default: saturated_means(m, r, m->taps, 0); break;
    }
}

static void any_means(const mean *m, const mean_run *r) {
    for (int32_t i = 0; i < r->count; i++) {
        const int32_t sum = sum_at(r->from + i * r->from_step, m->taps, m->tap);
        r->to[i * r->to_step] = (element)dpl_requantize_mean(m->requant, sum, m->entry);
    }
}

static void means_of_run(const mean *m, const mean_run *given) {
    const dpl_requant *q = m->requant;
    mean_run r = *given;
    const int bounded = q->low != LOWEST || q->high != HIGHEST;
    const int affine = q->rule == DPL_I32 || q->rule == DPL_SHIFT;
    if (bounded || (!affine && q->rule != DPL_Q32)) {
        any_means(m, &r);
        return;
    }
    if (r.from_step == 1 && r.to_step == 1) {
        const int32_t done = fast_means(m, r.from, r.to, r.count);
        r.from += done;
        r.to += done;
        r.count -= done;
    }
    if (r.count == 0) {
        return;
    }
    if (affine) {
        affine_means(m, &r);
    } else {
        saturated_means(m, &r, m->taps, 1);
    }
}

#endif
