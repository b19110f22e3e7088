#ifndef DPL_ELEMENTWISE_H
#define DPL_ELEMENTWISE_H

#include "dpl/requant.h"
#include "dpl/tensor.h"

/* y = clamp((left * multiplier[0] + right * multiplier[1] + rounding) >> shift); the three tensors
 * have one shape. */
typedef struct {
    dpl_tensor_s8 left;
    dpl_tensor_s8 right;
    dpl_tensor_s8 output;
    int32_t multiplier[2];
    int32_t rounding;
    int32_t shift;
    int32_t low, high;
} dpl_add_s8_args;

/* One multiplier for the tensor; the input's zero point is in the rounding constant. */
typedef struct {
    dpl_tensor_s8 input;
    dpl_tensor_s8 output;
    dpl_requant requant;
} dpl_rescale_s8_args;

void dpl_add_s8__ref(const dpl_add_s8_args *a);
void dpl_rescale_s8__ref(const dpl_rescale_s8_args *a);

#endif
