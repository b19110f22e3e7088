/* Written by python -m deployer.codegen.kernel_headers. */
#ifndef DPL_SOFTMAX_H
#define DPL_SOFTMAX_H

#include "dpl/tensor.h"

/* Softmax over the channels of each pixel. table: 256 entries of round(2^15 exp(-scale d)). levels
 * is 1 / output scale. */
typedef struct {
    dpl_tensor_s8 input;
    dpl_tensor_s8 output;
    const int32_t *table;
    int32_t levels;
    int32_t output_zero;
} dpl_softmax_s8_args;

typedef struct {
    dpl_tensor_f32 input;
    dpl_tensor_f32 output;
} dpl_softmax_f32_args;

void dpl_softmax_s8__ref(const dpl_softmax_s8_args *a);
void dpl_softmax_s8__armv7em_long(const dpl_softmax_s8_args *a);
void dpl_softmax_s8__armv7em(const dpl_softmax_s8_args *a);
void dpl_softmax_s8__xpulpv2(const dpl_softmax_s8_args *a);
void dpl_softmax_s8__armv8a(const dpl_softmax_s8_args *a);
void dpl_softmax_f32__fp32(const dpl_softmax_f32_args *a);

#endif
