/* Written by python -m deployer.codegen.kernel_headers. */
#ifndef DPL_TRANSPOSE_H
#define DPL_TRANSPOSE_H

#include "dpl/tensor.h"

/* Contiguous tensors of four axes (leading ones are 1): output axis i is input axis perm[i]. shape
 * is the output's; input_pitch[i] is the input's pitch, in elements, along output axis i. */
typedef struct {
    const int8_t *input;
    int8_t *output;
    int32_t shape[4];
    int32_t input_pitch[4];
} dpl_transpose_s8_args;

typedef struct {
    const int16_t *input;
    int16_t *output;
    int32_t shape[4];
    int32_t input_pitch[4];
} dpl_transpose_s16_args;

typedef struct {
    const float *input;
    float *output;
    int32_t shape[4];
    int32_t input_pitch[4];
} dpl_transpose_f32_args;

void dpl_transpose_s8__ref(const dpl_transpose_s8_args *a);
void dpl_transpose_s16__ref(const dpl_transpose_s16_args *a);
void dpl_transpose_s8__armv7em(const dpl_transpose_s8_args *a);
void dpl_transpose_s16__armv7em(const dpl_transpose_s16_args *a);
void dpl_transpose_s8__xpulpv2(const dpl_transpose_s8_args *a);
void dpl_transpose_s8__armv8a(const dpl_transpose_s8_args *a);
void dpl_transpose_s16__armv8a(const dpl_transpose_s16_args *a);
void dpl_transpose_f32__fp32(const dpl_transpose_f32_args *a);

#endif
