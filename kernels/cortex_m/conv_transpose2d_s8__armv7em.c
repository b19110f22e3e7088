/* ConvTranspose2d, int8, one group, dilation 1, kernels no smaller than their strides.
 *
 * Output row o gets products of input row i and kernel row k where i * stride + k = o + pad, so
 * that rows with one remainder r of (o + pad) / stride use kernel rows r, r + stride, ... only: a
 * convolution at stride 1 with those rows, reversed. The weights (layout "x2c4_remainders") hold
 * one piece for each pair of remainders, with the zero point in its biases. No products with
 * inserted zeros, no copies of the output.
 *
 * Where the kernel is the stride each remainder is a 1x1: the columns of three input pixels, or of
 * a strip of them, are made once and meet the weights of all remainders. */
#include "dpl/conv_transpose2d.h"
#include "dpl/cortex_m/columns.h"
#include "dpl/cortex_m/high_s8.h"

#include "dpl/cortex_m/convolve.h"

/* One axis of one remainder. */
typedef struct {
    stripes outputs;
    int32_t taps;
    int32_t pad; /* before the first input, negative where inputs are skipped */
} remainder_axis;

static remainder_axis axis_of(int32_t r, int32_t stride, int32_t kernel, int32_t pad,
                              int32_t extent) {
    const int32_t first = (r - pad % stride + stride) % stride;
    remainder_axis axis = {{first, stride, 0}, (kernel - r + stride - 1) / stride, 0};
    axis.outputs.count = first < extent ? (extent - first + stride - 1) / stride : 0;
    axis.pad = axis.taps - 1 - (first + pad - r) / stride; /* pads may be negative */
    return axis;
}

/* Into `v` rather than by value, which gcc returns by a call of memcpy. */
static void convolution_of(convolution *v, const dpl_conv_transpose2d_s8_args *a,
                           const uint32_t *weights, remainder_axis rows, remainder_axis columns) {
    const dpl_window window = {rows.taps, columns.taps, 1, 1, 1, 1, {rows.pad, columns.pad, 0, 0}};
    v->input = &a->input;
    v->output = &a->output;
    v->window = window;
    v->input_zero = a->input_zero;
    v->weights = weights;
    v->requant = &a->requant;
    v->scratch = a->scratch;
    v->rows = rows.outputs;
    v->columns = columns.outputs;
}

static void move_all(three_pixels *to, int32_t triples, int32_t distance) {
    for (int32_t i = 0; i < triples; i++) {
        to[i].at += distance;
    }
}

/* Columns made once for `down` times `across` outputs beside one another, each with weights of its
 * own. */
static void run(const convolution_plan *p, int32_t down, int32_t across) {
    const convolution *v = p->v;
    const int32_t channels = v->output->channels;
    const int32_t each = (channels + 1) / 2 * piece_words(p->job.words);
    three_pixels to[DPL_MAX_STRIP_TRIPLES];
    convolution_cursor c;
    begin_row(p, &c, 0);
    for (int32_t left = v->rows.count * v->columns.count; left > 0;) {
        int32_t made = 0, moved = 0;
        for (; made < p->sizes.triples && left > 0; made++) {
            left -= make_triple(p, &c, left, p->strip + made * p->job.words, to + made);
        }
        for (int32_t i = 0; i < down * across; i++) {
            const int32_t offset =
                i / across * v->output->row_pitch + i % across * v->output->pixel_pitch;
            channel_job job = p->job;
            job.weights += i * each;
            move_all(to, made, offset - moved);
            run_strip(&job, p->strip, made, p->sizes.part, to);
            moved = offset + channels;
        }
    }
}

static void by_remainders(const dpl_conv_transpose2d_s8_args *a) {
    const dpl_window *w = &a->window;
    const int32_t pairs = (a->output.channels + 1) / 2;
    const uint32_t *weights = (const uint32_t *)(const void *)a->weights;
    for (int32_t y = 0; y < w->stride_height; y++) {
        const remainder_axis rows =
            axis_of(y, w->stride_height, w->kernel_height, w->pads.top, a->output.height);
        for (int32_t x = 0; x < w->stride_width; x++) {
            const remainder_axis columns =
                axis_of(x, w->stride_width, w->kernel_width, w->pads.left, a->output.width);
            convolution v;
            convolution_of(&v, a, weights, rows, columns);
            if (rows.outputs.count > 0 && columns.outputs.count > 0) {
                const convolution_plan p = plan_convolution(&v);
                run(&p, 1, 1);
            }
            const int32_t padded = padded_values(&v.window, a->input.channels);
            weights += pairs * piece_words(padded / 4 * WORDS_OF_FOUR);
        }
    }
}

/* Whether the output is the input's pixels, each a block of the stride that lies in one piece. */
static int whole_blocks(const dpl_conv_transpose2d_s8_args *a) {
    const dpl_window *w = &a->window;
    const dpl_tensor_s8 *out = &a->output;
    const int32_t down = w->stride_height, across = w->stride_width;
    const int pads = w->pads.top != 0 || w->pads.left != 0;
    return w->kernel_height == down && w->kernel_width == across && !pads &&
           out->height == a->input.height * down && out->width == a->input.width * across &&
           out->ring_height % down == 0 && (out->ring_height == 0 || out->first_row % down == 0);
}

static void by_blocks(const dpl_conv_transpose2d_s8_args *a) {
    const int32_t down = a->window.stride_height, across = a->window.stride_width;
    const remainder_axis rows = {{0, down, a->input.height}, 1, 0};
    const remainder_axis columns = {{0, across, a->input.width}, 1, 0};
    convolution v;
    convolution_of(&v, a, (const uint32_t *)(const void *)a->weights, rows, columns);
    convolution_plan p = plan_convolution(&v);
    p.sizes.triples = sizes_of(p.columns.padded, p.job.channels * down * across).triples;
    run(&p, down, across);
}

void dpl_conv_transpose2d_s8__armv7em(const dpl_conv_transpose2d_s8_args *a) {
    if (whole_blocks(a)) {
        by_blocks(a);
    } else {
        by_remainders(a);
    }
}
