/* Argument structs that exist for one type, or for a pair of types. */
#include "reading.h"

void read_softmax_s8(reader *r, any_args *args) {
    dpl_softmax_s8_args *a = &args->softmax_s8;
    a->input = tensor_s8(r);
    a->output = tensor_s8(r);
    a->table = operand(r);
    a->levels = word(r);
    a->output_zero = word(r);
}

void read_rescale_s8_s16(reader *r, any_args *args) {
    dpl_rescale_s8_s16_args *a = &args->rescale_s8_s16;
    a->input = tensor_s8(r);
    a->output = tensor_s16(r);
    a->requant = requant(r);
}

void read_rescale_s16_s8(reader *r, any_args *args) {
    dpl_rescale_s16_s8_args *a = &args->rescale_s16_s8;
    a->input = tensor_s16(r);
    a->output = tensor_s8(r);
    a->requant = requant(r);
}
