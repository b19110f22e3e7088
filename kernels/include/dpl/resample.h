/* Written by python -m deployer.codegen.kernel_headers. */
#ifndef DPL_RESAMPLE_H
#define DPL_RESAMPLE_H

#include "dpl/tensor.h"

/* Along axis 0, rows, or 1, columns, output o is the sum of taps inputs from starts[o] on, times
 * the weights of row o, which add up to 2^14, rounded half up by 2^14. */
typedef struct {
    dpl_tensor_s8 input;
    dpl_tensor_s8 output;
    const int16_t *weights;
    const int32_t *starts;
    int32_t taps;
    int32_t axis;
} dpl_resample_s8_args;

typedef struct {
    dpl_tensor_s16 input;
    dpl_tensor_s16 output;
    const int16_t *weights;
    const int32_t *starts;
    int32_t taps;
    int32_t axis;
} dpl_resample_s16_args;

/* As for integers; weights add up to 1, starts are whole numbers. */
typedef struct {
    dpl_tensor_f32 input;
    dpl_tensor_f32 output;
    const float *weights;
    const float *starts;
    int32_t taps;
    int32_t axis;
} dpl_resample_f32_args;

void dpl_resample_s8__ref(const dpl_resample_s8_args *a);
void dpl_resample_s16__ref(const dpl_resample_s16_args *a);
void dpl_resample_f32__fp32(const dpl_resample_f32_args *a);

#endif
