/* Depthwise convolutions of little work and few channels, pixel by pixel: a body. To plan bands and
 * to pack rows would take longer than all outputs do. A file has `args` and KERNEL. */
#include "dpl/cores.h"
#include "dpl/cortex_m/blocking.h"
#include "dpl/cortex_m/simd.h"
#include "dpl/requant.h"
#include "dpl/window.h"

/* Where the taps of a pixel's channel 0 lie, and their weights. */
typedef struct {
    const element *x;
    const int8_t *w;
} small_tap;

/* Of a row of a window whose columns are all in the input. */
static inline small_tap *place_row(const element *x, const int8_t *weights, int32_t columns,
                                   int32_t pitch, int32_t channels, small_tap *to) {
    for (; columns > 0; columns--, x += pitch, weights += channels) {
        *to++ = (small_tap){x, weights};
    }
    return to;
}

/* Taps beyond the input are at `outside`, zero points, but for those that add nothing. Returns
 * behind the last. */
static small_tap *place_taps(const args *a, const dpl_taps *taps, const element *outside,
                             small_tap *to) {
    const dpl_window *w = &a->window;
    const int8_t *weights = a->weights;
    const int32_t channels = a->output.channels, columns = w->kernel_width;
    const int whole = taps->x.begin == 0 && taps->x.end == columns;
    dpl_row_walk rows = taps->rows;
    for (int32_t y = 0; y < w->kernel_height; y++) {
        const int inside = y >= taps->y.begin && y < taps->y.end;
        const element *x = a->input.data + rows.offset + taps->column;
        if (inside && whole) {
            to = place_row(x, weights, columns, taps->pitch, channels, to);
            weights += columns * channels;
            dpl_next_row(&rows);
            continue;
        }
        for (int32_t k = 0; k < columns; k++, weights += channels) {
            if (inside && k >= taps->x.begin && k < taps->x.end) {
                *to++ = (small_tap){x, weights};
                x += taps->pitch;
            } else if (*outside != 0) {
                *to++ = (small_tap){outside, weights};
            }
        }
        if (inside) {
            dpl_next_row(&rows);
        }
    }
    return to;
}

/* Out of line, so that what the loop needs stays in registers: nine cycles for two taps, whose
 * loads stand beside each other. */
static __attribute__((noinline)) int32_t sum_of_taps(const small_tap *tap, const small_tap *end,
                                                     int32_t channel, int32_t sum) {
    if ((end - tap) % 2 > 0) {
        sum += tap->x[channel] * tap->w[channel];
        tap++;
    }
    for (; tap != end; tap += 2) {
        const element *x0 = tap[0].x, *x1 = tap[1].x;
        const int8_t *w0 = tap[0].w, *w1 = tap[1].w;
        __asm__ volatile("" : "+r"(x0), "+r"(x1), "+r"(w0), "+r"(w1));
        sum += x0[channel] * w0[channel] + x1[channel] * w1[channel];
    }
    return sum;
}

/* Of two channels, which share the places of taps: six cycles a tap. */
static __attribute__((noinline)) void two_sums_of_taps(const small_tap *tap, const small_tap *end,
                                                       int32_t channel, int32_t *sums) {
    const int32_t second = channel + 1;
    int32_t s0 = sums[0], s1 = sums[1];
    for (; tap != end; tap++) {
        const element *x = tap->x;
        const int8_t *w = tap->w;
        __asm__ volatile("" : "+r"(x), "+r"(w));
        s0 += x[channel] * w[channel];
        s1 += x[second] * w[second];
    }
    sums[0] = s0;
    sums[1] = s1;
}

/* Out of line, since an image seldom needs it. */
static __attribute__((noinline)) int32_t by_other_rule(const dpl_requant *q, int32_t sum,
                                                       int32_t channel) {
    return dpl_requantize(q, sum, channel);
}

static inline int32_t small_output(const dpl_requant *q, int32_t sum, int32_t channel) {
    if (q->rule != DPL_Q32) {
        return by_other_rule(q, sum, channel);
    }
    const int32_t multiplier = q->multiplier[channel * q->channel_step];
    return dpl_clamp(scale_high(sum, multiplier, q->rounding[0]), q->low, q->high);
}

void KERNEL(const args *a) {
    const dpl_share rows = dpl_core_share(a->output.height);
    const element zero = (element)a->input_zero;
    const element outside[DPL_SMALL_CHANNELS] = {zero, zero, zero, zero, zero, zero};
    small_tap list[DPL_POOL_LIST_TAPS];
    for (int32_t y = rows.begin; y < rows.end; y++) {
        dpl_taps taps = taps_of_row(&a->input, &a->window, y);
        element *to = row_of(&a->output, y);
        for (int32_t x = 0; x < a->output.width; x++, to += a->output.pixel_pitch) {
            taps_of_column(&taps, &a->input, &a->window, x);
            const small_tap *end = place_taps(a, &taps, outside, list);
            int32_t c = 0;
            for (; c + 1 < a->output.channels; c += 2) {
                int32_t sums[] = {a->bias[c], a->bias[c + 1]};
                two_sums_of_taps(list, end, c, sums);
                to[c] = (element)small_output(&a->requant, sums[0], c);
                to[c + 1] = (element)small_output(&a->requant, sums[1], c + 1);
            }
            if (c < a->output.channels) {
                const int32_t sum = sum_of_taps(list, end, c, a->bias[c]);
                to[c] = (element)small_output(&a->requant, sum, c);
            }
        }
    }
}
