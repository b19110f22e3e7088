/* Outputs whose windows have all their taps in the input: a body. A file has `args`. */
#include "dpl/window.h"

static int32_t last_tap(int32_t taps, int32_t dilation) {
    return (taps - 1) * dilation;
}

/* Of an axis. */
static dpl_span whole_windows(int32_t reach, int32_t stride, int32_t pad, int32_t input,
                              int32_t output) {
    const int32_t most = input - 1 - reach + pad;
    dpl_span whole = {pad <= 0 ? 0 : (pad + stride - 1) / stride, most < 0 ? 0 : most / stride + 1};
    whole.end = whole.end < output ? whole.end : output;
    return whole;
}

static dpl_span whole_columns(const args *a) {
    const dpl_window *w = &a->window;
    return whole_windows(last_tap(w->kernel_width, w->dilation_width), w->stride_width,
                         w->pads.left, a->input.width, a->output.width);
}

static dpl_span whole_rows(const args *a) {
    const dpl_window *w = &a->window;
    return whole_windows(last_tap(w->kernel_height, w->dilation_height), w->stride_height,
                         w->pads.top, a->input.height, a->output.height);
}
