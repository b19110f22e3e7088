/* Windows that are columns: a row of pixels as one, with the channels of all.
 *
 * Columns of taps never mix pixels, so that lanes are filled whatever the channels are, and nothing
 * is copied for it. Pieces repeat after as many lanes as they have; where a row's last lanes are no
 * eight, a piece of their own overlaps those before. A list of taps serves a whole row. */
#ifndef DPL_NEON_DEPTHWISE_PERIODS_H
#define DPL_NEON_DEPTHWISE_PERIODS_H

#include "dpl/neon/depthwise_turn.h"

#define HALF_LANES (WIDTH / 2) /* of a table */

static inline int is_column_window(const depthwise *d) {
    const dpl_window *w = &d->window;
    return ELEMENT_BYTES < 4 && w->kernel_width == 1 && w->stride_width == 1 &&
           d->output.channels == d->input.channels;
}

/* Pixels whose channels are whole vectors. */
static inline int32_t whole_group(int32_t channels) {
    int32_t group = 1;
    while (group * channels % WIDTH != 0) {
        group *= 2;
    }
    return group;
}

/* Pixels whose channels the pieces of a layer have side by side; the same in
 * deployer/kernelset/layouts/taps_c8.py. */
static inline int32_t group_of(const depthwise *d) {
    const dpl_window *w = &d->window;
    const int32_t channels = d->input.channels / ELEMENT_BYTES;
    const int32_t turns = w->stride_height * w->stride_width;
    const int shared = w->kernel_height * w->kernel_width >= DPL_SHARED_TAPS * turns;
    if (is_column_window(d) && channels <= DPL_COLUMN_CHANNELS) {
        return whole_group(channels);
    }
    return channels < WIDTH || shared ? side_by_side(channels) : 1;
}

/* Pixels that a row becomes: one, or one for each core if each begins with the first piece. */
static inline int32_t pixels_of_row(const depthwise *d) {
    int32_t pixels = DPL_CORE_COUNT;
    while (pixels > 1 && d->input.width % (pixels * d->group) != 0) {
        pixels--;
    }
    return pixels;
}

static inline void widen_pixel(dpl_tensor_s8 *t, int32_t pixels) {
    t->channels = t->pixel_pitch = t->width / pixels * t->channels;
    t->width = pixels;
}

/* A row as one pixel, where windows are columns and pixels follow one another. The same in
 * deployer/kernelset/neon/depthwise_turn.py, but for pixels with something between. */
static inline void join_rows(depthwise *d) {
    const dpl_window *w = &d->window;
    const int32_t bytes = d->input.channels, width = d->input.width;
    const int columns = is_column_window(d) && (w->pads.left | w->pads.right) == 0;
    const int dense = d->input.pixel_pitch == bytes && d->output.pixel_pitch == bytes;
    d->period = 0;
    if (columns && dense && width > 1 && width * bytes >= WIDTH * ELEMENT_BYTES) {
        const int32_t pixels = pixels_of_row(d);
        d->period = d->group * bytes / ELEMENT_BYTES;
        d->group = 1;
        widen_pixel(&d->input, pixels);
        widen_pixel(&d->output, pixels);
    }
}

static inline int32_t row_lanes(const depthwise *d) {
    return d->input.channels / ELEMENT_BYTES;
}

/* Lanes of a row's end that are no eight; of periods that overlap their own last lanes none. */
static inline int32_t lanes_left(const depthwise *d) {
    return d->period > 0 ? row_lanes(d) % d->period % WIDTH : 0;
}

static inline int32_t bytes_of_piece(const depthwise *d) {
    const int32_t tables = 2 * (int32_t)sizeof(four_tables);
    return listed_taps(&d->window) * WIDTH * WEIGHT_BYTES + tables;
}

/* Of the last piece. */
static inline int32_t tail_bytes(const depthwise *d) {
    return lanes_left(d) == 0 ? 0 : whole_words(bytes_of_piece(d));
}

/* Lane `i` of a piece, of each tap and table, as lane `k` of another. */
static inline void copy_lane(const depthwise *d, const int8_t *from, int32_t i, int8_t *to,
                             int32_t k) {
    const int32_t weights = listed_taps(&d->window) * WIDTH;
    for (int32_t t = 0; t < weights; t += WIDTH) {
        for (int32_t b = 0; b < WEIGHT_BYTES; b++) {
            to[(t + k) * WEIGHT_BYTES + b] = from[(t + i) * WEIGHT_BYTES + b];
        }
    }
    const int32_t *tables = (const int32_t *)(const void *)(from + weights * WEIGHT_BYTES);
    int32_t *own = (int32_t *)(void *)(to + weights * WEIGHT_BYTES);
    const int32_t each = (int32_t)sizeof(four_tables) / (int32_t)sizeof(int32_t);
    for (int32_t at = 0; at < each; at += HALF_LANES) {
        own[k / HALF_LANES * each + at + k % HALF_LANES] =
            tables[i / HALF_LANES * each + at + i % HALF_LANES];
    }
}

/* The piece of a row's last eight lanes, from those that have them. */
static inline void make_tail(depthwise *d, int8_t *to) {
    d->tail = to;
    if (lanes_left(d) == 0) {
        return;
    }
    const int32_t first = row_lanes(d) - WIDTH, bytes = bytes_of_piece(d);
    for (int32_t k = 0; k < WIDTH; k++) {
        const int32_t lane = (first + k) % d->period;
        copy_lane(d, d->pieces + lane / WIDTH * bytes, lane % WIDTH, to, k);
    }
}

/* `lanes` of a row from lane `first` on, by `pieces`. */
static inline void run_lanes_of_row(depthwise *d, const pixel_block *b, const int8_t *pieces,
                                    int32_t first, int32_t lanes) {
    const int8_t *all = d->pieces;
    const int32_t moved = first * ELEMENT_BYTES;
    pixel_block own = *b;
    own.moved += moved;
    UNROLLED for (int i = 0; i < PIXELS; i++) {
        own.to[i] += moved;
    }
    d->pieces = pieces;
    d->lanes = lanes;
    run_blocks(d, &own);
    d->pieces = all;
}

/* A row's lanes, period by period. */
static inline void run_periods(depthwise *d, const pixel_block *b) {
    const int32_t left = lanes_left(d), lanes = row_lanes(d), end = lanes - left;
    for (int32_t first = 0; first < end; first += d->period) {
        const int32_t some = end - first < d->period ? end - first : d->period;
        run_lanes_of_row(d, b, d->pieces, first, some);
    }
    if (left > 0) {
        run_lanes_of_row(d, b, d->tail, lanes - WIDTH, WIDTH);
    }
}

#endif
