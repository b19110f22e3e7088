/* Written by python -m deployer.codegen.kernel_headers. */
#ifndef DPL_CONV_TRANSPOSE2D_H
#define DPL_CONV_TRANSPOSE2D_H

#include "dpl/requant.h"
#include "dpl/tensor.h"

/* acc = bias + sum of (x - input_zero) * w over the taps that meet an input; the input's zero point
 * is not folded into the bias. weights: OHWI, I = input.channels / groups. Output row oy meets tap
 * ky of input row iy when oy + pads.top = iy * stride_height + ky * dilation_height; columns alike.
 */
typedef struct {
    dpl_tensor_s8 input;
    dpl_tensor_s8 output;
    const int8_t *weights;
    const int32_t *bias;
    dpl_window window;
    int32_t groups;
    int32_t input_zero;
    dpl_requant requant;
    void *scratch;
} dpl_conv_transpose2d_s8_args;

typedef struct {
    dpl_tensor_s16 input;
    dpl_tensor_s16 output;
    const int8_t *weights;
    const int32_t *bias;
    dpl_window window;
    int32_t groups;
    int32_t input_zero;
    dpl_requant requant;
    void *scratch;
} dpl_conv_transpose2d_s16_args;

typedef struct {
    dpl_tensor_f32 input;
    dpl_tensor_f32 output;
    const float *weights;
    const float *bias;
    dpl_window window;
    int32_t groups;
    float low, high;
    void *scratch;
} dpl_conv_transpose2d_f32_args;

void dpl_conv_transpose2d_s8__ref(const dpl_conv_transpose2d_s8_args *a);
void dpl_conv_transpose2d_s16__ref(const dpl_conv_transpose2d_s16_args *a);
/* weights: layout "x2c4_joined" */
void dpl_conv_transpose2d_s8__armv7em_joined(const dpl_conv_transpose2d_s8_args *a);
/* weights: layout "x2c4_joined_ordered" */
void dpl_conv_transpose2d_s16__armv7em_joined(const dpl_conv_transpose2d_s16_args *a);
/* weights: layout "x2c4_taps_remainders_ordered" */
void dpl_conv_transpose2d_s16__armv7em_direct(const dpl_conv_transpose2d_s16_args *a);
/* weights: layout "x2c4_taps_remainders_ordered" */
void dpl_conv_transpose2d_s8__armv7em_halves(const dpl_conv_transpose2d_s8_args *a);
void dpl_conv_transpose2d_s8__armv7em_planes(const dpl_conv_transpose2d_s8_args *a);
void dpl_conv_transpose2d_s16__armv7em_planes(const dpl_conv_transpose2d_s16_args *a);
/* weights: layout "x2c4_remainders" */
void dpl_conv_transpose2d_s8__armv7em(const dpl_conv_transpose2d_s8_args *a);
/* weights: layout "x2c4_remainders_ordered" */
void dpl_conv_transpose2d_s16__armv7em(const dpl_conv_transpose2d_s16_args *a);
/* weights: layout "x2c4_parts_remainders" */
void dpl_conv_transpose2d_s8__armv7em_groups(const dpl_conv_transpose2d_s8_args *a);
/* weights: layout "x2c4_parts_remainders_ordered" */
void dpl_conv_transpose2d_s16__armv7em_groups(const dpl_conv_transpose2d_s16_args *a);
/* weights: layout "cmsis_nn_plain" */
void dpl_conv_transpose2d_s8__cmsis_nn(const dpl_conv_transpose2d_s8_args *a);
/* weights: layout "x4c4_remainders" */
void dpl_conv_transpose2d_s8__xpulpv2(const dpl_conv_transpose2d_s8_args *a);
/* weights: layout "x4c2_remainders" */
void dpl_conv_transpose2d_s16__xpulpv2(const dpl_conv_transpose2d_s16_args *a);
/* weights: layout "planes_wide" */
void dpl_conv_transpose2d_s8__armv8a_wide(const dpl_conv_transpose2d_s8_args *a);
/* weights: layout "planes_wide" */
void dpl_conv_transpose2d_s16__armv8a_wide(const dpl_conv_transpose2d_s16_args *a);
/* weights: layout "scatter" */
void dpl_conv_transpose2d_s8__armv8a_scatter(const dpl_conv_transpose2d_s8_args *a);
/* weights: layout "scatter" */
void dpl_conv_transpose2d_s16__armv8a_scatter(const dpl_conv_transpose2d_s16_args *a);
/* weights: layout "groups_remainders" */
void dpl_conv_transpose2d_s8__armv8a_groups(const dpl_conv_transpose2d_s8_args *a);
/* weights: layout "groups_remainders" */
void dpl_conv_transpose2d_s16__armv8a_groups(const dpl_conv_transpose2d_s16_args *a);
/* weights: layout "deep_remainders" */
void dpl_conv_transpose2d_s8__armv8a_deep(const dpl_conv_transpose2d_s8_args *a);
/* weights: layout "deep_remainders" */
void dpl_conv_transpose2d_s16__armv8a_deep(const dpl_conv_transpose2d_s16_args *a);
/* weights: layout "planes_remainders" */
void dpl_conv_transpose2d_s8__armv8a_planes(const dpl_conv_transpose2d_s8_args *a);
/* weights: layout "planes_remainders" */
void dpl_conv_transpose2d_s16__armv8a_planes(const dpl_conv_transpose2d_s16_args *a);
/* weights: layout "x4c16_remainders" */
void dpl_conv_transpose2d_s8__armv8a(const dpl_conv_transpose2d_s8_args *a);
/* weights: layout "x8_remainders" */
void dpl_conv_transpose2d_s16__armv8a(const dpl_conv_transpose2d_s16_args *a);
/* weights: layout "x8_floats_remainders" */
void dpl_conv_transpose2d_f32__armv8a(const dpl_conv_transpose2d_f32_args *a);
void dpl_conv_transpose2d_f32__fp32(const dpl_conv_transpose2d_f32_args *a);

#endif
