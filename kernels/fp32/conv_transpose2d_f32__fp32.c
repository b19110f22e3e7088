/* ConvTranspose2d, float, portable: each output element gathers the taps that meet an input and is
 * written once, so that its sum has one order. Along an axis output o meets tap k of input i when
 * o + pad = i * stride + k * dilation. Four output channels of a group share the walk. */
#include "dpl/body/dot_f32.h"
#include "dpl/conv_transpose2d.h"
#include "dpl/cores.h"

typedef dpl_conv_transpose2d_f32_args args;

/* Up to four output channels of one group. */
typedef struct {
    int32_t channel, count;
    int32_t depth;        /* weights of a tap: the input channels of a group */
    const float *input;   /* the group's first channel, of the tensor's row 0 */
    const float *weights; /* those of the first output channel */
    int32_t at[DOT_ROWS]; /* from there to those of each */
} block;

/* The input that meets a tap at a distance, -1 if there is none. */
static inline int32_t met(int32_t distance, int32_t stride, int32_t extent) {
    if (distance < 0 || distance % stride != 0 || distance / stride >= extent) {
        return -1;
    }
    return distance / stride;
}

static void add_row(const args *a, const block *b, const float *restrict input,
                    const float *restrict weights, int32_t x, float *restrict acc) {
    const dpl_window *w = &a->window;
    for (int32_t k = 0; k < w->kernel_width; k++, weights += b->depth) {
        const int32_t distance = x + w->pads.left - k * w->dilation_width;
        const int32_t column = met(distance, w->stride_width, a->input.width);
        if (column >= 0) {
            dot(input + column * a->input.pixel_pitch, weights, b->at, b->depth, acc);
        }
    }
}

static void block_row(const args *a, const block *b, int32_t y, float *restrict out) {
    const dpl_window *w = &a->window;
    const int32_t first = (int32_t)(b->input - a->input.data);
    for (int32_t x = 0; x < a->output.width; x++, out += a->output.pixel_pitch) {
        float acc[DOT_ROWS];
        dot_start(acc, a->bias + b->channel, b->count);
        for (int32_t k = 0; k < w->kernel_height; k++) {
            const int32_t distance = y + w->pads.top - k * w->dilation_height;
            const int32_t row = met(distance, w->stride_height, a->input.height);
            if (row >= 0) {
                add_row(a, b, row_of(&a->input, row) + first,
                        b->weights + k * w->kernel_width * b->depth, x, acc);
            }
        }
        dot_finish(acc, a->low, a->high, b->count, out + b->channel);
    }
}

void dpl_conv_transpose2d_f32__fp32(const args *a) {
    const int32_t depth = a->input.channels / a->groups;
    const int32_t per_group = a->output.channels / a->groups;
    const int32_t filter = a->window.kernel_height * a->window.kernel_width * depth;
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    for (int32_t y = part.rows.begin; y < part.rows.end; y++) {
        for (int32_t c = part.channels.begin; c < part.channels.end;) {
            const int32_t group = c / per_group, last = (group + 1) * per_group;
            const int32_t left = (last < part.channels.end ? last : part.channels.end) - c;
            block b = {c, left < DOT_ROWS ? left : DOT_ROWS, depth, 0, 0, {0}};
            b.input = a->input.data + group * depth;
            b.weights = a->weights + c * filter;
            dot_rows(b.at, filter, b.count);
            block_row(a, &b, y, row_of(&a->output, y));
            c += b.count;
        }
    }
}
