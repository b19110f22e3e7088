/* ConvTranspose2d by CMSIS-NN, which rotates the weights of deep layers in scratch. */
#include "dpl/conv_transpose2d.h"

#include "dpl/cmsis_nn/call.h"

/* Behind the rotated weights lies what the convolution itself needs. */
static int8_t *behind_weights(const dpl_conv_transpose2d_s8_args *a) {
    const int32_t weights =
        a->output.channels * a->window.kernel_height * a->window.kernel_width * a->input.channels;
    return (int8_t *)a->scratch + (weights + 3) / 4 * 4;
}

void dpl_conv_transpose2d_s8__cmsis_nn(const dpl_conv_transpose2d_s8_args *a) {
    const cmsis_nn_dims in = dims_of(&a->input), out = dims_of(&a->output);
    const cmsis_nn_parameters p = parameters_of(a->weights, out.c);
    const cmsis_nn_dims kernel = {out.c, a->window.kernel_height, a->window.kernel_width, in.c};
    const cmsis_nn_dims bias = {1, 1, 1, out.c};
    const cmsis_nn_transpose_conv_params params = {.input_offset = -a->input_zero,
                                                   .output_offset = p.output_zero,
                                                   .stride = stride_of(&a->window),
                                                   .padding = padding_of(&a->window),
                                                   .dilation = dilation_of(&a->window),
                                                   .activation = activation_of(&a->requant)};
    const int32_t rotated =
        arm_transpose_conv_s8_get_reverse_conv_buffer_size(&params, &in, &kernel);
    const cmsis_nn_context reverse = context_of(a->scratch);
    const cmsis_nn_context context = context_of(rotated > 0 ? behind_weights(a) : a->scratch);
    (void)arm_transpose_conv_wrapper_s8(&context, &reverse, &params, &p.quant, &in, a->input.data,
                                        &kernel, p.weights, &bias, p.bias, &out, a->output.data);
}
