/* FullyConnected, int16, as a convolution of one pixel. */
#include "dpl/fully_connected.h"

#include "dpl/conv2d.h"

void dpl_fully_connected_s16__xpulpv2(const dpl_fully_connected_s16_args *a) {
    const dpl_conv2d_s16_args one = {
        .input = a->input,
        .output = a->output,
        .weights = a->weights,
        .bias = a->bias,
        .window = {.kernel_height = 1,
                   .kernel_width = 1,
                   .stride_height = 1,
                   .stride_width = 1,
                   .dilation_height = 1,
                   .dilation_width = 1},
        .groups = 1,
        .requant = a->requant,
        .scratch = a->scratch,
    };
    dpl_conv2d_s16__xpulpv2(&one);
}
