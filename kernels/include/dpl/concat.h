#ifndef DPL_CONCAT_H
#define DPL_CONCAT_H

#include "dpl/requant.h"
#include "dpl/tensor.h"

/* One input and the part of the output it fills, a window of the same shape. */
typedef struct {
    dpl_tensor_s8 input;
    dpl_tensor_s8 output;
} dpl_concat_part;

/* Entry i of the requantization tables serves part i (channel_step 0: one entry serves all). */
typedef struct {
    const dpl_concat_part *parts;
    int32_t count;
    dpl_requant requant;
} dpl_concat_s8_args;

void dpl_concat_s8__ref(const dpl_concat_s8_args *a);

#endif
