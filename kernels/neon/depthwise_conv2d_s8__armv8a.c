/* DepthwiseConv2d, int8, as many outputs as inputs, at least eight channels. */
#include "dpl/neon/depthwise_s8.h"

void dpl_depthwise_conv2d_s8__armv8a(const dpl_depthwise_conv2d_s8_args *a) {
    const int32_t *fits = (const int32_t *)(const void *)a->weights;
    const int32_t taps = a->window.kernel_height * a->window.kernel_width;
    const int8_t **list = a->scratch;
    int8_t *zeros = (int8_t *)(list + taps + taps % 2);
    const depthwise d = {a, list, zeros, a->weights + DPL_HEADER_BYTES, taps + taps % 2, *fits};
    fill_run(zeros, (int8_t)a->input_zero, zeros_bytes(a));
    for (int32_t y = 0; y < a->output.height; y++) {
        run_row(&d, y);
    }
}
