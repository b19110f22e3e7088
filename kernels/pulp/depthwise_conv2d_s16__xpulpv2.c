/* DepthwiseConv2d, int16: a tap of two channels at a time (dpl/pulp/wide.h). */
#include "dpl/depthwise_conv2d.h"

#include "dpl/pulp/wide.h"

void dpl_depthwise_conv2d_s16__xpulpv2(const dpl_depthwise_conv2d_s16_args *a) {
    dpl_wide w;
    DPL_WIDE_ARGUMENTS(&w, a);
    w.whole = 0;
    w.inputs = a->input.channels;
    w.outputs = a->output.channels;
    w.multiplier = w.outputs / w.inputs;
    w.run = dpl_depthwise_s16;
    w.sums = dpl_depthwise_s16_sums;
    dpl_wide_init(&w, a->scratch, 1);
    dpl_wide_run(&w, 1, 0);
}
