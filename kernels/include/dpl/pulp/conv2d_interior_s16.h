/* Convolutions of int16 whose windows no side cuts (conv2d_s16_interior__xpulpv2.c). */
#ifndef DPL_PULP_CONV2D_INTERIOR_S16_H
#define DPL_PULP_CONV2D_INTERIOR_S16_H

#include "dpl/conv2d.h"

/* Returns whether it is one; all is done then. */
int32_t dpl_conv2d_s16_interior__xpulpv2(const dpl_conv2d_s16_args *a);

#endif
