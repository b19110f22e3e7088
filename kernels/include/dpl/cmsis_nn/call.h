/* From argument structs to those of CMSIS-NN, whose header the user's build brings along. Tensors
 * are contiguous. */
#ifndef DPL_CMSIS_NN_CALL_H
#define DPL_CMSIS_NN_CALL_H

#include "arm_nnfunctions.h"
#include "dpl/requant.h"
#include "dpl/tensor.h"

/* Layout "cmsis_nn": the output's zero point, then for each channel the bias, the multiplier and
 * the shift as the library has it, then the weights. */
typedef struct {
    int32_t output_zero;
    const int32_t *bias;
    cmsis_nn_per_channel_quant_params quant;
    const int8_t *weights;
} cmsis_nn_parameters;

static inline cmsis_nn_parameters parameters_of(const int8_t *packed, int32_t channels) {
    int32_t *words = (int32_t *)(void *)(uintptr_t)packed; /* the library only reads them */
    int32_t *bias = words + 1, *multiplier = bias + channels, *shift = multiplier + channels;
    const cmsis_nn_parameters found = {
        *words, bias, {multiplier, shift}, (const int8_t *)(shift + channels)};
    return found;
}

static inline cmsis_nn_dims dims_of(const dpl_tensor_s8 *t) {
    const cmsis_nn_dims dims = {1, t->height, t->width, t->channels};
    return dims;
}

/* The wrappers ask for no size: the caller has as much as the kernel's entry says. */
static inline cmsis_nn_context context_of(void *scratch) {
    const cmsis_nn_context context = {scratch, 0};
    return context;
}

static inline cmsis_nn_tile stride_of(const dpl_window *w) {
    const cmsis_nn_tile tile = {w->stride_width, w->stride_height};
    return tile;
}

/* What is beyond the right and lower side follows from the sizes of the tensors. */
static inline cmsis_nn_tile padding_of(const dpl_window *w) {
    const cmsis_nn_tile tile = {w->pads.left, w->pads.top};
    return tile;
}

static inline cmsis_nn_tile dilation_of(const dpl_window *w) {
    const cmsis_nn_tile tile = {w->dilation_width, w->dilation_height};
    return tile;
}

static inline cmsis_nn_activation activation_of(const dpl_requant *q) {
    const cmsis_nn_activation activation = {q->low, q->high};
    return activation;
}

#endif
