/* Depthwise convolution of int8, any window: eight channels of up to four pixels of a row.
 *
 * Taps go in pairs: two products of a channel are added in 16 bits, then to sums of 32. A list
 * holds where the taps of a pixel lie; a padded tap lies among zero points. Where no side cuts a
 * window, the list of one pixel serves those to its right. */
#ifndef DPL_NEON_DEPTHWISE_S8_H
#define DPL_NEON_DEPTHWISE_S8_H

#include "dpl/cores.h"
#include "dpl/depthwise_conv2d.h"
#include "dpl/neon/block_s8.h"
#include "dpl/neon/copies.h"
#include "dpl/neon/outputs_s8.h"

#define WIDTH DPL_DEPTHWISE_CHANNELS

typedef struct {
    const dpl_depthwise_conv2d_s8_args *a;
    const int8_t **taps;
    const int8_t *zeros, *pieces;
    int32_t count; /* of taps, even */
    int32_t fits;  /* whether the products of every pair fit 16 bits */
} depthwise;

typedef struct {
    int32x4_t low, high; /* channels */
} eight_sums;

static inline eight_sums with_products(eight_sums sums, int16x8_t products) {
    const eight_sums more = {vaddw_s16(sums.low, vget_low_s16(products)),
                             vaddw_s16(sums.high, vget_high_s16(products))};
    return more;
}

static inline eight_sums with_pair(eight_sums sums, int8x8_t a, int8x8_t x, int8x8_t b,
                                   int8x8_t y) {
    return with_products(sums, vmlal_s8(vmull_s8(a, x), b, y));
}

static inline eight_sums with_each(eight_sums sums, int8x8_t a, int8x8_t x, int8x8_t b,
                                   int8x8_t y) {
    return with_products(with_products(sums, vmull_s8(a, x)), vmull_s8(b, y));
}

/* Eight channels, `from` bytes behind the taps, of COUNT pixels `step` bytes apart. */
#define SUM_TAPS(NAME, COUNT, ADD)                                                                 \
    static inline void NAME(const depthwise *d, int32_t from, int32_t step, const int8_t *piece,   \
                            eight_sums *sums) {                                                    \
        eight_sums held[COUNT];                                                                    \
        UNROLLED for (int i = 0; i < (COUNT); i++) {                                               \
            held[i].low = held[i].high = vdupq_n_s32(0);                                           \
        }                                                                                          \
        for (int32_t t = 0; t < d->count; t += 2, piece += 2 * WIDTH) {                            \
            const int8x8_t x = vld1_s8(piece), y = vld1_s8(piece + WIDTH);                         \
            const int8_t *a = d->taps[t] + from, *b = d->taps[t + 1] + from;                       \
            UNROLLED for (int i = 0; i < (COUNT); i++) {                                           \
                held[i] = ADD(held[i], vld1_s8(a + i * step), x, vld1_s8(b + i * step), y);        \
            }                                                                                      \
        }                                                                                          \
        UNROLLED for (int i = 0; i < (COUNT); i++) {                                               \
            sums[i] = held[i];                                                                     \
        }                                                                                          \
    }

SUM_TAPS(sum_pairs, PIXELS, with_pair)
SUM_TAPS(sum_pairs_of_one, 1, with_pair)
SUM_TAPS(sum_each, PIXELS, with_each)
SUM_TAPS(sum_each_of_one, 1, with_each)

/* Outputs of `pixels` pixels; sums of those that are missing are anything. */
static inline void store_eight(const dpl_requant *q, const four_tables *tables,
                               const eight_sums *sums, int8_t *to, int32_t step, int32_t pixels) {
    int32x4_t low[PIXELS], high[PIXELS];
    for (int i = 0; i < PIXELS; i++) {
        low[i] = sums[i < pixels ? i : 0].low;
        high[i] = sums[i < pixels ? i : 0].high;
    }
    scale_sums(q->rule, tables, low, PIXELS);
    scale_sums(q->rule, tables + 1, high, PIXELS);
    for (int i = 0; i < pixels; i += 2, to += 2 * step) {
        const int32x4_t two[] = {low[i], high[i], low[i + 1], high[i + 1]};
        const int8x16_t outputs = limited(two, q);
        vst1_s8(to, vget_low_s8(outputs));
        if (i + 1 < pixels) {
            vst1_s8(to + step, vget_high_s8(outputs));
        }
    }
}

/* All channels of `pixels` pixels, 1 or PIXELS, the last eight from the end. */
static inline void run_pixels(const depthwise *d, int8_t *to, int32_t pixels) {
    const dpl_depthwise_conv2d_s8_args *a = d->a;
    const int32_t channels = a->output.channels;
    const int32_t step = a->window.stride_width * a->input.pixel_pitch;
    const int8_t *piece = d->pieces;
    for (int32_t c = 0; c < channels; c += WIDTH) {
        const int32_t from = c + WIDTH <= channels ? c : channels - WIDTH;
        const four_tables *tables = (const four_tables *)(const void *)(piece + d->count * WIDTH);
        eight_sums sums[PIXELS];
        if (pixels == PIXELS) {
            (d->fits ? sum_pairs : sum_each)(d, from, step, piece, sums);
        } else {
            (d->fits ? sum_pairs_of_one : sum_each_of_one)(d, from, step, piece, sums);
        }
        store_eight(&a->requant, tables, sums, to + from, a->output.pixel_pitch, pixels);
        piece += d->count * WIDTH + 2 * (int32_t)sizeof(four_tables);
    }
}

/* Where the taps of the pixel of `taps` lie. */
static inline void list_taps(const depthwise *d, const dpl_taps *taps) {
    const dpl_depthwise_conv2d_s8_args *a = d->a;
    const int32_t width = a->window.kernel_width, height = a->window.kernel_height;
    dpl_row_walk rows = taps->rows;
    const int8_t **to = d->taps;
    for (int32_t y = 0; y < height; y++) {
        const int inside = y >= taps->y.begin && y < taps->y.end;
        const int8_t *row = a->input.data + (inside ? rows.offset + taps->column : 0);
        for (int32_t x = 0; x < width; x++) {
            const int there = inside && x >= taps->x.begin && x < taps->x.end;
            *to++ = there ? row + (x - taps->x.begin) * taps->pitch : d->zeros;
        }
        if (inside) {
            dpl_next_row(&rows);
        }
    }
    if (width * height % 2 != 0) {
        to[0] = to[-1]; /* its weights are zero */
    }
}

/* Bytes from the first of PIXELS windows' first channel to the last one's last, without gaps. */
static inline int32_t zeros_bytes(const dpl_depthwise_conv2d_s8_args *a) {
    return ((PIXELS - 1) * a->window.stride_width + 1) * a->input.channels;
}

/* Whether one list serves PIXELS pixels from `x` on: no side cuts the columns of their windows, and
 * zero points that stand for rows reach as far as the last. */
static inline int alike(const dpl_depthwise_conv2d_s8_args *a, const dpl_taps *taps, int32_t x) {
    const dpl_window *w = &a->window;
    if (taps->y.end - taps->y.begin < w->kernel_height &&
        a->input.pixel_pitch > a->input.channels) {
        return 0;
    }
    const int32_t begin = x * w->stride_width - w->pads.left;
    const int32_t last = begin + (PIXELS - 1) * w->stride_width;
    return begin >= 0 && last + (w->kernel_width - 1) * w->dilation_width < a->input.width;
}

/* A core's list and zero points. */
static inline int32_t core_bytes(const dpl_depthwise_conv2d_s8_args *a, int32_t count) {
    return count * (int32_t)sizeof(int8_t *) + (zeros_bytes(a) + 7) / 8 * 8;
}

/* Columns `x` to `end` of a row. */
static inline void run_row(const depthwise *d, int32_t y, int32_t x, int32_t end) {
    const dpl_depthwise_conv2d_s8_args *a = d->a;
    int8_t *to = dpl_row_s8(&a->output, y);
    dpl_taps taps = dpl_taps_of_row(&a->input, &a->window, y);
    while (x < end) {
        const int32_t pixels = x + PIXELS <= end && alike(a, &taps, x) ? PIXELS : 1;
        dpl_taps_of_column(&taps, &a->input, &a->window, x);
        list_taps(d, &taps);
        run_pixels(d, to + x * a->output.pixel_pitch, pixels);
        x += pixels;
    }
}

#endif
