/* What dpl/pulp/interior.h does with values of int16: weights of layout "x4c2_runs". Arguments are
 * those of int8 whose channels of the input, pitches and steps are bytes. */
#ifndef DPL_PULP_INTERIOR_HALVES_H
#define DPL_PULP_INTERIOR_HALVES_H

#include "dpl/pulp/wide.h"
#include "dpl/pulp/windows.h"

enum { DPL_VALUE_BYTES = 2 };

/* Taps of odd channels are filled up. */
static inline int dpl_values_along(const dpl_conv2d_s8_args *a) {
    return dpl_along(a) && (a->input.channels & 3) == 0;
}

static inline int dpl_values_copied(const dpl_conv2d_s8_args *a, int32_t row) {
    (void)a;
    (void)row;
    return 0;
}

static inline int32_t dpl_values_filter(const dpl_conv2d_s8_args *a, int32_t tap) {
    return a->window.kernel_height * a->window.kernel_width * dpl_whole_words(tap);
}

/* Blocks of less than four channels are read twice. */
static inline int dpl_values_lie(const dpl_conv2d_s8_args *a) {
    return dpl_tensors_apart(a);
}

static inline void dpl_values_bounds(dpl_four_by_four *f, const dpl_requant *q) {
    f->bounded = q->low > INT16_MIN || q->high < INT16_MAX ? BLOCK_BOUNDED : 0;
    f->low = (uint32_t)q->low;
    f->high = (uint32_t)q->high;
}

static inline void dpl_values_some(dpl_four_by_four *f) {
    dpl_four_by_some_s16(f);
}

static inline void dpl_values_fours(dpl_four_by_four *f) {
    f->some = FOUR;
    dpl_four_by_some_s16(f);
}

static inline void dpl_values_table(dpl_four_by_four *f) {
    dpl_four_by_four_s16(f);
}

static inline void dpl_values_rest(dpl_four_by_four *f, int32_t count) {
    dpl_wide_rest(f, count, dpl_four_by_four_s16);
}

#endif
