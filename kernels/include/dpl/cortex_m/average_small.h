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

/* A channel of pixels whose windows are cut alike: as many cycles an output as a channel of one
 * pixel takes, without what begins each. */
static __attribute__((noinline)) void line_of_means(const mean *m, const small_taps *taps,
                                                    const small_pixels *r, const element *from,
                                                    element *to) {
    const int32_t step = r->step, to_step = r->to_step;
    const int32_t multiplier = m->multiplier, rounding = m->rounding, shift = m->shift;
    const int high = HALVES && m->requant->rule == DPL_Q32;
    const uint32_t count = taps->count;
    for (int32_t left = r->count; left > 0; left--, from += step, to += to_step) {
        const int32_t sum = sum_of_taps(taps->at, count, from);
        *to = (element)SATURATE(high ? scale_high(sum, multiplier, rounding)
                                     : (sum * multiplier + rounding) >> shift);
    }
}

/* Channel after channel, of windows with all of their nine taps or fewer. */
static inline void small_lines(const args *a, const small_taps *taps, const small_pixels *r,
                               const element *from, element *to) {
    const mean m = mean_of(&a->requant, (int32_t)taps->count, 1, 0);
    const nine_taps nine = {taps->at[1], taps->at[3], r->step, r->to_step, r->count};
    for (int32_t c = 0; c < a->output.channels; c++) {
        if (taps->count == NINE) {
            nine_means(&m, &nine, from + c, to + c);
        } else {
            line_of_means(&m, taps, r, from + c, to + c);
        }
    }
}

/* Nine taps are three times three alike but for rings. */
static inline int has_lines(const args *a, const small_taps *taps, const small_pixels *r) {
    const dpl_requant *q = &a->requant;
    const int nine = a->window.kernel_height * a->window.kernel_width == NINE;
    const int whole = q->low == LOWEST && q->high == HIGHEST;
    const int fits = taps->count == NINE ? are_threes(taps) : taps->count > 0;
    return r->count > 1 && nine && whole && fits && is_affine_mean(q);
}

/* Channel after channel of nine taps, unless outputs have bounds that their type does not. */
static inline void small_run(const args *a, const small_taps *taps, const small_pixels *r,
                             const element *from, element *to) {
    const int32_t step = r->step, to_step = r->to_step, count = r->count;
    if (has_lines(a, taps, r)) {
        small_lines(a, taps, r, from, to);
        return;
    }
    for (int32_t left = count; left > 0; left--, from += step, to += to_step) {
        small_pixel(a, taps, from, to);
    }
}

#include "dpl/cortex_m/small_pool.h"
