/* Written by python -m deployer.codegen.kernel_headers. */
#ifndef DPL_MATMUL_H
#define DPL_MATMUL_H

#include "dpl/requant.h"
#include "dpl/tensor.h"

/* Pixel (y, x) of the output has the products of pixel (y, x) of left with each pixel of row y of
 * right, summed over their channels, then one requantization entry for the tensor. */
typedef struct {
    dpl_tensor_s8 left;
    dpl_tensor_s8 right;
    dpl_tensor_s8 output;
    int32_t left_zero, right_zero;
    dpl_requant requant;
    void *scratch;
} dpl_matmul_s8_args;

/* As for integers, each sum times scale, within low and high. */
typedef struct {
    dpl_tensor_f32 left;
    dpl_tensor_f32 right;
    dpl_tensor_f32 output;
    float scale;
    float low, high;
    void *scratch;
} dpl_matmul_f32_args;

void dpl_matmul_s8__ref(const dpl_matmul_s8_args *a);
void dpl_matmul_s8__armv7em(const dpl_matmul_s8_args *a);
void dpl_matmul_s8__xpulpv2(const dpl_matmul_s8_args *a);
void dpl_matmul_s8__armv8a(const dpl_matmul_s8_args *a);
void dpl_matmul_f32__armv8a(const dpl_matmul_f32_args *a);
void dpl_matmul_f32__fp32(const dpl_matmul_f32_args *a);

#endif
