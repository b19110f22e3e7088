/* Depthwise convolution, any window and multiplier: eight channels of up to four pixels of a row.
 *
 * A list holds where the taps of a pixel lie; a padded tap lies among zero points. Where no side
 * cuts a window, the list of one pixel serves those to its right. Where outputs are more than
 * inputs or fewer than eight, the rows that a window covers are copied with an input for each
 * output. Included behind the sums of a type, depthwise_s8.h or depthwise_s16.h; tensors are taken
 * as bytes.
 */
#ifndef DPL_NEON_DEPTHWISE_H
#define DPL_NEON_DEPTHWISE_H

#include "dpl/cores.h"
#include "dpl/neon/copies.h"

/* A core's work. */
typedef struct {
    dpl_tensor_s8 input, output; /* channels and pitches in bytes */
    dpl_tensor_s8 copy;          /* a ring of the input's rows */
    int32_t multiplier, copied;  /* rows before this one are */
    dpl_window window;
    const dpl_requant *requant;
    tap_list taps;
    int8_t *zeros;
    const int8_t *pieces;
} depthwise;

/* All channels of `pixels` pixels, 1 or PIXELS, the last eight from the end. */
static inline void run_pixels(const depthwise *d, int8_t *to, int32_t pixels) {
    const int32_t channels = d->output.channels / ELEMENT_BYTES;
    const int32_t step = d->window.stride_width * d->input.pixel_pitch;
    const int32_t taps_bytes = d->taps.count * WIDTH * WEIGHT_BYTES;
    const int8_t *piece = d->pieces;
    for (int32_t c = 0; c < channels; c += WIDTH) {
        const int32_t last = channels > WIDTH ? channels - WIDTH : 0;
        const int32_t from = (c < last ? c : last) * ELEMENT_BYTES;
        const four_tables *tables = (const four_tables *)(const void *)(piece + taps_bytes);
        eight_sums sums[PIXELS];
        sum_taps(&d->taps, from, step, piece, sums, pixels);
        store_eight(d->requant, tables, sums, to + from, d->output.pixel_pitch, pixels,
                    channels < WIDTH ? channels : WIDTH);
        piece += taps_bytes + 2 * (int32_t)sizeof(four_tables);
    }
}

/* Where the taps of the pixel of `taps` lie. */
static inline void list_taps(const depthwise *d, const dpl_taps *taps) {
    const int32_t width = d->window.kernel_width, height = d->window.kernel_height;
    dpl_row_walk rows = taps->rows;
    const int8_t **to = d->taps.at;
    for (int32_t y = 0; y < height; y++) {
        const int inside = y >= taps->y.begin && y < taps->y.end;
        const int8_t *row = d->input.data + (inside ? rows.offset + taps->column : 0);
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
static inline int32_t zeros_bytes(const dpl_window *w, int32_t channels) {
    return ((PIXELS - 1) * w->stride_width + 1) * channels;
}

/* Whether one list serves PIXELS pixels from `x` on: no side cuts the columns of their windows, and
 * zero points that stand for rows reach as far as the last. */
static inline int alike(const depthwise *d, const dpl_taps *taps, int32_t x) {
    const dpl_window *w = &d->window;
    const int32_t begin = x * w->stride_width - w->pads.left;
    const int32_t last = begin + (PIXELS - 1) * w->stride_width;
    if (taps->y.end - taps->y.begin < w->kernel_height &&
        d->input.pixel_pitch > d->input.channels) {
        return 0;
    }
    return begin >= 0 && last + (w->kernel_width - 1) * w->dilation_width < d->input.width;
}

/* Columns `x` to `end` of a row. */
static inline void run_columns(const depthwise *d, int32_t y, int32_t x, int32_t end) {
    int8_t *to = dpl_row_s8(&d->output, y);
    dpl_taps taps = dpl_taps_of_row(&d->input, &d->window, y);
    while (x < end) {
        const int32_t pixels = x + PIXELS <= end && alike(d, &taps, x) ? PIXELS : 1;
        dpl_taps_of_column(&taps, &d->input, &d->window, x);
        list_taps(d, &taps);
        run_pixels(d, to + x * d->output.pixel_pitch, pixels);
        x += pixels;
    }
}

/* A row of `from`, each channel `multiplier` times. */
static inline void repeat_channels(const depthwise *d, const dpl_tensor_s8 *from, int32_t y) {
    const element *in = (const element *)(const void *)dpl_row_s8(from, y);
    element *out = (element *)(void *)dpl_row_s8(&d->copy, y);
    const int32_t channels = from->channels / ELEMENT_BYTES, m = d->multiplier;
    for (int32_t x = 0; x < from->width; x++) {
        for (int32_t c = 0; c < channels * m; c++) {
            out[c] = in[c / m];
        }
        in += from->pixel_pitch / ELEMENT_BYTES;
        out += d->copy.pixel_pitch / ELEMENT_BYTES;
    }
}

/* The rows that output row `y` needs. */
static inline void copy_rows(depthwise *d, const dpl_tensor_s8 *from, int32_t y) {
    const dpl_window *w = &d->window;
    const int32_t first = y * w->stride_height - w->pads.top;
    const int32_t end = first + d->copy.ring_height;
    int32_t row = d->copied > first ? d->copied : first < 0 ? 0 : first;
    for (; row < end && row < from->height; row++) {
        repeat_channels(d, from, row);
    }
    d->copied = row;
}

/* This core's pixels; `from`: the input whose rows are copied, or none. */
static inline void run_share(depthwise *d, const dpl_tensor_s8 *from) {
    const int32_t width = d->output.width;
    const dpl_share pixels = dpl_core_share(d->output.height * width);
    for (int32_t at = pixels.begin; at < pixels.end;) {
        const int32_t y = at / width, x = at % width, left = pixels.end - at;
        const int32_t end = x + left < width ? x + left : width;
        if (from) {
            copy_rows(d, from, y);
        }
        run_columns(d, y, x, end);
        at += end - x;
    }
}

static inline int32_t whole_words(int32_t bytes) {
    return (bytes + 15) / 16 * 16;
}

/* `d` has tensors, window, requant and pieces; `scratch` is for all cores. */
static inline void run_depthwise(depthwise *d, int32_t zero, void *scratch) {
    const dpl_window *w = &d->window;
    const dpl_tensor_s8 given = d->input;
    const int32_t least = WIDTH * ELEMENT_BYTES, outputs = d->output.channels;
    const int32_t lanes = outputs < least ? least : outputs;
    const int32_t taps = w->kernel_height * w->kernel_width, count = taps + taps % 2;
    const int32_t span = (w->kernel_height - 1) * w->dilation_height + 1;
    const int copies = lanes != given.channels;
    const int32_t list = whole_words(count * (int32_t)sizeof(int8_t *));
    const int32_t zeros = whole_words(zeros_bytes(w, lanes));
    const int32_t ring = copies ? whole_words(span * given.width * lanes) : 0;
    int8_t *own = (int8_t *)scratch + dpl_core_id() * (list + zeros + ring);
    const dpl_tensor_s8 copy = {own + list + zeros,  given.height, given.width, lanes,
                                given.width * lanes, lanes,        span,        0};
    d->taps.at = (const int8_t **)(void *)own;
    d->taps.count = count;
    d->zeros = own + list;
    d->multiplier = outputs / given.channels;
    d->copied = 0;
    d->copy = copy;
    d->input = copies ? copy : given;
    fill_run(d->zeros, (int8_t)zero, zeros_bytes(w, lanes));
    run_share(d, copies ? &given : 0);
}

#endif
