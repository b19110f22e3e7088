/* Written by python -m deployer.codegen.kernel_headers. */
#ifndef DPL_FULLY_CONNECTED_H
#define DPL_FULLY_CONNECTED_H

#include "dpl/requant.h"
#include "dpl/tensor.h"

/* weights: OI. Input and output are rank 2: one pixel of channels. */
typedef struct {
    dpl_tensor_s8 input;
    dpl_tensor_s8 output;
    const int8_t *weights;
    const int32_t *bias;
    dpl_requant requant;
    void *scratch;
} dpl_fully_connected_s8_args;

typedef struct {
    dpl_tensor_s16 input;
    dpl_tensor_s16 output;
    const int8_t *weights;
    const int32_t *bias;
    dpl_requant requant;
    void *scratch;
} dpl_fully_connected_s16_args;

typedef struct {
    dpl_tensor_f32 input;
    dpl_tensor_f32 output;
    const float *weights;
    const float *bias;
    float low, high;
    void *scratch;
} dpl_fully_connected_f32_args;

void dpl_fully_connected_s8__ref(const dpl_fully_connected_s8_args *a);
void dpl_fully_connected_s16__ref(const dpl_fully_connected_s16_args *a);
/* weights: layout "x8c4" */
void dpl_fully_connected_s8__armv7em(const dpl_fully_connected_s8_args *a);
/* weights: layout "x8c4_chunks" */
void dpl_fully_connected_s8__armv7em_long(const dpl_fully_connected_s8_args *a);
/* weights: layout "x4c4_paired" */
void dpl_fully_connected_s16__armv7em(const dpl_fully_connected_s16_args *a);
/* weights: layout "cmsis_nn" */
void dpl_fully_connected_s8__cmsis_nn(const dpl_fully_connected_s8_args *a);
/* weights: layout "x4c4" */
void dpl_fully_connected_s8__xpulpv2(const dpl_fully_connected_s8_args *a);
/* weights: layout "x4c4_halves" */
void dpl_fully_connected_s16__xpulpv2(const dpl_fully_connected_s16_args *a);
/* weights: layout "x8c16" */
void dpl_fully_connected_s8__armv8a(const dpl_fully_connected_s8_args *a);
/* weights: layout "x8" */
void dpl_fully_connected_s16__armv8a(const dpl_fully_connected_s16_args *a);
/* weights: layout "x16_floats" */
void dpl_fully_connected_f32__armv8a(const dpl_fully_connected_f32_args *a);
void dpl_fully_connected_f32__fp32(const dpl_fully_connected_f32_args *a);

#endif
