/* Written by python -m deployer.codegen.kernel_headers. */
#ifndef DPL_RESIZE_H
#define DPL_RESIZE_H

#include "dpl/tensor.h"

/* Magnification by whole factors. Nearest: output o reads input (o + start) / factor, rounded down
 * and clamped to the tensor; a start is at least -factor. Linear, factors powers of two: with n = 2
 * o + 1 - factor (half_pixel) or 2 o, the two inputs are floor(n / 2 factor) and the next, clamped
 * to the tensor, weighted 2 factor - f and f for the remainder f; the sum of four is rounded half
 * up by shift = log2(4 * factor_height * factor_width). A part of the output begins at row top and
 * column left of the magnified input, which is then a part too. */
typedef struct {
    dpl_tensor_s8 input;
    dpl_tensor_s8 output;
    int32_t factor_height, factor_width;
    int32_t top, left;
    int32_t start_height, start_width;
    int32_t half_pixel;
    int32_t shift;
} dpl_resize_s8_args;

typedef struct {
    dpl_tensor_s16 input;
    dpl_tensor_s16 output;
    int32_t factor_height, factor_width;
    int32_t top, left;
    int32_t start_height, start_width;
    int32_t half_pixel;
    int32_t shift;
} dpl_resize_s16_args;

typedef struct {
    dpl_tensor_f32 input;
    dpl_tensor_f32 output;
    int32_t factor_height, factor_width;
    int32_t top, left;
    int32_t start_height, start_width;
    int32_t half_pixel;
    int32_t shift;
} dpl_resize_f32_args;

void dpl_resize_nearest_s8__ref(const dpl_resize_s8_args *a);
void dpl_resize_linear_s8__ref(const dpl_resize_s8_args *a);
void dpl_resize_nearest_s16__ref(const dpl_resize_s16_args *a);
void dpl_resize_linear_s16__ref(const dpl_resize_s16_args *a);
void dpl_resize_nearest_s8__armv7em(const dpl_resize_s8_args *a);
void dpl_resize_nearest_s16__armv7em(const dpl_resize_s16_args *a);
void dpl_resize_linear_s8__armv7em(const dpl_resize_s8_args *a);
void dpl_resize_linear_s16__armv7em(const dpl_resize_s16_args *a);
void dpl_resize_nearest_s8__xpulpv2(const dpl_resize_s8_args *a);
void dpl_resize_linear_s8__xpulpv2(const dpl_resize_s8_args *a);
void dpl_resize_nearest_s8__armv8a(const dpl_resize_s8_args *a);
void dpl_resize_linear_s8__armv8a(const dpl_resize_s8_args *a);
void dpl_resize_nearest_s16__armv8a(const dpl_resize_s16_args *a);
void dpl_resize_linear_s16__armv8a(const dpl_resize_s16_args *a);
void dpl_resize_linear_f32__armv8a(const dpl_resize_f32_args *a);
void dpl_resize_nearest_f32__fp32(const dpl_resize_f32_args *a);
void dpl_resize_linear_f32__fp32(const dpl_resize_f32_args *a);

#endif
