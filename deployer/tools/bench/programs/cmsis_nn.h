/* A layer of the blob that the emulator loads, and the buffers its tensors lie in. */
#ifndef CMSIS_NN_JOB_H
#define CMSIS_NN_JOB_H
#include <stdbool.h>
#include <stdint.h>

#include "arm_nnfunctions.h"

#define BLOB ((const uint8_t *)0x60000000)
#define BUFFERS ((int8_t *)0x60C00000)
enum { BUFFER_BYTES = 0x80000, SECOND = 2, SCRATCH = 3, ROTATED = 4 };
/* Of the memory beside the caches; with BEHIND_CACHES a line each, and all else lies behind. */
#ifdef BEHIND_CACHES
enum { TIGHT_TENSORS = 32, TIGHT_SCRATCH = 32 };
#else
enum { TIGHT_TENSORS = 88 * 1024, TIGHT_SCRATCH = 24 * 1024 };
#endif
enum { CONV, DEPTHWISE, DENSE, ADD, AVERAGE, MAXIMUM, MUL, TRANSPOSED };
enum { TOO_MUCH_SCRATCH = 100, UNKNOWN = 101 };

typedef struct {
    int32_t kind, side; /* side: which buffer holds the input, 0 or 1 */
    int32_t in_height, in_width, in_channels, out_height, out_width, out_channels;
    int32_t kernel_height, kernel_width, stride_height, stride_width;
    int32_t dilation_height, dilation_width, pad_top, pad_left, groups, bits;
    int32_t in_offset, out_offset, low, high;
    /* bytes, and offsets into the blob; an Add has its three multipliers and shifts there */
    uint32_t in_bytes, out_bytes, input, second, weights, bias, multipliers, shifts;
} job;

/* Where a job's tensors lie: beside the caches if all of them fit there, as a planner has them. */
typedef struct {
    int8_t *from, *to, *second;
} tensors;

/* Scratch of so many bytes, beside the caches where it fits; false where nothing holds it. */
bool scratch_of(int32_t bytes, cmsis_nn_context *context);

static inline const void *at(uint32_t offset) {
    return BLOB + offset;
}

static inline cmsis_nn_per_channel_quant_params per_channel(const job *j) {
    return (cmsis_nn_per_channel_quant_params){(int32_t *)(uintptr_t)at(j->multipliers),
                                               (int32_t *)(uintptr_t)at(j->shifts)};
}

static inline cmsis_nn_dims input_of(const job *j) {
    return (cmsis_nn_dims){1, j->in_height, j->in_width, j->in_channels};
}

static inline cmsis_nn_dims output_of(const job *j) {
    return (cmsis_nn_dims){1, j->out_height, j->out_width, j->out_channels};
}

static inline cmsis_nn_conv_params conv_of(const job *j) {
    return (cmsis_nn_conv_params){.input_offset = j->in_offset,
                                  .output_offset = j->out_offset,
                                  .stride = {j->stride_width, j->stride_height},
                                  .padding = {j->pad_left, j->pad_top},
                                  .dilation = {j->dilation_width, j->dilation_height},
                                  .activation = {j->low, j->high}};
}

static inline cmsis_nn_dw_conv_params depthwise_of(const job *j) {
    return (cmsis_nn_dw_conv_params){.input_offset = j->in_offset,
                                     .output_offset = j->out_offset,
                                     .ch_mult = j->out_channels / j->in_channels,
                                     .stride = {j->stride_width, j->stride_height},
                                     .padding = {j->pad_left, j->pad_top},
                                     .dilation = {j->dilation_width, j->dilation_height},
                                     .activation = {j->low, j->high}};
}

static inline cmsis_nn_pool_params pool_of(const job *j) {
    return (cmsis_nn_pool_params){.stride = {j->stride_width, j->stride_height},
                                  .padding = {j->pad_left, j->pad_top},
                                  .activation = {j->low, j->high}};
}

/* A layer of int16 activations. */
int run_wide(const job *j, const tensors *t);
#endif
