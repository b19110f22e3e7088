/* DepthwiseConv2d, int8, any window, channels in fours: no scratch, weights in the IR's order.
 *
 * A word holds four channels of a tap, one of the input and one of the weights. Four extensions
 * give their halfwords and four products of halves add them: an extension beside a product in every
 * cycle, two loads and the walk from tap to tap beside them. Kernels that pack rows take two taps a
 * product, for the bytes of the rows. */
#include "dpl/body/s8.h"
#include "dpl/cores.h"
#include "dpl/cortex_m/bound_rows.h"
#include "dpl/cortex_m/four.h"
#include "dpl/cortex_m/halves.h"
#include "dpl/depthwise_conv2d.h"
#include "dpl/window.h"

enum { LANES = 4, MAX_TAPS = 49 }; /* taps of a window that is walked by a table */

typedef dpl_depthwise_conv2d_s8_args args;

typedef struct {
    int32_t s[LANES];
} lanes;

/* Four channels of a tap. */
static inline lanes add_tap(lanes v, const int8_t *x, const int8_t *w) {
    const uint32_t input = load_word(x), weights = load_word(w);
    const uint32_t even = even_bytes(input), odd = odd_bytes(input);
    const uint32_t even_w = even_bytes(weights), odd_w = odd_bytes(weights);
    v.s[0] = mac_low(even, even_w, v.s[0]);
    v.s[1] = mac_low(odd, odd_w, v.s[1]);
    v.s[2] = mac_high(even, even_w, v.s[2]);
    v.s[3] = mac_high(odd, odd_w, v.s[3]);
    return v;
}

/* Taps of windows that lie inside, as elements from the first. */
typedef struct {
    int32_t count;
    int32_t at[MAX_TAPS];
    dpl_span inside; /* output columns of the row with such windows */
} tap_offsets;

static void offsets_of_row(const args *a, const dpl_taps *taps, tap_offsets *t) {
    const dpl_window *w = &a->window;
    const int32_t left = w->pads.left, stride = w->stride_width;
    const int32_t reach = (w->kernel_width - 1) * w->dilation_width;
    const int32_t last = a->input.width - 1 - reach + left;
    dpl_row_walk rows = taps->rows;
    t->count = w->kernel_height * w->kernel_width;
    t->inside.begin = t->inside.end = 0;
    if (t->count > MAX_TAPS || taps->y.end - taps->y.begin < w->kernel_height || last < 0) {
        return;
    }
    t->inside.begin = left > 0 ? (left + stride - 1) / stride : 0;
    t->inside.end = last / stride + 1;
    for (int32_t i = 0; i < t->count; dpl_next_row(&rows)) {
        for (int32_t x = 0; x < w->kernel_width; x++) {
            t->at[i++] = rows.offset + (x * w->dilation_width - left) * a->input.pixel_pitch;
        }
    }
}

/* A window that lies inside: 13 instructions for four products. */
static inline lanes add_inside(lanes v, const tap_offsets *t, const int8_t *input, const int8_t *w,
                               int32_t channels) {
    const int32_t *at = t->at, *const end = at + t->count;
    for (; at != end; w += channels) {
        v = add_tap(v, input + *at++, w);
    }
    return v;
}

/* A window at the border: a tap outside reads the zero point. */
static lanes add_border(lanes v, const dpl_taps *taps, const int8_t *input, const int8_t *w,
                        const args *a) {
    const uint32_t zero = (uint32_t)(uint8_t)a->input_zero * 0x01010101u;
    dpl_row_walk rows = taps->rows;
    for (int32_t y = 0; y < a->window.kernel_height; y++) {
        const int inside = y >= taps->y.begin && y < taps->y.end;
        const int8_t *x = input + (inside ? rows.offset + taps->column : 0);
        for (int32_t k = 0; k < a->window.kernel_width; k++, w += a->output.channels) {
            const int there = inside && k >= taps->x.begin && k < taps->x.end;
            v = add_tap(v, there ? x : (const int8_t *)&zero, w);
            x += there ? taps->pitch : 0;
        }
        if (inside) {
            dpl_next_row(&rows);
        }
    }
    return v;
}

static inline void finish(const dpl_requant *q, int high, const lanes *v, int32_t c, int8_t *out) {
    if (high) {
        const int32_t each = q->channel_step, *table = q->multiplier + c * each;
        const int32_t m[] = {table[0], table[each], table[2 * each], table[3 * each]};
        finish_four(v->s, m, addend_below(q), out);
        return;
    }
    for (int32_t i = 0; i < LANES; i++) {
        out[i] = (int8_t)dpl_requantize(q, v->s[i], c + i);
    }
}

/* One output row of channels c to c + 3. */
static void four_of_row(const args *a, dpl_taps *taps, const tap_offsets *t, int32_t c, int high,
                        int8_t *out) {
    const int32_t *const bias = a->bias + c;
    const int32_t step = a->window.stride_width * a->input.pixel_pitch;
    const int8_t *const input = a->input.data + c, *const weights = a->weights + c;
    for (int32_t x = 0; x < a->output.width; x++, out += a->output.pixel_pitch) {
        lanes v = {{bias[0], bias[1], bias[2], bias[3]}};
        if (x >= t->inside.begin && x < t->inside.end) {
            v = add_inside(v, t, input + x * step, weights, a->output.channels);
        } else {
            dpl_taps_of_column(taps, &a->input, &a->window, x);
            v = add_border(v, taps, input, weights, a);
        }
        finish(&a->requant, high, &v, c, out + c);
    }
}

void dpl_depthwise_conv2d_s8__armv7em_direct(const args *a) {
    const dpl_share rows = dpl_core_share(a->output.height);
    const int high = a->requant.rule == DPL_Q32;
    tap_offsets t;
    for (int32_t y = rows.begin; y < rows.end; y++) {
        dpl_taps taps = dpl_taps_of_row(&a->input, &a->window, y);
        offsets_of_row(a, &taps, &t);
        for (int32_t c = 0; c < a->output.channels; c += LANES) {
            four_of_row(a, &taps, &t, c, high, dpl_row_s8(&a->output, y));
        }
    }
    if (high) {
        bound_rows(&a->output, &a->requant);
    }
}
