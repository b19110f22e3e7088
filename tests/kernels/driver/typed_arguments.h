/* Argument structs of tensors of type ACT, with PART the one of a Concat. */
#include "reading.h"

#define JOIN_(name, act) name##_##act
#define JOIN(name, act) JOIN_(name, act)
#define TYPED(name) JOIN(name, ACT)
#define ARGS(op) JOIN(TYPED(dpl_##op), args)

typedef TYPED(dpl_tensor) tensor;

enum { CONCAT_PARTS = 4 };

void TYPED(read_conv2d)(reader *r, any_args *args) {
    ARGS(conv2d) *a = &args->TYPED(conv2d);
    a->input = TYPED(tensor)(r);
    a->output = TYPED(tensor)(r);
    a->weights = operand(r);
    a->bias = operand(r);
    a->window = window(r);
    a->groups = word(r);
    a->input_zero = word(r);
    a->requant = requant(r);
    a->scratch = operand(r);
}

void TYPED(read_depthwise_conv2d)(reader *r, any_args *args) {
    ARGS(depthwise_conv2d) *a = &args->TYPED(depthwise_conv2d);
    a->input = TYPED(tensor)(r);
    a->output = TYPED(tensor)(r);
    a->weights = operand(r);
    a->bias = operand(r);
    a->window = window(r);
    a->input_zero = word(r);
    a->requant = requant(r);
    a->scratch = operand(r);
}

void TYPED(read_fully_connected)(reader *r, any_args *args) {
    ARGS(fully_connected) *a = &args->TYPED(fully_connected);
    a->input = TYPED(tensor)(r);
    a->output = TYPED(tensor)(r);
    a->weights = operand(r);
    a->bias = operand(r);
    a->requant = requant(r);
    a->scratch = operand(r);
}

void TYPED(read_add)(reader *r, any_args *args) {
    ARGS(add) *a = &args->TYPED(add);
    a->left = TYPED(tensor)(r);
    a->right = TYPED(tensor)(r);
    a->output = TYPED(tensor)(r);
    a->multiplier[0] = word(r);
    a->multiplier[1] = word(r);
    a->rounding = word(r);
    a->shift = word(r);
    a->low = word(r);
    a->high = word(r);
    a->left_zero = word(r);
    a->right_zero = word(r);
    a->output_zero = word(r);
}

void TYPED(read_rescale)(reader *r, any_args *args) {
    ARGS(rescale) *a = &args->TYPED(rescale);
    a->input = TYPED(tensor)(r);
    a->output = TYPED(tensor)(r);
    a->requant = requant(r);
}

void TYPED(read_pool)(reader *r, any_args *args) {
    ARGS(pool) *a = &args->TYPED(pool);
    a->input = TYPED(tensor)(r);
    a->output = TYPED(tensor)(r);
    a->window = window(r);
    a->requant = requant(r);
    a->scratch = operand(r);
}

void TYPED(read_transpose)(reader *r, any_args *args) {
    ARGS(transpose) *a = &args->TYPED(transpose);
    a->input = operand(r);
    a->output = operand(r);
    for (int32_t i = 0; i < 4; i++) {
        a->shape[i] = word(r);
    }
    for (int32_t i = 0; i < 4; i++) {
        a->input_pitch[i] = word(r);
    }
}

void TYPED(read_conv_transpose2d)(reader *r, any_args *args) {
    ARGS(conv_transpose2d) *a = &args->TYPED(conv_transpose2d);
    a->input = TYPED(tensor)(r);
    a->output = TYPED(tensor)(r);
    a->weights = operand(r);
    a->bias = operand(r);
    a->window = window(r);
    a->groups = word(r);
    a->input_zero = word(r);
    a->requant = requant(r);
    a->scratch = operand(r);
}

void TYPED(read_mul)(reader *r, any_args *args) {
    ARGS(mul) *a = &args->TYPED(mul);
    a->left = TYPED(tensor)(r);
    a->right = TYPED(tensor)(r);
    a->output = TYPED(tensor)(r);
    a->left_zero = word(r);
    a->right_zero = word(r);
    a->requant = requant(r);
}

void TYPED(read_prelu)(reader *r, any_args *args) {
    ARGS(prelu) *a = &args->TYPED(prelu);
    a->input = TYPED(tensor)(r);
    a->output = TYPED(tensor)(r);
    a->input_zero = word(r);
    a->first = word(r);
    a->requant = requant(r);
}

void TYPED(read_table)(reader *r, any_args *args) {
    ARGS(table) *a = &args->TYPED(table);
    a->input = TYPED(tensor)(r);
    a->output = TYPED(tensor)(r);
    a->table = operand(r);
}

/* The window of t that a part of this shape fills, at elements along axis 0 to 2 (HWC). */
static tensor window_at(tensor t, const tensor *part, int32_t axis, int32_t at) {
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

void TYPED(read_concat)(reader *r, any_args *args) {
    static PART parts[CONCAT_PARTS];
    ARGS(concat) *a = &args->TYPED(concat);
    a->parts = parts;
    a->count = word(r);
    for (int32_t i = 0; i < a->count; i++) {
        parts[i].input = TYPED(tensor)(r);
    }
    const tensor output = TYPED(tensor)(r);
    const int32_t axis = word(r);
    for (int32_t i = 0, at = 0; i < a->count; i++) {
        const tensor *input = &parts[i].input;
        const int32_t extent[3] = {input->height, input->width, input->channels};
        parts[i].output = window_at(output, input, axis, at);
        at += extent[axis];
    }
    a->requant = requant(r);
}

void TYPED(read_copy)(reader *r, any_args *args) {
    ARGS(copy) *a = &args->TYPED(copy);
    a->input = TYPED(tensor)(r);
    a->output = TYPED(tensor)(r);
}

void TYPED(read_pad)(reader *r, any_args *args) {
    ARGS(pad) *a = &args->TYPED(pad);
    a->input = TYPED(tensor)(r);
    a->output = TYPED(tensor)(r);
    a->top = word(r);
    a->left = word(r);
    a->channel = word(r);
    a->value = word(r);
}

void TYPED(read_resize)(reader *r, any_args *args) {
    ARGS(resize) *a = &args->TYPED(resize);
    a->input = TYPED(tensor)(r);
    a->output = TYPED(tensor)(r);
    a->factor_height = word(r);
    a->factor_width = word(r);
    a->top = word(r);
    a->left = word(r);
    a->half_pixel = word(r);
    a->shift = word(r);
}

void TYPED(read_block)(reader *r, any_args *args) {
    ARGS(block) *a = &args->TYPED(block);
    a->input = TYPED(tensor)(r);
    a->output = TYPED(tensor)(r);
    a->block = word(r);
    a->top = word(r);
    a->left = word(r);
    a->column_first = word(r);
}

/* How many tensors come in says whether there are sums to start with. */
void JOIN(TYPED(read_conv2d_sums), s32)(reader *r, any_args *args) {
    JOIN(JOIN(TYPED(dpl_conv2d_sums), s32), args) *a = &args->JOIN(TYPED(conv2d_sums), s32);
    const int32_t count = word(r);
    const dpl_tensor_s32 none = {0, 0, 0, 0, 0, 0, 0, 0};
    a->input = TYPED(tensor)(r);
    a->start = count > 1 ? tensor_s32(r) : none;
    a->output = tensor_s32(r);
    a->weights = operand(r);
    a->bias = operand(r);
    a->window = window(r);
    a->groups = word(r);
    a->input_zero = word(r);
}

void TYPED(read_requantize_s32)(reader *r, any_args *args) {
    ARGS(requantize_s32) *a = &args->TYPED(requantize_s32);
    a->input = tensor_s32(r);
    a->output = TYPED(tensor)(r);
    a->requant = requant(r);
}
