/* FullyConnected by CMSIS-NN. The input's zero point is in the bias, so nothing is added to it. */
#include "dpl/fully_connected.h"

#include "dpl/cmsis_nn/call.h"

void dpl_fully_connected_s8__cmsis_nn(const dpl_fully_connected_s8_args *a) {
    const cmsis_nn_dims in = {1, 1, 1, a->input.channels}, out = {1, 1, 1, a->output.channels};
    const cmsis_nn_parameters p = parameters_of(a->weights, out.c);
    const cmsis_nn_dims kernel = {in.c, 1, 1, out.c};
    const cmsis_nn_fc_params params = {.output_offset = p.output_zero,
                                       .activation = activation_of(&a->requant)};
    const cmsis_nn_context context = context_of(a->scratch);
    (void)arm_fully_connected_per_channel_s8(&context, &params, &p.quant, &in, a->input.data,
                                             &kernel, p.weights, &out, p.bias, &out,
                                             a->output.data);
}
