/* DepthwiseConv2d.
 *
 * Channels share neither inputs nor weights, so each MAC needs two loads whatever the order; what
 * can be saved is the walk from tap to tap. Four neighbouring channels therefore go together, with
 * their accumulators in registers: on a Cortex-M7 gcc -O2 gives 8 loads, 4 smlabb and 5 others,
 * 17 instructions for 4 MACs (4.25 a MAC, against 7 for one channel at a time), with ldrsh in place
 * of ldrsb for int16 inputs; clipping, walking the rows and requantization add about 60 to an
 * output. A loop over all channels for each tap would need int32 scratch and a load and a store
 * more for each MAC.
 *
 * A block walks a whole output row before the next one starts, so its weights stay in the cache. */
#include "dpl/body/requant.h"
#include "dpl/cores.h"
#include "dpl/ref/blocking.h"
#include "dpl/window.h"

enum { BLOCK = DPL_BLOCK_CHANNELS };

typedef struct {
    int32_t a, b, c, d;
} sums;

/* input and weights: those of the block's first channel. */
static inline sums add_tap(sums s, const element *restrict input, const int8_t *restrict weights) {
    s.a += input[0] * weights[0];
    s.b += input[1] * weights[1];
    s.c += input[2] * weights[2];
    s.d += input[3] * weights[3];
    return s;
}

/* A window that lies inside: no tap needs a look. */
static inline sums add_inside(sums s, const dpl_taps *taps, const element *restrict input,
                              const int8_t *restrict w, int32_t pitch) {
    dpl_row_walk rows = taps->rows;
    for (int32_t y = taps->y.end; y > 0; y--, dpl_next_row(&rows)) {
        const element *restrict x = input + rows.offset + taps->column;
        for (int32_t left = taps->x.end; left > 0; left--, x += taps->pitch, w += pitch) {
            s = add_tap(s, x, w);
        }
    }
    return s;
}

/* A window at the border: a tap outside reads the zero point. */
static inline sums add_border(sums s, const dpl_taps *taps, const element *restrict input,
                              const int8_t *restrict w, const args *a) {
    const element zero = (element)a->input_zero;
    const element outside[BLOCK] = {zero, zero, zero, zero};
    dpl_row_walk rows = taps->rows;
    for (int32_t y = 0; y < a->window.kernel_height; y++) {
        int inside = y >= taps->y.begin && y < taps->y.end;
        const element *x = input + (inside ? rows.offset + taps->column : 0);
        for (int32_t k = 0; k < a->window.kernel_width; k++, w += a->output.channels) {
            if (!inside || k < taps->x.begin || k >= taps->x.end) {
                s = add_tap(s, outside, w);
                continue;
            }
            s = add_tap(s, x, w);
            x += taps->pitch;
        }
        if (inside) {
            dpl_next_row(&rows);
        }
    }
    return s;
}

/* One output row of channels c to c + 3, which read the input's channels of the same numbers. */
static void block_row(const args *a, dpl_taps *taps, int32_t c, element *restrict out) {
    const element *input = a->input.data + c;
    const int8_t *weights = a->weights + c;
    const int32_t *bias = a->bias + c;
    for (int32_t x = 0; x < a->output.width; x++, out += a->output.pixel_pitch) {
        sums s = {bias[0], bias[1], bias[2], bias[3]};
        taps_of_column(taps, &a->input, &a->window, x);
        if (dpl_taps_all(taps, &a->window)) {
            s = add_inside(s, taps, input, weights, a->output.channels);
        } else {
            s = add_border(s, taps, input, weights, a);
        }
        const int32_t acc[BLOCK] = {s.a, s.b, s.c, s.d};
        requantize_block(&a->requant, acc, c, BLOCK, out + c);
    }
}

/* The same for one channel: what four do not divide, and channel multipliers above 1. */
static int32_t channel_sum(const args *a, const dpl_taps *taps, const element *restrict input,
                           const int8_t *restrict w) {
    int32_t sum = 0;
    dpl_row_walk rows = taps->rows;
    for (int32_t y = 0; y < a->window.kernel_height; y++) {
        int inside = y >= taps->y.begin && y < taps->y.end;
        const element *x = input + (inside ? rows.offset + taps->column : 0);
        for (int32_t k = 0; k < a->window.kernel_width; k++, w += a->output.channels) {
            int read = inside && k >= taps->x.begin && k < taps->x.end;
            sum += (read ? *x : a->input_zero) * *w;
            x += read ? taps->pitch : 0;
        }
        if (inside) {
            dpl_next_row(&rows);
        }
    }
    return sum;
}

static void channel_row(const args *a, dpl_taps *taps, int32_t c, int32_t multiplier,
                        element *restrict out) {
    const element *input = a->input.data + c / multiplier;
    for (int32_t x = 0; x < a->output.width; x++, out += a->output.pixel_pitch) {
        taps_of_column(taps, &a->input, &a->window, x);
        int32_t acc = a->bias[c] + channel_sum(a, taps, input, a->weights + c);
        out[c] = (element)dpl_requantize(&a->requant, acc, c);
    }
}

void KERNEL(const args *a) {
    const int32_t multiplier = a->output.channels / a->input.channels;
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    for (int32_t y = part.rows.begin; y < part.rows.end; y++) {
        dpl_taps taps = taps_of_row(&a->input, &a->window, y);
        element *out = row_of(&a->output, y);
        int32_t c = part.channels.begin;
        for (; multiplier == 1 && c + BLOCK <= part.channels.end; c += BLOCK) {
            block_row(a, &taps, c, out);
        }
        for (; c < part.channels.end; c++) {
            channel_row(a, &taps, c, multiplier, out);
        }
    }
}
