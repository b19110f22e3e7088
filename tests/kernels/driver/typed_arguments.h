/* Readers of structs whose words say more than their fields, for tensors of type ACT; PART is the
 * one of a Concat. All others are made from the table of fields (catalogue/readers.py). */
#include "reading.h"

#define JOIN_(name, act) name##_##act
#define JOIN(name, act) JOIN_(name, act)
#define TYPED(name) JOIN(name, ACT)
#define ARGS(op) JOIN(TYPED(dpl_##op), args)

typedef TYPED(dpl_tensor) tensor;

enum { CONCAT_PARTS = 4 };

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
#ifndef REAL
    a->requant = requant(r);
#endif
}

#ifndef REAL
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

#endif
