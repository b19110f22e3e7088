/* Conv2d by CMSIS-NN. */
#include "dpl/conv2d.h"

#include "dpl/cmsis_nn/call.h"

void dpl_conv2d_s8__cmsis_nn(const dpl_conv2d_s8_args *a) {
    const cmsis_nn_dims in = dims_of(&a->input), out = dims_of(&a->output);
    const cmsis_nn_parameters p = parameters_of(a->weights, out.c);
    const cmsis_nn_dims kernel = {out.c, a->window.kernel_height, a->window.kernel_width,
                                  in.c / a->groups};
    const cmsis_nn_dims bias = {1, 1, 1, out.c};
    const cmsis_nn_conv_params params = {.input_offset = -a->input_zero,
                                         .output_offset = p.output_zero,
                                         .stride = stride_of(&a->window),
                                         .padding = padding_of(&a->window),
                                         .dilation = dilation_of(&a->window),
                                         .activation = activation_of(&a->requant)};
    const cmsis_nn_context context = context_of(a->scratch);
    (void)arm_convolve_wrapper_s8(&context, &params, &p.quant, &in, a->input.data, &kernel,
                                  p.weights, &bias, p.bias, &out, a->output.data);
}
