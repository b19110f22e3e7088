/* ConvTranspose2d, int16, of dilation 1, kernels no smaller than their strides: an ordinary
 * convolution for each pair of remainders of the strides, as conv_transpose2d_s8__xpulpv2.c
 * explains (dpl/pulp/wide.h). Cores wait for one another between two: scratch is cut anew. */
#include "dpl/conv_transpose2d.h"

#include "dpl/pulp/remainder.h"
#include "dpl/pulp/wide.h"

typedef dpl_conv_transpose2d_s16_args args;

/* What one remainder reads and writes. */
typedef struct {
    dpl_tensor_s16 input, output;
    dpl_window window;
} part;

/* How far windows of `extent` inputs reach beyond them. */
static int32_t beyond(const dpl_remainder_axis *axis, int32_t before, int32_t extent) {
    const int32_t more = axis->count - 1 - before + axis->taps - extent;
    return more < 0 ? 0 : more;
}

/* Inputs that no window begins before; skipped ones are not there. */
static void set_input(part *p, const dpl_remainder_axis *y, const dpl_remainder_axis *x) {
    const int32_t down = y->pad < 0 ? -y->pad : 0, across = x->pad < 0 ? -x->pad : 0;
    dpl_pads *const pads = &p->window.pads;
    p->input.data += down * p->input.row_pitch + across * p->input.pixel_pitch;
    p->input.height -= down;
    p->input.width -= across;
    pads->top = y->pad + down;
    pads->left = x->pad + across;
    pads->bottom = beyond(y, pads->top, p->input.height);
    pads->right = beyond(x, pads->left, p->input.width);
}

static void set_part(const args *a, part *p, const dpl_remainder_axis *y,
                     const dpl_remainder_axis *x) {
    p->input = a->input;
    p->output = a->output;
    p->window = (dpl_window){y->taps, x->taps, 1, 1, 1, 1, {0, 0, 0, 0}};
    p->output.data += y->first * a->output.row_pitch + x->first * a->output.pixel_pitch;
    p->output.height = y->count;
    p->output.width = x->count;
    p->output.row_pitch *= a->window.stride_height;
    p->output.pixel_pitch *= a->window.stride_width;
    set_input(p, y, x);
}

static void set_job(const args *a, const part *p, const int8_t *weights, dpl_wide *w) {
    w->input = &p->input;
    w->output = &p->output;
    w->window = &p->window;
    w->requant = &a->requant;
    w->bias = a->bias;
    w->weights = weights;
    w->whole = 0;
    w->inputs = a->input.channels / a->groups;
    w->outputs = a->output.channels / a->groups;
    w->multiplier = 0;
    w->run = dpl_four_by_four_s16;
    w->sums = dpl_four_by_four_s16_sums;
    dpl_wide_init(w, a->scratch, (w->inputs + 1) >> 1);
}

void dpl_conv_transpose2d_s16__xpulpv2(const dpl_conv_transpose2d_s16_args *a) {
    const dpl_window *v = &a->window;
    const dpl_remainder_sizes rows =
        dpl_remainder_sizes_of(v->stride_height, v->kernel_height, v->pads.top, a->output.height);
    const dpl_remainder_sizes columns =
        dpl_remainder_sizes_of(v->stride_width, v->kernel_width, v->pads.left, a->output.width);
    const int8_t *weights = a->weights;
    for (int32_t y = 0; y < rows.stride; y++) {
        for (int32_t x = 0; x < columns.stride; x++) {
            dpl_remainder_axis down, across;
            part p;
            dpl_wide w;
            dpl_remainder_axis_of(&down, &rows, y);
            dpl_remainder_axis_of(&across, &columns, x);
            set_part(a, &p, &down, &across);
            set_job(a, &p, weights, &w);
            if (down.count > 0 && across.count > 0) {
                dpl_wide_run(&w, a->groups, w.inputs);
            }
            dpl_barrier();
            weights += a->groups * w.pieces * w.piece_bytes;
        }
    }
}
