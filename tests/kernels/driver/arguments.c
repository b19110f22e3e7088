/* The words and operands of a case, in the order catalogue/case.py writes them. */
#include "driver.h"

enum { CONCAT_PARTS = 4 };

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

void read_conv_transpose2d(reader *r, any_args *args) {
    dpl_conv_transpose2d_s8_args *a = &args->conv_transpose2d;
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

void read_mul(reader *r, any_args *args) {
    dpl_mul_s8_args *a = &args->mul;
    a->left = tensor(r);
    a->right = tensor(r);
    a->output = tensor(r);
    a->left_zero = word(r);
    a->right_zero = word(r);
    a->requant = requant(r);
}

void read_prelu(reader *r, any_args *args) {
    dpl_prelu_s8_args *a = &args->prelu;
    a->input = tensor(r);
    a->output = tensor(r);
    a->input_zero = word(r);
    a->requant = requant(r);
}

void read_table(reader *r, any_args *args) {
    dpl_table_s8_args *a = &args->table;
    a->input = tensor(r);
    a->output = tensor(r);
    a->table = operand(r);
}

/* The window of t that a part of this shape fills, at elements along axis 0 to 2 (HWC). */
static dpl_tensor_s8 window_at(dpl_tensor_s8 t, const dpl_tensor_s8 *part, int32_t axis,
                               int32_t at) {
    const int32_t pitch[3] = {t.row_pitch, t.pixel_pitch, 1};
    if (axis == 0 && t.ring_height > 0) {
        t.first_row += at;
    } else {
        t.data += at * pitch[axis];
    }
    t.height = part->height;
    t.width = part->width;
    t.channels = part->channels;
    return t;
}

void read_concat(reader *r, any_args *args) {
    static dpl_concat_part parts[CONCAT_PARTS];
    dpl_concat_s8_args *a = &args->concat;
    a->parts = parts;
    a->count = word(r);
    for (int32_t i = 0; i < a->count; i++) {
        parts[i].input = tensor(r);
    }
    const dpl_tensor_s8 output = tensor(r);
    const int32_t axis = word(r);
    for (int32_t i = 0, at = 0; i < a->count; i++) {
        const dpl_tensor_s8 *input = &parts[i].input;
        const int32_t extent[3] = {input->height, input->width, input->channels};
        parts[i].output = window_at(output, input, axis, at);
        at += extent[axis];
    }
    a->requant = requant(r);
}

void read_copy(reader *r, any_args *args) {
    dpl_copy_s8_args *a = &args->copy;
    a->input = tensor(r);
    a->output = tensor(r);
}

void read_pad(reader *r, any_args *args) {
    dpl_pad_s8_args *a = &args->pad;
    a->input = tensor(r);
    a->output = tensor(r);
    a->top = word(r);
    a->left = word(r);
    a->channel = word(r);
    a->value = word(r);
}

void read_resize(reader *r, any_args *args) {
    dpl_resize_s8_args *a = &args->resize;
    a->input = tensor(r);
    a->output = tensor(r);
    a->factor_height = word(r);
    a->factor_width = word(r);
    a->half_pixel = word(r);
    a->shift = word(r);
}

void read_block(reader *r, any_args *args) {
    dpl_block_s8_args *a = &args->block;
    a->input = tensor(r);
    a->output = tensor(r);
    a->block = word(r);
    a->column_first = word(r);
}
