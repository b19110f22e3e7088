/* Written by python -m deployer.codegen.kernel_headers. */
#ifndef DPL_ELEMENTWISE_H
#define DPL_ELEMENTWISE_H

#include "dpl/function.h"
#include "dpl/requant.h"
#include "dpl/tensor.h"

/* y = clamp((left * multiplier[0] + right * multiplier[1] + rounding) >> shift); the three tensors
 * have one shape. The zero points are those that are in rounding. */
typedef struct {
    dpl_tensor_s8 left;
    dpl_tensor_s8 right;
    dpl_tensor_s8 output;
    int32_t multiplier[2];
    int32_t rounding;
    int32_t shift;
    int32_t low, high;
    int32_t left_zero, right_zero, output_zero;
} dpl_add_s8_args;

typedef struct {
    dpl_tensor_s16 left;
    dpl_tensor_s16 right;
    dpl_tensor_s16 output;
    int32_t multiplier[2];
    int32_t rounding;
    int32_t shift;
    int32_t low, high;
    int32_t left_zero, right_zero, output_zero;
} dpl_add_s16_args;

/* y = left + sign * right within low and high; sign is 1 or -1. */
typedef struct {
    dpl_tensor_f32 left;
    dpl_tensor_f32 right;
    dpl_tensor_f32 output;
    float sign;
    float low, high;
} dpl_add_f32_args;

/* One multiplier for the tensor; the input's zero point is in the rounding constant. */
typedef struct {
    dpl_tensor_s8 input;
    dpl_tensor_s8 output;
    dpl_requant requant;
} dpl_rescale_s8_args;

typedef struct {
    dpl_tensor_s16 input;
    dpl_tensor_s16 output;
    dpl_requant requant;
} dpl_rescale_s16_args;

/* y = input within low and high. */
typedef struct {
    dpl_tensor_f32 input;
    dpl_tensor_f32 output;
    float low, high;
} dpl_rescale_f32_args;

typedef struct {
    dpl_tensor_s8 input;
    dpl_tensor_s16 output;
    dpl_requant requant;
} dpl_rescale_s8_s16_args;

typedef struct {
    dpl_tensor_s16 input;
    dpl_tensor_s8 output;
    dpl_requant requant;
} dpl_rescale_s16_s8_args;

/* Product: (left - left_zero) * (right - right_zero), then one requantization entry for the tensor.
 * right has the output's shape, or is one pixel that every pixel of left is multiplied by. Maximum:
 * the larger of left by the first entry and right by the entry channel_step further on. right has
 * the output's shape, the zero points are in the rounding. */
typedef struct {
    dpl_tensor_s8 left;
    dpl_tensor_s8 right;
    dpl_tensor_s8 output;
    int32_t left_zero, right_zero;
    dpl_requant requant;
} dpl_mul_s8_args;

typedef struct {
    dpl_tensor_s16 left;
    dpl_tensor_s16 right;
    dpl_tensor_s16 output;
    int32_t left_zero, right_zero;
    dpl_requant requant;
} dpl_mul_s16_args;

/* Product, or Maximum: the larger, within low and high. right as for integers. */
typedef struct {
    dpl_tensor_f32 left;
    dpl_tensor_f32 right;
    dpl_tensor_f32 output;
    float low, high;
} dpl_mul_f32_args;

/* input - input_zero, then entry 0 of the tables from zero up, entry 1 + first + channel below: the
 * tensors may be some channels of those the tables are for. */
typedef struct {
    dpl_tensor_s8 input;
    dpl_tensor_s8 output;
    int32_t input_zero;
    int32_t first;
    dpl_requant requant;
} dpl_prelu_s8_args;

typedef struct {
    dpl_tensor_s16 input;
    dpl_tensor_s16 output;
    int32_t input_zero;
    int32_t first;
    dpl_requant requant;
} dpl_prelu_s16_args;

/* input, below zero times the slope of its channel, within low and high. */
typedef struct {
    dpl_tensor_f32 input;
    dpl_tensor_f32 output;
    const float *slopes;
    float low, high;
} dpl_prelu_f32_args;

/* y = table[x + 128] */
typedef struct {
    dpl_tensor_s8 input;
    dpl_tensor_s8 output;
    const int8_t *table;
} dpl_table_s8_args;

/* 513 entries at every 128th input: with i = x + 32768, j = i >> 7 and f = i & 127, y = table[j] +
 * (((table[j + 1] - table[j]) * f + 64) >> 7) */
typedef struct {
    dpl_tensor_s16 input;
    dpl_tensor_s16 output;
    const int16_t *table;
} dpl_table_s16_args;

/* y = function(input) */
typedef struct {
    dpl_tensor_f32 input;
    dpl_tensor_f32 output;
    dpl_function function;
    float alpha, beta;
} dpl_table_f32_args;

void dpl_add_s8__ref(const dpl_add_s8_args *a);
void dpl_mul_s8__ref(const dpl_mul_s8_args *a);
void dpl_prelu_s8__ref(const dpl_prelu_s8_args *a);
void dpl_table_s8__ref(const dpl_table_s8_args *a);
void dpl_rescale_s8__ref(const dpl_rescale_s8_args *a);
void dpl_maximum_s8__ref(const dpl_mul_s8_args *a);
void dpl_add_s16__ref(const dpl_add_s16_args *a);
void dpl_mul_s16__ref(const dpl_mul_s16_args *a);
void dpl_prelu_s16__ref(const dpl_prelu_s16_args *a);
void dpl_table_s16__ref(const dpl_table_s16_args *a);
void dpl_rescale_s16__ref(const dpl_rescale_s16_args *a);
void dpl_rescale_s8_s16__ref(const dpl_rescale_s8_s16_args *a);
void dpl_rescale_s16_s8__ref(const dpl_rescale_s16_s8_args *a);
void dpl_add_s8__armv7em(const dpl_add_s8_args *a);
void dpl_mul_s8__armv7em(const dpl_mul_s8_args *a);
void dpl_mul_s16__armv7em(const dpl_mul_s16_args *a);
void dpl_maximum_s8__armv7em(const dpl_mul_s8_args *a);
void dpl_table_s8__armv7em(const dpl_table_s8_args *a);
void dpl_table_s16__armv7em(const dpl_table_s16_args *a);
void dpl_rescale_s8__armv7em(const dpl_rescale_s8_args *a);
void dpl_rescale_s16__armv7em(const dpl_rescale_s16_args *a);
void dpl_rescale_s8_s16__armv7em(const dpl_rescale_s8_s16_args *a);
void dpl_rescale_s16_s8__armv7em(const dpl_rescale_s16_s8_args *a);
void dpl_prelu_s8__armv7em(const dpl_prelu_s8_args *a);
void dpl_prelu_s16__armv7em(const dpl_prelu_s16_args *a);
void dpl_add_s16__armv7em(const dpl_add_s16_args *a);
void dpl_add_s8__cmsis_nn(const dpl_add_s8_args *a);
void dpl_mul_s8__cmsis_nn(const dpl_mul_s8_args *a);
void dpl_add_s8__xpulpv2(const dpl_add_s8_args *a);
void dpl_add_s16__xpulpv2(const dpl_add_s16_args *a);
void dpl_mul_s8__xpulpv2(const dpl_mul_s8_args *a);
void dpl_table_s8__xpulpv2(const dpl_table_s8_args *a);
void dpl_rescale_s8__xpulpv2(const dpl_rescale_s8_args *a);
void dpl_prelu_s8__xpulpv2(const dpl_prelu_s8_args *a);
void dpl_add_s8__armv8a(const dpl_add_s8_args *a);
void dpl_mul_s8__armv8a(const dpl_mul_s8_args *a);
void dpl_prelu_s8__armv8a(const dpl_prelu_s8_args *a);
void dpl_table_s8__armv8a(const dpl_table_s8_args *a);
void dpl_rescale_s8__armv8a(const dpl_rescale_s8_args *a);
void dpl_maximum_s8__armv8a(const dpl_mul_s8_args *a);
void dpl_add_s16__armv8a(const dpl_add_s16_args *a);
void dpl_mul_s16__armv8a(const dpl_mul_s16_args *a);
void dpl_prelu_s16__armv8a(const dpl_prelu_s16_args *a);
void dpl_table_s16__armv8a(const dpl_table_s16_args *a);
void dpl_rescale_s16__armv8a(const dpl_rescale_s16_args *a);
void dpl_rescale_s8_s16__armv8a(const dpl_rescale_s8_s16_args *a);
void dpl_rescale_s16_s8__armv8a(const dpl_rescale_s16_s8_args *a);
void dpl_add_f32__armv8a(const dpl_add_f32_args *a);
void dpl_mul_f32__armv8a(const dpl_mul_f32_args *a);
void dpl_maximum_f32__armv8a(const dpl_mul_f32_args *a);
void dpl_prelu_f32__armv8a(const dpl_prelu_f32_args *a);
void dpl_function_f32__armv8a(const dpl_table_f32_args *a);
void dpl_bound_f32__armv8a(const dpl_rescale_f32_args *a);
void dpl_add_f32__fp32(const dpl_add_f32_args *a);
void dpl_mul_f32__fp32(const dpl_mul_f32_args *a);
void dpl_maximum_f32__fp32(const dpl_mul_f32_args *a);
void dpl_prelu_f32__fp32(const dpl_prelu_f32_args *a);
void dpl_function_f32__fp32(const dpl_table_f32_args *a);
void dpl_bound_f32__fp32(const dpl_rescale_f32_args *a);

#endif
