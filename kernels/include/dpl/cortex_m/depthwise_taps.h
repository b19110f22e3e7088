/* Weights of a depthwise convolution in the order of dpl/cortex_m/slide.h. */
#ifndef DPL_CORTEX_M_DEPTHWISE_TAPS_H
#define DPL_CORTEX_M_DEPTHWISE_TAPS_H

#include "dpl/cortex_m/depthwise_plan.h"

static inline uint32_t two_taps(int32_t first, int32_t second) {
    return low_halves((uint32_t)first, (uint32_t)second);
}

/* The taps k and k + 1 of a row, zero where it has no such tap. */
static uint32_t taps_at(const plan *p, const int8_t *row, int32_t k) {
    const int32_t step = p->tap_column, width = p->a->window.kernel_width;
    return two_taps(k >= 0 ? row[k * step] : 0, k + 1 < width ? row[(k + 1) * step] : 0);
}

/* Rows of three taps. */
static void pack_threes(const plan *p, const int8_t *row, uint32_t *to) {
    const int32_t step = p->tap_column;
    for (int32_t r = p->a->window.kernel_height; r > 0; r--, row += p->tap_row, to += 2) {
        const int32_t first = row[0], second = row[step], third = row[2 * step];
        to[0] = two_taps(first, second);
        to[1] = p->sliding ? two_taps(second, third) : two_taps(third, 0);
    }
}

static uint32_t *pack_terms(const plan *p, const int8_t *row, uint32_t *to) {
    const int32_t terms = p->f.terms * (p->sliding ? 1 : p->lines);
    const int32_t two = p->sliding && terms == 2;
    for (int32_t t = 0; t < terms; t++) {
        const int32_t k = 2 * t;
        if (two) {
            *to++ = taps_at(p, row, t);
        } else {
            *to++ = k < p->a->window.kernel_width ? taps_at(p, row, k) : 0;
        }
        if (p->sliding && !two) {
            *to++ = k - 1 < p->a->window.kernel_width ? taps_at(p, row, k - 1) : 0;
        }
    }
    return to;
}

static void pack_filter(const plan *p, int32_t channel, uint32_t *to) {
    const int8_t *row = p->a->weights + channel;
    if (p->a->window.kernel_width == 3 && p->f.terms == 2) {
        pack_threes(p, row, to);
        return;
    }
    for (int32_t r = p->a->window.kernel_height; r > 0; r--, row += p->tap_row) {
        to = pack_terms(p, row, to);
    }
}

#endif
