/* Outputs whose windows have all their taps in the input. */
#ifndef DPL_CORTEX_M_WHOLE_WINDOWS_H
#define DPL_CORTEX_M_WHOLE_WINDOWS_H

#include "dpl/window.h"

static inline int32_t last_tap(int32_t taps, int32_t dilation) {
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

#endif
