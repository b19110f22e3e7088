/* Convolutions whose windows no side cuts, for all kernels that have them
 * (conv2d_s8_interior__xpulpv2.c). */
#ifndef DPL_PULP_CONV2D_INTERIOR_H
#define DPL_PULP_CONV2D_INTERIOR_H

#include "dpl/conv2d.h"
#include "dpl/pulp/four_by_four.h"

/* blocks: BLOCK_TRANSPOSED or 0. */
void dpl_conv2d_s8_interior__xpulpv2(const dpl_conv2d_s8_args *a, int32_t blocks);

#endif
