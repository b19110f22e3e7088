/* Layers whose input channels come a group at a time: int32 sums, requantized behind the last.
 * Written by python -m deployer.codegen.kernel_headers. */
#ifndef DPL_SUMS_H
#define DPL_SUMS_H

#include "dpl/requant.h"
#include "dpl/tensor.h"

/* Output: start, or where it has no data the bias, plus the products of the input. start is the
 * output of the group before, and may be the same memory. weights: OHWI of these input channels;
 * groups is 1. Any subset of the products, with or without the bias, fits int32 (the quantizer's).
 */
typedef struct {
    dpl_tensor_s8 input;
    dpl_tensor_s32 start;
    dpl_tensor_s32 output;
    const int8_t *weights;
    const int32_t *bias;
    dpl_window window;
    int32_t groups;
    int32_t input_zero;
} dpl_conv2d_sums_s8_s32_args;

typedef struct {
    dpl_tensor_s16 input;
    dpl_tensor_s32 start;
    dpl_tensor_s32 output;
    const int8_t *weights;
    const int32_t *bias;
    dpl_window window;
    int32_t groups;
    int32_t input_zero;
} dpl_conv2d_sums_s16_s32_args;

/* Each sum by its channel's entry. */
typedef struct {
    dpl_tensor_s32 input;
    dpl_tensor_s8 output;
    dpl_requant requant;
} dpl_requantize_s32_s8_args;

typedef struct {
    dpl_tensor_s32 input;
    dpl_tensor_s16 output;
    dpl_requant requant;
} dpl_requantize_s32_s16_args;

void dpl_conv2d_sums_s8_s32__ref(const dpl_conv2d_sums_s8_s32_args *a);
void dpl_requantize_s32_s8__ref(const dpl_requantize_s32_s8_args *a);
void dpl_conv2d_sums_s16_s32__ref(const dpl_conv2d_sums_s16_s32_args *a);
void dpl_requantize_s32_s16__ref(const dpl_requantize_s32_s16_args *a);
void dpl_requantize_s32_s8__armv8a(const dpl_requantize_s32_s8_args *a);
void dpl_requantize_s32_s16__armv8a(const dpl_requantize_s32_s16_args *a);

#endif
