/* ConvTranspose2d of dilation 1, kernels no smaller than their strides.
 *
 * Output row o gets products of input row i and kernel row k where i * stride + k = o + pad, so
 * that rows with one remainder r of (o + pad) / stride use kernel rows r, r + stride, ... only: a
 * convolution at stride 1 with those rows, reversed, whose outputs lie strides apart. The weights
 * (layout "x4c4_remainders") hold one piece for each pair of remainders, with the zero point in its
 * biases. Cores wait for one another between two: scratch is cut anew. */
#include "dpl/conv_transpose2d.h"

#include "dpl/cores.h"
#include "dpl/pulp/blocking.h"
#include "dpl/pulp/remainder.h"
#include "dpl/pulp/windows.h"

typedef dpl_conv_transpose2d_s8_args args;

/* Columns that no window begins before; skipped ones are not there. */
static void set_columns(dpl_conv2d_s8_args *c, const dpl_remainder_axis *x) {
    const int32_t skipped = x->pad < 0 ? -x->pad : 0;
    c->input.data += skipped * c->input.pixel_pitch;
    c->input.width -= skipped;
    c->window.pads.left = x->pad + skipped;
    const int32_t beyond = x->count - 1 - c->window.pads.left + x->taps - c->input.width;
    c->window.pads.right = beyond < 0 ? 0 : beyond;
}

/* The same of rows, of which a ring counts from another one. */
static void set_rows(dpl_conv2d_s8_args *c, const dpl_remainder_axis *y) {
    const int32_t skipped = y->pad < 0 ? -y->pad : 0;
    c->input.height -= skipped;
    if (c->input.ring_height > 0) {
        c->input.first_row += skipped;
    } else {
        c->input.data += skipped * c->input.row_pitch;
    }
    c->window.pads.top = y->pad + skipped;
    const int32_t beyond = y->count - 1 - c->window.pads.top + y->taps - c->input.height;
    c->window.pads.bottom = beyond < 0 ? 0 : beyond;
}

/* The convolution of one remainder, but for its weights and where its outputs lie. Apart, like what
 * follows, so that the convolution has not its stack, too. */
static __attribute__((noinline)) void set(const args *a, const dpl_remainder_axis *y,
                                          const dpl_remainder_axis *x, int32_t channels,
                                          dpl_conv2d_s8_args *c) {
    c->input = a->input;
    c->output = a->output;
    c->window = (dpl_window){y->taps, x->taps, 1, 1, 1, 1, {0, 0, 0, 0}};
    c->groups = a->groups;
    c->input_zero = a->input_zero;
    c->requant = a->requant;
    c->scratch = (int8_t *)a->scratch + DPL_CORE_COUNT * DPL_CALL_ROOM_BYTES;
    c->output.channels = channels;
    c->output.height = y->count;
    c->output.width = x->count;
    c->output.ring_height = 0;
    c->output.row_pitch *= a->window.stride_height;
    c->output.pixel_pitch *= a->window.stride_width;
    set_columns(c, x);
    set_rows(c, y);
}

static int8_t *out_at(const args *a, int32_t y, int32_t x) {
    return dpl_row_s8(&a->output, y) + x * a->output.pixel_pitch;
}

/* Rows of a ring lie anyhow: one after the other. */
static __attribute__((noinline)) void by_rows(const args *a, const dpl_remainder_axis *y,
                                              const dpl_remainder_axis *x, dpl_conv2d_s8_args *c) {
    const int32_t channels = c->output.channels;
    for (int32_t i = 0; i < y->count; i++) {
        const dpl_remainder_axis row = {y->first + i * a->window.stride_height, 1, y->taps,
                                        y->pad - i};
        set(a, &row, x, channels, c);
        c->output.data = out_at(a, row.first, x->first);
        dpl_conv2d_s8__xpulpv2(c);
        dpl_barrier();
    }
}

static void run(const args *a, const dpl_remainder_axis *y, const dpl_remainder_axis *x,
                dpl_conv2d_s8_args *c) {
    if (a->output.ring_height > 0) {
        by_rows(a, y, x, c);
    } else {
        c->output.data = out_at(a, y->first, x->first);
        dpl_conv2d_s8__xpulpv2(c);
    }
}

/* Whether the channels of the outputs that a kernel row of the stride's width makes of an input lie
 * in a run, as do their weights. */
static int in_a_run(const args *a) {
    const dpl_window *w = &a->window;
    const int32_t channels = a->output.channels;
    return w->kernel_width == w->stride_width && w->pads.left == 0 && a->groups == 1 &&
           a->output.width == a->input.width * w->stride_width &&
           a->output.pixel_pitch == channels && (channels & 3) == 0 &&
           dpl_four_by_four_rule(&a->requant);
}

/* Bytes of the weights of a remainder, without biases. */
static int32_t weight_bytes(const dpl_conv2d_s8_args *c) {
    const int32_t outputs = c->output.channels / c->groups;
    const int32_t filter = dpl_filter_bytes(c, c->input.channels / c->groups);
    return c->groups * ((outputs + FOUR - 1) / FOUR) * (FOUR * filter + FOUR_TABLES);
}

/* A core's arguments of the convolutions: its stack is small. */
static dpl_conv2d_s8_args *call_of(const args *a) {
    return (dpl_conv2d_s8_args *)(void *)((int8_t *)a->scratch +
                                          dpl_core_id() * DPL_CALL_ROOM_BYTES);
}

void dpl_conv_transpose2d_s8__xpulpv2(const dpl_conv_transpose2d_s8_args *a) {
    const dpl_window *w = &a->window;
    const int32_t adjacent = in_a_run(a) ? w->stride_width : 1; /* remainders taken at once */
    const int32_t channels = adjacent * a->output.channels;
    const dpl_remainder_sizes rows =
        dpl_remainder_sizes_of(w->stride_height, w->kernel_height, w->pads.top, a->output.height);
    const dpl_remainder_sizes columns =
        dpl_remainder_sizes_of(w->stride_width, w->kernel_width, w->pads.left, a->output.width);
    dpl_conv2d_s8_args *const c = call_of(a);
    c->weights = a->weights;
    for (int32_t y = 0; y < rows.stride; y++) {
        for (int32_t x = 0; x < columns.stride; x += adjacent) {
            dpl_remainder_axis down, across;
            dpl_remainder_axis_of(&down, &rows, y);
            dpl_remainder_axis_of(&across, &columns, x);
            set(a, &down, &across, channels, c);
            const int8_t *end = c->weights + weight_bytes(c);
            c->bias =
                (const int32_t *)(const void *)end; /* used, and there, for other rules only */
            if (down.count > 0 && across.count > 0) {
                run(a, &down, &across, c);
            }
            dpl_barrier();
            c->weights = dpl_four_by_four_rule(&a->requant) ? end : end + 4 * channels;
        }
    }
}
