/* ConvTranspose2d, int16, of dilation 1, kernels no smaller than their strides: an ordinary
 * convolution for each pair of remainders of the strides, as conv_transpose2d_s8__xpulpv2.c
 * explains. Cores wait for one another between two: scratch is cut anew. */
#include "dpl/conv_transpose2d.h"

#include "dpl/conv2d.h"
#include "dpl/pulp/blocking.h"
#include "dpl/pulp/remainder.h"
#include "dpl/pulp/wide.h"

typedef dpl_conv_transpose2d_s16_args args;

/* How far windows of `extent` inputs reach beyond them. */
static int32_t beyond(const dpl_remainder_axis *axis, int32_t before, int32_t extent) {
    const int32_t more = axis->count - 1 - before + axis->taps - extent;
    return more < 0 ? 0 : more;
}

/* Inputs that no window begins before; skipped ones are not there. */
static void set_input(dpl_conv2d_s16_args *c, const dpl_remainder_axis *y,
                      const dpl_remainder_axis *x) {
    const int32_t down = y->pad < 0 ? -y->pad : 0, across = x->pad < 0 ? -x->pad : 0;
    dpl_pads *const pads = &c->window.pads;
    c->input.data += down * c->input.row_pitch + across * c->input.pixel_pitch;
    c->input.height -= down;
    c->input.width -= across;
    pads->top = y->pad + down;
    pads->left = x->pad + across;
    pads->bottom = beyond(y, pads->top, c->input.height);
    pads->right = beyond(x, pads->left, c->input.width);
}

/* The convolution of one remainder, but for its weights. */
static __attribute__((noinline)) void set(const args *a, const dpl_remainder_axis *y,
                                          const dpl_remainder_axis *x, dpl_conv2d_s16_args *c) {
    c->input = a->input;
    c->output = a->output;
    c->window = (dpl_window){y->taps, x->taps, 1, 1, 1, 1, {0, 0, 0, 0}};
    c->output.data += y->first * a->output.row_pitch + x->first * a->output.pixel_pitch;
    c->output.height = y->count;
    c->output.width = x->count;
    c->output.row_pitch *= a->window.stride_height;
    c->output.pixel_pitch *= a->window.stride_width;
    set_input(c, y, x);
}

static int32_t weight_bytes(const dpl_conv2d_s16_args *c) {
    const int32_t inputs = c->input.channels / c->groups, outputs = c->output.channels / c->groups;
    const int32_t pieces = c->groups * ((outputs + FOUR - 1) >> 2);
    return pieces * dpl_wide_piece_bytes(&c->window, (inputs + 1) >> 1);
}

_Static_assert(sizeof(dpl_conv2d_s16_args) <= DPL_CALL_ROOM_BYTES, "room in scratch");

/* A core's arguments of the convolutions: its stack is small. */
static dpl_conv2d_s16_args *call_of(const args *a) {
    int8_t *const room = (int8_t *)a->scratch + dpl_core_id() * DPL_CALL_ROOM_BYTES;
    return (dpl_conv2d_s16_args *)(void *)room;
}

void dpl_conv_transpose2d_s16__xpulpv2(const dpl_conv_transpose2d_s16_args *a) {
    const dpl_window *v = &a->window;
    const dpl_remainder_sizes rows =
        dpl_remainder_sizes_of(v->stride_height, v->kernel_height, v->pads.top, a->output.height);
    const dpl_remainder_sizes columns =
        dpl_remainder_sizes_of(v->stride_width, v->kernel_width, v->pads.left, a->output.width);
    dpl_conv2d_s16_args *const c = call_of(a);
    c->weights = a->weights;
    c->bias = a->bias;
    c->groups = a->groups;
    c->requant = a->requant;
    c->scratch = (int8_t *)a->scratch + DPL_CORE_COUNT * DPL_CALL_ROOM_BYTES;
    for (int32_t y = 0; y < rows.stride; y++) {
        for (int32_t x = 0; x < columns.stride; x++) {
            dpl_remainder_axis down, across;
            dpl_remainder_axis_of(&down, &rows, y);
            dpl_remainder_axis_of(&across, &columns, x);
            set(a, &down, &across, c);
            if (down.count > 0 && across.count > 0) {
                dpl_conv2d_s16__xpulpv2(c);
            }
            dpl_barrier();
            c->weights += weight_bytes(c);
        }
    }
}
