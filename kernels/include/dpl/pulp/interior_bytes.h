/* What dpl/pulp/interior.h does with values of int8: weights of layout "x4c4_runs". */
#ifndef DPL_PULP_INTERIOR_BYTES_H
#define DPL_PULP_INTERIOR_BYTES_H

#include "dpl/pulp/groups.h"
#include "dpl/pulp/windows.h"

enum { DPL_VALUE_BYTES = 1 };

static inline int dpl_values_along(const dpl_conv2d_s8_args *a) {
    return dpl_along(a);
}

static inline int dpl_values_copied(const dpl_conv2d_s8_args *a, int32_t row) {
    return dpl_copied(a, row);
}

static inline int32_t dpl_values_filter(const dpl_conv2d_s8_args *a, int32_t tap) {
    return dpl_filter_bytes(a, tap);
}

static inline int dpl_values_lie(const dpl_conv2d_s8_args *a) {
    (void)a;
    return 1;
}

static inline void dpl_values_bounds(dpl_four_by_four *f, const dpl_requant *q) {
    dpl_four_by_four_bounds(f, q);
}

static inline void dpl_values_some(dpl_four_by_four *f) {
    dpl_four_by_some(f);
}

static inline void dpl_values_fours(dpl_four_by_four *f) {
    const int high = (f->bounded & BLOCK_HIGH) != 0;
    if (f->words == 1 || (high && f->copies)) {
        f->some = FOUR;
        dpl_four_by_some(f);
    } else if (high) {
        dpl_four_by_four_rows(f);
    } else if (f->count == 1 && f->runs[0] != f->zeros) { /* it would move zero points on */
        dpl_four_by_four_point(f);
    } else if (f->count == 3) {
        dpl_four_by_four_three(f);
    } else {
        dpl_four_by_four_rows(f);
    }
}

static inline void dpl_values_table(dpl_four_by_four *f) {
    dpl_four_by_four_table(f);
}

static inline void dpl_values_rest(dpl_four_by_four *f, int32_t count) {
    dpl_four_by_four_rest(f, 0, count);
}

#endif
