/* Written by python -m deployer.codegen.kernel_headers. */
#ifndef DPL_NORM_H
#define DPL_NORM_H

#include "dpl/requant.h"
#include "dpl/tensor.h"

/* Numbers less their mean, over their standard deviation, as int16 with fraction bits, times the
 * scale of a channel, plus its offset, then one requantization entry for the tensor. LayerNorm: the
 * channels of a pixel are normalized together. GroupNorm: all pixels of each of groups equal parts
 * of the channels. epsilon: 64 bits, the low ones first, added to the variance times the square of
 * how many are normalized together. */
typedef struct {
    dpl_tensor_s8 input;
    dpl_tensor_s8 output;
    const int16_t *scale;
    const int32_t *offset;
    int32_t groups;
    int32_t fraction;
    uint32_t epsilon[2];
    dpl_requant requant;
} dpl_norm_s8_args;

/* As for integers; epsilon is added to the variance. */
typedef struct {
    dpl_tensor_f32 input;
    dpl_tensor_f32 output;
    const float *scale;
    const float *offset;
    int32_t groups;
    float epsilon;
    float low, high;
} dpl_norm_f32_args;

void dpl_layer_norm_s8__ref(const dpl_norm_s8_args *a);
void dpl_group_norm_s8__ref(const dpl_norm_s8_args *a);
void dpl_layer_norm_s8__armv7em(const dpl_norm_s8_args *a);
void dpl_group_norm_s8__armv7em(const dpl_norm_s8_args *a);
void dpl_layer_norm_s8__xpulpv2(const dpl_norm_s8_args *a);
void dpl_layer_norm_s8__armv8a(const dpl_norm_s8_args *a);
void dpl_group_norm_s8__armv8a(const dpl_norm_s8_args *a);
void dpl_layer_norm_f32__fp32(const dpl_norm_f32_args *a);
void dpl_group_norm_f32__fp32(const dpl_norm_f32_args *a);

#endif
