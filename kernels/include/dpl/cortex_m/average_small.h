/* Average pools of little work, or of nine taps at strides: a body. A file has `args`, KERNEL
 * and what nine_means.h needs. */
#include "dpl/cortex_m/mean_of.h"
#include "dpl/cortex_m/nine_means.h"
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

/* Of nine taps channel after channel, unless outputs have bounds that their type does not. */
static inline void small_run(const args *a, const small_taps *taps, const small_pixels *r,
                             const element *from, element *to) {
    const dpl_requant *q = &a->requant;
    const int32_t step = r->step, to_step = r->to_step, count = r->count;
    if (count > 1 && q->low == LOWEST && q->high == HIGHEST && are_threes(taps) &&
        is_affine_mean(q)) {
        const mean m = mean_of(q, NINE, 1, 0);
        const nine_taps nine = {taps->at[1], taps->at[3], step, to_step, count};
        for (int32_t c = 0; c < a->output.channels; c++) {
            nine_means(&m, &nine, from + c, to + c);
        }
        return;
    }
    for (int32_t left = count; left > 0; left--, from += step, to += to_step) {
        small_pixel(a, taps, from, to);
    }
}

#include "dpl/cortex_m/small_pool.h"
