/* A pool: a body that calls CALLED. */
#include "dpl/cmsis_nn/call.h"

void KERNEL(const dpl_pool_s8_args *a) {
    const cmsis_nn_dims in = dims_of(&a->input), out = dims_of(&a->output);
    const cmsis_nn_dims window = {1, a->window.kernel_height, a->window.kernel_width, 1};
    const cmsis_nn_pool_params params = {.stride = stride_of(&a->window),
                                         .padding = padding_of(&a->window),
                                         .activation = activation_of(&a->requant)};
    const cmsis_nn_context context = context_of(a->scratch);
    (void)CALLED(&context, &params, &in, a->input.data, &window, &out, a->output.data);
}
