/* Written by python -m deployer.codegen.kernel_headers. */
#ifndef DPL_DEPTHWISE_CONV2D_H
#define DPL_DEPTHWISE_CONV2D_H

#include "dpl/requant.h"
#include "dpl/tensor.h"

/* weights: HWC with C = output.channels = multiplier * input.channels; output channel c reads input
 * channel c / multiplier. */
typedef struct {
    dpl_tensor_s8 input;
    dpl_tensor_s8 output;
    const int8_t *weights;
    const int32_t *bias;
    dpl_window window;
    int32_t input_zero;
    dpl_requant requant;
    void *scratch;
} dpl_depthwise_conv2d_s8_args;

typedef struct {
    dpl_tensor_s16 input;
    dpl_tensor_s16 output;
    const int8_t *weights;
    const int32_t *bias;
    dpl_window window;
    int32_t input_zero;
    dpl_requant requant;
    void *scratch;
} dpl_depthwise_conv2d_s16_args;

typedef struct {
    dpl_tensor_f32 input;
    dpl_tensor_f32 output;
    const float *weights;
    const float *bias;
    dpl_window window;
    float low, high;
    void *scratch;
} dpl_depthwise_conv2d_f32_args;

void dpl_depthwise_conv2d_s8__ref(const dpl_depthwise_conv2d_s8_args *a);
void dpl_depthwise_conv2d_s16__ref(const dpl_depthwise_conv2d_s16_args *a);
void dpl_depthwise_conv2d_s8__armv7em_1x1(const dpl_depthwise_conv2d_s8_args *a);
void dpl_depthwise_conv2d_s16__armv7em_1x1(const dpl_depthwise_conv2d_s16_args *a);
void dpl_depthwise_conv2d_s8__armv7em_small(const dpl_depthwise_conv2d_s8_args *a);
void dpl_depthwise_conv2d_s16__armv7em_small(const dpl_depthwise_conv2d_s16_args *a);
/* weights: layout "pixel_taps" */
void dpl_depthwise_conv2d_s8__armv7em_pixels(const dpl_depthwise_conv2d_s8_args *a);
/* weights: layout "pixel_taps" */
void dpl_depthwise_conv2d_s16__armv7em_pixels(const dpl_depthwise_conv2d_s16_args *a);
/* weights: layout "taps_c4" */
void dpl_depthwise_conv2d_s8__armv7em_indirect(const dpl_depthwise_conv2d_s8_args *a);
/* weights: layout "taps_3x3" */
void dpl_depthwise_conv2d_s8__armv7em_3x3(const dpl_depthwise_conv2d_s8_args *a);
/* weights: layout "taps_x4" */
void dpl_depthwise_conv2d_s8__armv7em_several(const dpl_depthwise_conv2d_s8_args *a);
/* weights: layout "taps_x4" */
void dpl_depthwise_conv2d_s16__armv7em_several(const dpl_depthwise_conv2d_s16_args *a);
/* weights: layout "taps_c4" */
void dpl_depthwise_conv2d_s8__armv7em_channels(const dpl_depthwise_conv2d_s8_args *a);
/* weights: layout "taps_c4_ordered" */
void dpl_depthwise_conv2d_s16__armv7em_channels(const dpl_depthwise_conv2d_s16_args *a);
void dpl_depthwise_conv2d_s8__armv7em(const dpl_depthwise_conv2d_s8_args *a);
void dpl_depthwise_conv2d_s16__armv7em(const dpl_depthwise_conv2d_s16_args *a);
void dpl_depthwise_conv2d_s8__armv7em_direct(const dpl_depthwise_conv2d_s8_args *a);
/* weights: layout "cmsis_nn" */
void dpl_depthwise_conv2d_s8__cmsis_nn(const dpl_depthwise_conv2d_s8_args *a);
/* weights: layout "depthwise" */
void dpl_depthwise_conv2d_s8__xpulpv2_blocked(const dpl_depthwise_conv2d_s8_args *a);
/* weights: layout "depthwise" */
void dpl_depthwise_conv2d_s8__xpulpv2_blocked_by_2(const dpl_depthwise_conv2d_s8_args *a);
/* weights: layout "depthwise" */
void dpl_depthwise_conv2d_s8__xpulpv2_blocked_by_2_unpadded(const dpl_depthwise_conv2d_s8_args *a);
/* weights: layout "depthwise" */
void dpl_depthwise_conv2d_s8__xpulpv2_point(const dpl_depthwise_conv2d_s8_args *a);
/* weights: layout "depthwise_pairs" */
void dpl_depthwise_conv2d_s8__xpulpv2_pairs(const dpl_depthwise_conv2d_s8_args *a);
/* weights: layout "depthwise" */
void dpl_depthwise_conv2d_s8__xpulpv2_3x3(const dpl_depthwise_conv2d_s8_args *a);
/* weights: layout "depthwise" */
void dpl_depthwise_conv2d_s8__xpulpv2(const dpl_depthwise_conv2d_s8_args *a);
/* weights: layout "depthwise_wide" */
void dpl_depthwise_conv2d_s16__xpulpv2(const dpl_depthwise_conv2d_s16_args *a);
/* weights: layout "planes_depthwise" */
void dpl_depthwise_conv2d_s8__armv8a_planes(const dpl_depthwise_conv2d_s8_args *a);
/* weights: layout "planes_depthwise" */
void dpl_depthwise_conv2d_s16__armv8a_planes(const dpl_depthwise_conv2d_s16_args *a);
/* weights: layout "taps_c8" */
void dpl_depthwise_conv2d_s8__armv8a(const dpl_depthwise_conv2d_s8_args *a);
/* weights: layout "taps_c8_wide" */
void dpl_depthwise_conv2d_s16__armv8a(const dpl_depthwise_conv2d_s16_args *a);
/* weights: layout "taps_c8_floats" */
void dpl_depthwise_conv2d_f32__armv8a(const dpl_depthwise_conv2d_f32_args *a);
void dpl_depthwise_conv2d_f32__fp32(const dpl_depthwise_conv2d_f32_args *a);

#endif
