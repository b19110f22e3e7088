#ifndef DPL_DEPTHWISE_CONV2D_H
#define DPL_DEPTHWISE_CONV2D_H

#include "dpl/requant.h"
#include "dpl/tensor.h"

/* weights: HWC with C = output.channels = multiplier * input.channels; output channel c reads
 * input channel c / multiplier. */
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

/* The same of int16 tensors, whose zero point is 0; the weights stay int8. */
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

void dpl_depthwise_conv2d_s8__ref(const dpl_depthwise_conv2d_s8_args *a);
void dpl_depthwise_conv2d_s16__ref(const dpl_depthwise_conv2d_s16_args *a);
/* weights: layout "taps_3x3" */
void dpl_depthwise_conv2d_s8__armv7em_3x3(const dpl_depthwise_conv2d_s8_args *a);
/* the IR's order of weights; multiplier 1, no dilation, stride_width 1 or 2 */
void dpl_depthwise_conv2d_s8__armv7em(const dpl_depthwise_conv2d_s8_args *a);
void dpl_depthwise_conv2d_s16__armv7em(const dpl_depthwise_conv2d_s16_args *a);
/* weights: layout "depthwise" */
void dpl_depthwise_conv2d_s8__xpulpv2(const dpl_depthwise_conv2d_s8_args *a);
/* The same for 3x3, stride 1 or 2, multiplier 1, rules i32 and shift, of an input that lies channel
 * after channel: pixel_pitch is the distance from a channel's plane to the next one's, row_pitch
 * that of its rows, whose pixels are neighbours; no ring. What lies between the rows, and the pads
 * before the first row and behind the last one, is the kernel's to write: row_pitch is at least the
 * width and the larger of the pads left and right, and planes are as far apart as their pads need.
 */
void dpl_depthwise_conv2d_s8__xpulpv2_planar(const dpl_depthwise_conv2d_s8_args *a);
/* weights: layout "cmsis_nn" */
void dpl_depthwise_conv2d_s8__cmsis_nn(const dpl_depthwise_conv2d_s8_args *a);

#endif
