/* Average pools by the taps of each output: a body. A file has `args`, KERNEL and what mean_taps.h
 * needs. */
#include "dpl/cortex_m/mean_taps.h"

static inline int32_t sum_of(const element *x, const tap_list *taps) {
    const int32_t *step = taps->steps;
    int32_t sum = *(x += taps->first);
    for (int32_t left = taps->count - 1; left > 0; left--) {
        x += *step++ / (int32_t)sizeof(element);
        sum += *x;
    }
    return sum;
}

static inline element requantized(const dpl_requant *q, const mean *m, int32_t sum) {
    if (q->rule == DPL_I32 || q->rule == DPL_SHIFT) {
        return (element)dpl_clamp((sum * m->multiplier + m->rounding) >> m->shift, q->low, q->high);
    }
    return (element)dpl_requantize_mean(q, sum, m->entry);
}

/* Few outputs, or by any rule. */
static void one_by_one(const mean *m, window_lists *lists, const dpl_taps *taps, output_runs r) {
    for (; r.count > 0; r.count--, r.from += r.from_step, r.to += r.to_step) {
        const tap_list *list = list_of(lists, taps, r.from);
        for (int32_t i = 0; i < r.length; i++) {
            r.to[i] = requantized(m->requant, m, sum_of(r.from + i, list));
        }
    }
}

static void bound(const dpl_requant *q, output_runs r) {
    for (; r.count > 0; r.count--, r.to += r.to_step) {
        for (int32_t i = 0; i < r.length; i++) {
            r.to[i] = (element)dpl_clamp(r.to[i], q->low, q->high);
        }
    }
}

static void make_runs(const dpl_requant *q, window_lists *lists, const dpl_taps *taps,
                      const output_runs *r) {
    const mean m = mean_of(q, dpl_taps_count(taps), 1, 0);
    const int affine = q->rule == DPL_I32 || q->rule == DPL_SHIFT;
    const int fast = affine || (HALVES && q->rule == DPL_Q32);
    if (!fast || r->length < GROUP) {
        one_by_one(&m, lists, taps, *r);
        return;
    }
    groups_of_runs(&m, lists, taps, r, 0, r->length / GROUP);
    if (r->length % GROUP > 0) { /* the last group is one over those before */
        groups_of_runs(&m, lists, taps, r, r->length - GROUP, 1);
    }
    if (q->low != LOWEST || q->high != HIGHEST) {
        bound(q, *r);
    }
}

#include "dpl/cortex_m/pool_taps.h"
