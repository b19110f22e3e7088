/* Layers of int16 activations through the user's own build of CMSIS-NN; nothing of it is in here.
 *
 * A convolution has biases of int32, with which the library is faster; depthwise and dense layers
 * take int64 only. */
#include "cmsis_nn.h"

static int convolve(const job *j, const int16_t *from, int16_t *to) {
    const cmsis_nn_dims in = input_of(j), out = output_of(j);
    const cmsis_nn_dims kernel = {j->out_channels, j->kernel_height, j->kernel_width,
                                  j->in_channels};
    const cmsis_nn_dims bias_dims = {1, 1, 1, j->out_channels};
    const cmsis_nn_bias_data bias = {at(j->bias), true};
    const cmsis_nn_conv_params params = conv_of(j);
    const cmsis_nn_per_channel_quant_params quant = per_channel(j);
    cmsis_nn_context context;
    if (!scratch_of(arm_convolve_wrapper_s16_get_buffer_size(&params, &in, &kernel, &out),
                    &context)) {
        return TOO_MUCH_SCRATCH;
    }
    return arm_convolve_wrapper_s16(&context, &params, &quant, &in, from, &kernel, at(j->weights),
                                    &bias_dims, &bias, &out, to);
}

static int depthwise(const job *j, const int16_t *from, int16_t *to) {
    const cmsis_nn_dims in = input_of(j), out = output_of(j);
    const cmsis_nn_dims kernel = {1, j->kernel_height, j->kernel_width, j->out_channels};
    const cmsis_nn_dims bias = {1, 1, 1, j->out_channels};
    const cmsis_nn_dw_conv_params params = depthwise_of(j);
    const cmsis_nn_per_channel_quant_params quant = per_channel(j);
    cmsis_nn_context context;
    if (!scratch_of(arm_depthwise_conv_wrapper_s16_get_buffer_size(&params, &in, &kernel, &out),
                    &context)) {
        return TOO_MUCH_SCRATCH;
    }
    return arm_depthwise_conv_wrapper_s16(&context, &params, &quant, &in, from, &kernel,
                                          at(j->weights), &bias, at(j->bias), &out, to);
}

static int dense(const job *j, const int16_t *from, int16_t *to) {
    const int32_t inputs = (int32_t)(j->in_bytes / sizeof(int16_t));
    const cmsis_nn_dims in = {1, 1, 1, inputs}, kernel = {inputs, 1, 1, j->out_channels};
    const cmsis_nn_dims out = {1, 1, 1, j->out_channels};
    const cmsis_nn_per_tensor_quant_params quant = {*(const int32_t *)at(j->multipliers),
                                                    *(const int32_t *)at(j->shifts)};
    const cmsis_nn_fc_params params = {.activation = {j->low, j->high}};
    cmsis_nn_context context;
    if (!scratch_of(arm_fully_connected_s16_get_buffer_size(&kernel), &context)) {
        return TOO_MUCH_SCRATCH;
    }
    return arm_fully_connected_s16(&context, &params, &quant, &in, from, &kernel, at(j->weights),
                                   &out, at(j->bias), &out, to);
}

static int pool(const job *j, const int16_t *from, int16_t *to) {
    const cmsis_nn_dims in = input_of(j), out = output_of(j);
    const cmsis_nn_dims window = {1, j->kernel_height, j->kernel_width, 1};
    const cmsis_nn_pool_params params = pool_of(j);
    cmsis_nn_context context;
    if (!scratch_of(arm_avgpool_s16_get_buffer_size(j->out_width, j->in_channels), &context)) {
        return TOO_MUCH_SCRATCH;
    }
    if (j->kind == AVERAGE) {
        return arm_avgpool_s16(&context, &params, &in, from, &window, &out, to);
    }
    return arm_max_pool_s16(&context, &params, &in, from, &window, &out, to);
}

static int add(const job *j, const int16_t *from, const int16_t *second, int16_t *to) {
    const int32_t *m = at(j->multipliers), *s = at(j->shifts);
    const int32_t left = 15; /* as TensorFlow Lite for int16 */
    return arm_elementwise_add_s16(from, second, 0, m[0], s[0], 0, m[1], s[1], left, to, 0, m[2],
                                   s[2], j->low, j->high,
                                   (int32_t)(j->out_bytes / sizeof(int16_t)));
}

static int multiply(const job *j, const int16_t *from, const int16_t *second, int16_t *to) {
    return arm_elementwise_mul_s16(from, second, 0, 0, to, 0, *(const int32_t *)at(j->multipliers),
                                   *(const int32_t *)at(j->shifts), j->low, j->high,
                                   (int32_t)(j->out_bytes / sizeof(int16_t)));
}

int run_wide(const job *j, const tensors *t) {
    const int16_t *from = (const int16_t *)t->from, *second = (const int16_t *)t->second;
    int16_t *to = (int16_t *)t->to;
    switch (j->kind) {
    case CONV: return convolve(j, from, to);
    case DEPTHWISE: return depthwise(j, from, to);
    case DENSE: return dense(j, from, to);
    case ADD: return add(j, from, second, to);
    case MUL: return multiply(j, from, second, to);
    case AVERAGE:
    case MAXIMUM: return pool(j, from, to);
    default: return UNKNOWN;
    }
}
