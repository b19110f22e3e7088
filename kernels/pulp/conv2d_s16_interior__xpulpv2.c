/* Convolutions of int16 whose windows no side cuts: dpl/pulp/interior.h, whose tensors are bytes
 * here. Apart from others, so that they have not its stack, too. */
#include "dpl/pulp/conv2d_interior_s16.h"

#define DPL_INTERIOR_HALVES
#include "dpl/pulp/interior.h"

_Static_assert(sizeof(dpl_conv2d_s8_args) <= DPL_CALL_ROOM_BYTES, "room in scratch");

/* A tensor with pitches in bytes; its channels count as it has them. */
static dpl_tensor_s8 bytes_of(const dpl_tensor_s16 *t) {
    return (dpl_tensor_s8){.data = (int8_t *)t->data,
                           .height = t->height,
                           .width = t->width,
                           .channels = t->channels,
                           .row_pitch = 2 * t->row_pitch,
                           .pixel_pitch = 2 * t->pixel_pitch,
                           .ring_height = t->ring_height};
}

/* A core's arguments are in scratch, before what they say it is: its stack is small. */
int32_t dpl_conv2d_s16_interior__xpulpv2(const dpl_conv2d_s16_args *a) {
    int8_t *const scratch = a->scratch;
    dpl_conv2d_s8_args *const b =
        (dpl_conv2d_s8_args *)(void *)(scratch + dpl_core_id() * DPL_CALL_ROOM_BYTES);
    b->input = bytes_of(&a->input);
    b->input.channels *= 2;
    b->output = bytes_of(&a->output);
    b->weights = a->weights;
    b->window = a->window;
    b->groups = a->groups;
    b->input_zero = 0;
    b->requant = a->requant;
    b->scratch = scratch + DPL_CORE_COUNT * DPL_CALL_ROOM_BYTES;
    if (!dpl_is_interior(b)) {
        return 0;
    }
    dpl_conv2d_interior(b, 0);
    return 1;
}
