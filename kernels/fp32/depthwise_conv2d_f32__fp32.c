/* DepthwiseConv2d, float, portable: four neighbouring channels at a time share the walk from tap to
 * tap; what four do not divide, and channel multipliers above 1, go one by one. A tap beyond the
 * input adds nothing. */
#include "dpl/body/f32.h"
#include "dpl/cores.h"
#include "dpl/depthwise_conv2d.h"
#include "dpl/ref/blocking.h"

enum { BLOCK = DPL_BLOCK_CHANNELS };

typedef dpl_depthwise_conv2d_f32_args args;

typedef struct {
    float a, b, c, d;
} sums;

/* input and w: those of the block's first channel. */
static inline sums block_sums(const args *a, const dpl_taps *taps, sums s,
                              const float *restrict input, const float *restrict w) {
    const int32_t pitch = a->output.channels, row = a->window.kernel_width * pitch;
    dpl_row_walk rows = taps->rows;
    w += taps->y.begin * row;
    for (int32_t y = taps->y.begin; y < taps->y.end; y++, w += row, dpl_next_row(&rows)) {
        const float *restrict x = input + rows.offset + taps->column;
        const float *restrict v = w + taps->x.begin * pitch;
        for (int32_t k = taps->x.begin; k < taps->x.end; k++, x += taps->pitch, v += pitch) {
            s.a += x[0] * v[0];
            s.b += x[1] * v[1];
            s.c += x[2] * v[2];
            s.d += x[3] * v[3];
        }
    }
    return s;
}

static float channel_sum(const args *a, const dpl_taps *taps, float sum,
                         const float *restrict input, const float *restrict w) {
    const int32_t pitch = a->output.channels, row = a->window.kernel_width * pitch;
    dpl_row_walk rows = taps->rows;
    w += taps->y.begin * row;
    for (int32_t y = taps->y.begin; y < taps->y.end; y++, w += row, dpl_next_row(&rows)) {
        const float *restrict x = input + rows.offset + taps->column;
        const float *restrict v = w + taps->x.begin * pitch;
        for (int32_t k = taps->x.begin; k < taps->x.end; k++, x += taps->pitch, v += pitch) {
            sum += *x * *v;
        }
    }
    return sum;
}

/* One output row of channels c to c + 3, which read the input's channels of the same numbers. */
static void block_row(const args *a, dpl_taps *taps, int32_t c, float *restrict out) {
    const float *bias = a->bias + c;
    for (int32_t x = 0; x < a->output.width; x++, out += a->output.pixel_pitch) {
        const sums start = {bias[0], bias[1], bias[2], bias[3]};
        taps_of_column(taps, &a->input, &a->window, x);
        const sums s = block_sums(a, taps, start, a->input.data + c, a->weights + c);
        out[c] = bounded(s.a, a->low, a->high);
        out[c + 1] = bounded(s.b, a->low, a->high);
        out[c + 2] = bounded(s.c, a->low, a->high);
        out[c + 3] = bounded(s.d, a->low, a->high);
    }
}

static void channel_row(const args *a, dpl_taps *taps, int32_t c, int32_t multiplier,
                        float *restrict out) {
    const float *input = a->input.data + c / multiplier;
    for (int32_t x = 0; x < a->output.width; x++, out += a->output.pixel_pitch) {
        taps_of_column(taps, &a->input, &a->window, x);
        const float sum = channel_sum(a, taps, a->bias[c], input, a->weights + c);
        out[c] = bounded(sum, a->low, a->high);
    }
}

void dpl_depthwise_conv2d_f32__fp32(const args *a) {
    const int32_t multiplier = a->output.channels / a->input.channels;
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    for (int32_t y = part.rows.begin; y < part.rows.end; y++) {
        dpl_taps taps = taps_of_row(&a->input, &a->window, y);
        float *out = row_of(&a->output, y);
        int32_t c = part.channels.begin;
        for (; multiplier == 1 && c + BLOCK <= part.channels.end; c += BLOCK) {
            block_row(a, &taps, c, out);
        }
        for (; c < part.channels.end; c++) {
            channel_row(a, &taps, c, multiplier, out);
        }
    }
}
