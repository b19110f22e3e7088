/* The words and operands of a case, in the order catalogue/case.py writes them. */
#include "driver.h"

static int32_t word(reader *r) {
    return *r->word++;
}

static void *operand(reader *r) {
    return *r->operand++;
}

static dpl_tensor_s8 tensor(reader *r) {
    dpl_tensor_s8 t;
    t.data = (int8_t *)operand(r) + word(r);
    t.height = word(r);
    t.width = word(r);
    t.channels = word(r);
    t.row_pitch = word(r);
    t.pixel_pitch = word(r);
    t.ring_height = word(r);
    t.first_row = word(r);
    return t;
}

static dpl_window window(reader *r) {
    dpl_window w;
    w.kernel_height = word(r);
    w.kernel_width = word(r);
    w.stride_height = word(r);
    w.stride_width = word(r);
    w.dilation_height = word(r);
    w.dilation_width = word(r);
    w.pads.top = word(r);
    w.pads.left = word(r);
    w.pads.bottom = word(r);
    w.pads.right = word(r);
    return w;
}

static dpl_requant requant(reader *r) {
    dpl_requant q;
    q.multiplier = operand(r);
    q.rounding = operand(r);
    q.shift = operand(r);
    q.channel_step = word(r);
    q.rule = (dpl_rule)word(r);
    q.low = word(r);
    q.high = word(r);
    return q;
}

void read_conv2d(reader *r, any_args *args) {
    dpl_conv2d_s8_args *a = &args->conv2d;
    a->input = tensor(r);
    a->output = tensor(r);
    a->weights = operand(r);
    a->bias = operand(r);
    a->window = window(r);
    a->groups = word(r);
    a->input_zero = word(r);
    a->requant = requant(r);
    a->scratch = operand(r);
}

void read_depthwise_conv2d(reader *r, any_args *args) {
    dpl_depthwise_conv2d_s8_args *a = &args->depthwise_conv2d;
    a->input = tensor(r);
    a->output = tensor(r);
    a->weights = operand(r);
    a->bias = operand(r);
    a->window = window(r);
    a->input_zero = word(r);
    a->requant = requant(r);
    a->scratch = operand(r);
}

void read_fully_connected(reader *r, any_args *args) {
    dpl_fully_connected_s8_args *a = &args->fully_connected;
    a->input = tensor(r);
    a->output = tensor(r);
    a->weights = operand(r);
    a->bias = operand(r);
    a->requant = requant(r);
    a->scratch = operand(r);
}

void read_add(reader *r, any_args *args) {
    dpl_add_s8_args *a = &args->add;
    a->left = tensor(r);
    a->right = tensor(r);
    a->output = tensor(r);
    a->multiplier[0] = word(r);
    a->multiplier[1] = word(r);
    a->rounding = word(r);
    a->shift = word(r);
    a->low = word(r);
    a->high = word(r);
}

void read_rescale(reader *r, any_args *args) {
    dpl_rescale_s8_args *a = &args->rescale;
    a->input = tensor(r);
    a->output = tensor(r);
    a->requant = requant(r);
}

void read_pool(reader *r, any_args *args) {
    dpl_pool_s8_args *a = &args->pool;
    a->input = tensor(r);
    a->output = tensor(r);
    a->window = window(r);
    a->requant = requant(r);
}

void read_softmax(reader *r, any_args *args) {
    dpl_softmax_s8_args *a = &args->softmax;
    a->input = tensor(r);
    a->output = tensor(r);
    a->table = operand(r);
    a->levels = word(r);
    a->output_zero = word(r);
}

void read_transpose(reader *r, any_args *args) {
    dpl_transpose_s8_args *a = &args->transpose;
    a->input = operand(r);
    a->output = operand(r);
    for (int32_t i = 0; i < 4; i++) {
        a->shape[i] = word(r);
    }
    for (int32_t i = 0; i < 4; i++) {
        a->input_pitch[i] = word(r);
    }
}
