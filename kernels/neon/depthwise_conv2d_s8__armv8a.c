/* DepthwiseConv2d, int8, as many outputs as inputs, at least eight channels. */
#include "dpl/neon/depthwise_s8.h"

void dpl_depthwise_conv2d_s8__armv8a(const dpl_depthwise_conv2d_s8_args *a) {
    const int32_t *fits = (const int32_t *)(const void *)a->weights;
    const int32_t taps = a->window.kernel_height * a->window.kernel_width, count = taps + taps % 2;
    int8_t *own = (int8_t *)a->scratch + dpl_core_id() * core_bytes(a, count);
    const int8_t **list = (const int8_t **)(void *)own;
    int8_t *zeros = (int8_t *)(list + count);
    const depthwise d = {a, list, zeros, a->weights + DPL_HEADER_BYTES, count, *fits};
    const int32_t width = a->output.width;
    const dpl_share pixels = dpl_core_share(a->output.height * width);
    fill_run(zeros, (int8_t)a->input_zero, zeros_bytes(a));
    for (int32_t at = pixels.begin; at < pixels.end;) {
        const int32_t y = at / width, x = at % width, left = pixels.end - at;
        const int32_t end = x + left < width ? x + left : width;
        run_row(&d, y, x, end);
        at += end - x;
    }
}
