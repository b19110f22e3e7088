/* Depthwise 3x3 by a loop of its own, for all kernels that have it (depthwise_s8_3x3__xpulpv2.c).
 */
#ifndef DPL_PULP_DEPTHWISE_BY_3X3_H
#define DPL_PULP_DEPTHWISE_BY_3X3_H

#include "dpl/pulp/depthwise_run.h"

/* run: that of the arguments (dpl_run_of), not null. */
void dpl_depthwise_s8_3x3__xpulpv2(const dpl_depthwise_conv2d_s8_args *a, dpl_run_3x3 *run);

#endif
