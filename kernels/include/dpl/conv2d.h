/* Written by python -m deployer.codegen.kernel_headers. */
#ifndef DPL_CONV2D_H
#define DPL_CONV2D_H

#include "dpl/requant.h"
#include "dpl/tensor.h"

/* weights: OHWI, I = input.channels / groups. bias: int32 per output channel, the input's zero
 * point folded in. A padded tap reads input_zero. scratch: as many bytes as the kernel's entry asks
 * for. */
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
} dpl_conv2d_s8_args;

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
} dpl_conv2d_s16_args;

/* Output: bias and products, no less than low and no more than high. A padded tap adds nothing. */
typedef struct {
    dpl_tensor_f32 input;
    dpl_tensor_f32 output;
    const float *weights;
    const float *bias;
    dpl_window window;
    int32_t groups;
    float low, high;
    void *scratch;
} dpl_conv2d_f32_args;

void dpl_conv2d_s8__ref(const dpl_conv2d_s8_args *a);
void dpl_conv2d_s16__ref(const dpl_conv2d_s16_args *a);
void dpl_conv2d_s8__armv7em_channel(const dpl_conv2d_s8_args *a);
void dpl_conv2d_s16__armv7em_channel(const dpl_conv2d_s16_args *a);
/* weights: layout "winograd" */
void dpl_conv2d_s8__armv7em_winograd(const dpl_conv2d_s8_args *a);
/* weights: layout "x2c4_taps_ordered" */
void dpl_conv2d_s16__armv7em_direct(const dpl_conv2d_s16_args *a);
/* weights: layout "x2c4_taps_ordered" */
void dpl_conv2d_s8__armv7em_halves(const dpl_conv2d_s8_args *a);
/* weights: layout "x1c4_taps" */
void dpl_conv2d_s8__armv7em_singles(const dpl_conv2d_s8_args *a);
/* weights: layout "x2c4" */
void dpl_conv2d_s8__armv7em_1x1(const dpl_conv2d_s8_args *a);
void dpl_conv2d_s8__armv7em_planes(const dpl_conv2d_s8_args *a);
void dpl_conv2d_s16__armv7em_planes(const dpl_conv2d_s16_args *a);
/* weights: layout "x2c4_rows" */
void dpl_conv2d_s8__armv7em_rows(const dpl_conv2d_s8_args *a);
/* weights: layout "x2c4" */
void dpl_conv2d_s8__armv7em(const dpl_conv2d_s8_args *a);
/* weights: layout "x2c4_parts" */
void dpl_conv2d_s8__armv7em_groups(const dpl_conv2d_s8_args *a);
/* weights: layout "x2c4" */
void dpl_conv2d_s8__armv7em_triple(const dpl_conv2d_s8_args *a);
/* weights: layout "x2c4" */
void dpl_conv2d_s8__armv7em_bytes(const dpl_conv2d_s8_args *a);
/* weights: layout "x2c4" */
void dpl_conv2d_s8__armv7em_direct(const dpl_conv2d_s8_args *a);
/* weights: layout "x2c4_ordered" */
void dpl_conv2d_s16__armv7em_1x1(const dpl_conv2d_s16_args *a);
/* weights: layout "x2c4_rows_ordered" */
void dpl_conv2d_s16__armv7em_rows(const dpl_conv2d_s16_args *a);
/* weights: layout "x2c4_ordered" */
void dpl_conv2d_s16__armv7em(const dpl_conv2d_s16_args *a);
/* weights: layout "x2c4_parts_ordered" */
void dpl_conv2d_s16__armv7em_groups(const dpl_conv2d_s16_args *a);
/* weights: layout "cmsis_nn" */
void dpl_conv2d_s8__cmsis_nn(const dpl_conv2d_s8_args *a);
/* weights: layout "x4c4" */
void dpl_conv2d_s8__xpulpv2_pixel(const dpl_conv2d_s8_args *a);
/* weights: layout "x4c4_column" */
void dpl_conv2d_s8__xpulpv2_column(const dpl_conv2d_s8_args *a);
/* weights: layout "x4c4_runs" */
void dpl_conv2d_s8__xpulpv2(const dpl_conv2d_s8_args *a);
/* weights: layout "x4c4_runs" */
void dpl_conv2d_s8__xpulpv2_blocked(const dpl_conv2d_s8_args *a);
/* weights: layout "x4c4_runs" */
void dpl_conv2d_s8__xpulpv2_interior(const dpl_conv2d_s8_args *a);
/* weights: layout "x4c2_runs" */
void dpl_conv2d_s16__xpulpv2(const dpl_conv2d_s16_args *a);
/* weights: layout "outputs" */
void dpl_conv2d_s8__armv8a_outputs(const dpl_conv2d_s8_args *a);
/* weights: layout "outputs" */
void dpl_conv2d_s16__armv8a_outputs(const dpl_conv2d_s16_args *a);
/* weights: layout "groups" */
void dpl_conv2d_s8__armv8a_groups(const dpl_conv2d_s8_args *a);
/* weights: layout "groups" */
void dpl_conv2d_s16__armv8a_groups(const dpl_conv2d_s16_args *a);
/* weights: layout "deep" */
void dpl_conv2d_s8__armv8a_deep(const dpl_conv2d_s8_args *a);
/* weights: layout "deep" */
void dpl_conv2d_s16__armv8a_deep(const dpl_conv2d_s16_args *a);
/* weights: layout "planes" */
void dpl_conv2d_s8__armv8a_planes(const dpl_conv2d_s8_args *a);
/* weights: layout "planes" */
void dpl_conv2d_s16__armv8a_planes(const dpl_conv2d_s16_args *a);
/* weights: layout "x8_winograd" */
void dpl_conv2d_s8__armv8a_winograd(const dpl_conv2d_s8_args *a);
/* weights: layout "x4c16" */
void dpl_conv2d_s8__armv8a(const dpl_conv2d_s8_args *a);
/* weights: layout "x8" */
void dpl_conv2d_s16__armv8a(const dpl_conv2d_s16_args *a);
/* weights: layout "x8_floats" */
void dpl_conv2d_f32__armv8a(const dpl_conv2d_f32_args *a);
void dpl_conv2d_f32__fp32(const dpl_conv2d_f32_args *a);

#endif
