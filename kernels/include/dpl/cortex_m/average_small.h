/* Average pools of little work: a body. A file has `args` and KERNEL. */
#include "dpl/cortex_m/mean_of.h"
#include "dpl/cortex_m/small_taps.h"

/* In fours, then two and one, so that branches go the same way for every channel. */
static inline int32_t sum_of_taps(const int32_t *at, uint32_t count, const element *x) {
    int32_t sum = 0;
    for (uint32_t left = count / 4; left > 0; left--, at += 4) {
        const four_places p = four_of(at);
        sum += x[p.a] + x[p.b] + x[p.c] + x[p.d];
    }
    if (count & 2) {
        sum += x[at[0]] + x[at[1]];
        at += 2;
    }
    return count & 1 ? sum + x[*at] : sum;
}

/* Out of line, so that what the loop needs stays in registers: 24 cycles and 3 a tap. */
static __attribute__((noinline)) void small_pixel(const args *a, const small_taps *taps,
                                                  const element *from, element *to) {
    const dpl_requant *q = &a->requant;
    const int affine = q->rule == DPL_I32 || q->rule == DPL_SHIFT;
    const uint32_t count = taps->count;
    const mean m = mean_of(q, (int32_t)count, 1, 0);
    const int32_t low = q->low, high = q->high;
    for (element *end = to + a->output.channels; to != end; to++, from++) {
        const int32_t sum = sum_of_taps(taps->at, count, from);
        *to = affine ? (element)dpl_clamp((sum * m.multiplier + m.rounding) >> m.shift, low, high)
                     : (element)dpl_requantize_mean(q, sum, m.entry);
    }
}

#include "dpl/cortex_m/small_pool.h"
