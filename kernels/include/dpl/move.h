/* Elements moved, not changed. Written by python -m deployer.codegen.kernel_headers. */
#ifndef DPL_MOVE_H
#define DPL_MOVE_H

#include "dpl/tensor.h"

/* Input and output are windows of one shape: a Slice reads a window of its source. */
typedef struct {
    dpl_tensor_s8 input;
    dpl_tensor_s8 output;
} dpl_copy_s8_args;

typedef struct {
    dpl_tensor_s16 input;
    dpl_tensor_s16 output;
} dpl_copy_s16_args;

typedef struct {
    dpl_tensor_f32 input;
    dpl_tensor_f32 output;
} dpl_copy_f32_args;

/* The output is value everywhere but in the window of the input's shape at (top, left, channel),
 * rows and columns of which may lie beyond it. */
typedef struct {
    dpl_tensor_s8 input;
    dpl_tensor_s8 output;
    int32_t top, left, channel;
    int32_t value;
} dpl_pad_s8_args;

typedef struct {
    dpl_tensor_s16 input;
    dpl_tensor_s16 output;
    int32_t top, left, channel;
    int32_t value;
} dpl_pad_s16_args;

typedef struct {
    dpl_tensor_f32 input;
    dpl_tensor_f32 output;
    int32_t top, left, channel;
    float value;
} dpl_pad_f32_args;

/* DepthToSpace: pixel (y, x) of depth becomes block * block pixels of space. SpaceToDepth is the
 * way back. column_first: input channel is c * block * block + i * block + j (ONNX's CRD), else (i
 * * block + j) * channels + c. A part of space begins at row top and column left of the blocks that
 * the part of depth makes; SpaceToDepth has whole blocks. */
typedef struct {
    dpl_tensor_s8 input;
    dpl_tensor_s8 output;
    int32_t block;
    int32_t top, left;
    int32_t column_first;
} dpl_block_s8_args;

typedef struct {
    dpl_tensor_s16 input;
    dpl_tensor_s16 output;
    int32_t block;
    int32_t top, left;
    int32_t column_first;
} dpl_block_s16_args;

typedef struct {
    dpl_tensor_f32 input;
    dpl_tensor_f32 output;
    int32_t block;
    int32_t top, left;
    int32_t column_first;
} dpl_block_f32_args;

void dpl_copy_s8__ref(const dpl_copy_s8_args *a);
void dpl_pad_s8__ref(const dpl_pad_s8_args *a);
void dpl_depth_to_space_s8__ref(const dpl_block_s8_args *a);
void dpl_space_to_depth_s8__ref(const dpl_block_s8_args *a);
void dpl_copy_s16__ref(const dpl_copy_s16_args *a);
void dpl_pad_s16__ref(const dpl_pad_s16_args *a);
void dpl_depth_to_space_s16__ref(const dpl_block_s16_args *a);
void dpl_space_to_depth_s16__ref(const dpl_block_s16_args *a);
void dpl_copy_s8__armv7em(const dpl_copy_s8_args *a);
void dpl_pad_s8__armv7em(const dpl_pad_s8_args *a);
void dpl_depth_to_space_s8__armv7em(const dpl_block_s8_args *a);
void dpl_space_to_depth_s8__armv7em(const dpl_block_s8_args *a);
void dpl_copy_s16__armv7em(const dpl_copy_s16_args *a);
void dpl_pad_s16__armv7em(const dpl_pad_s16_args *a);
void dpl_depth_to_space_s16__armv7em(const dpl_block_s16_args *a);
void dpl_space_to_depth_s16__armv7em(const dpl_block_s16_args *a);
void dpl_copy_s8__xpulpv2(const dpl_copy_s8_args *a);
void dpl_pad_s8__xpulpv2(const dpl_pad_s8_args *a);
void dpl_depth_to_space_s8__xpulpv2(const dpl_block_s8_args *a);
void dpl_space_to_depth_s8__xpulpv2(const dpl_block_s8_args *a);
void dpl_copy_s8__armv8a(const dpl_copy_s8_args *a);
void dpl_pad_s8__armv8a(const dpl_pad_s8_args *a);
void dpl_depth_to_space_s8__armv8a(const dpl_block_s8_args *a);
void dpl_space_to_depth_s8__armv8a(const dpl_block_s8_args *a);
void dpl_copy_s16__armv8a(const dpl_copy_s16_args *a);
void dpl_pad_s16__armv8a(const dpl_pad_s16_args *a);
void dpl_depth_to_space_s16__armv8a(const dpl_block_s16_args *a);
void dpl_space_to_depth_s16__armv8a(const dpl_block_s16_args *a);
void dpl_copy_f32__fp32(const dpl_copy_f32_args *a);
void dpl_pad_f32__fp32(const dpl_pad_f32_args *a);
void dpl_depth_to_space_f32__fp32(const dpl_block_f32_args *a);
void dpl_space_to_depth_f32__fp32(const dpl_block_f32_args *a);

#endif
