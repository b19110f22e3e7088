/* Bounds of outputs that ssat does not have, given to a whole output behind kernels that write it
 * low - LOWEST too low (dpl/cortex_m/bound_run.h). A file names `tensor`, LOWEST and HIGHEST before
 * this. */
#ifndef DPL_CORTEX_M_BOUND_ROWS_H
#define DPL_CORTEX_M_BOUND_ROWS_H

#include "dpl/requant.h"
#include "dpl/tensor.h"

void dpl_bound_rows_s8__armv7em(const dpl_tensor_s8 *output, const dpl_requant *q);
void dpl_bound_rows_s16__armv7em(const dpl_tensor_s16 *output, const dpl_requant *q);

/* What is added to a scaled sum in place of the zero point. */
static inline int32_t addend_below(const dpl_requant *q) {
    return q->rounding[0] - (q->low - LOWEST);
}

static inline void bound_rows(const tensor *output, const dpl_requant *q) {
    if (q->low != LOWEST || q->high != HIGHEST) {
        _Generic(output, const dpl_tensor_s8 *: dpl_bound_rows_s8__armv7em,
                 const dpl_tensor_s16 *: dpl_bound_rows_s16__armv7em)(output, q);
    }
}

#endif
