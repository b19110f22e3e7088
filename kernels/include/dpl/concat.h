/* Written by python -m deployer.codegen.kernel_headers. */
#ifndef DPL_CONCAT_H
#define DPL_CONCAT_H

#include "dpl/requant.h"
#include "dpl/tensor.h"

/* A part is an input and the window of the output that it fills, of the same shape. Entry i of the
 * requantization tables serves part i (channel_step 0: one entry serves all). */
typedef struct {
    dpl_tensor_s8 input;
    dpl_tensor_s8 output;
} dpl_concat_part;

typedef struct {
    const dpl_concat_part *parts;
    int32_t count;
    dpl_requant requant;
} dpl_concat_s8_args;

typedef struct {
    dpl_tensor_s16 input;
    dpl_tensor_s16 output;
} dpl_concat_part_s16;

typedef struct {
    const dpl_concat_part_s16 *parts;
    int32_t count;
    dpl_requant requant;
} dpl_concat_s16_args;

typedef struct {
    dpl_tensor_f32 input;
    dpl_tensor_f32 output;
} dpl_concat_part_f32;

typedef struct {
    const dpl_concat_part_f32 *parts;
    int32_t count;
} dpl_concat_f32_args;

void dpl_concat_s8__ref(const dpl_concat_s8_args *a);
void dpl_concat_s16__ref(const dpl_concat_s16_args *a);
void dpl_concat_s8__armv7em(const dpl_concat_s8_args *a);
void dpl_concat_s16__armv7em(const dpl_concat_s16_args *a);
void dpl_concat_s8__xpulpv2(const dpl_concat_s8_args *a);
void dpl_concat_s8__armv8a(const dpl_concat_s8_args *a);
void dpl_concat_s16__armv8a(const dpl_concat_s16_args *a);
void dpl_concat_f32__fp32(const dpl_concat_f32_args *a);

#endif
