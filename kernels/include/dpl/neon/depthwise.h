/* Depthwise convolution, any window and multiplier: eight channels of four pixels, one after the
 * other through the rows.
 *
 * A list holds where the taps of each of the four lie; a padded tap lies among zero points. Where
 * no side cuts the windows the list serves pixels to their right too, whose taps lie as far behind.
 * Where outputs are more than inputs or fewer than eight, the rows that a window covers are copied
 * with an input for each output, and blocks end with a row. Included behind the sums of a type,
 * depthwise_s8.h, depthwise_s16.h or depthwise_f32.h; tensors are taken as bytes.
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
    const output_rule *requant; /* of floats the bounds */
    tap_list taps;
    int8_t *zeros;
    const int8_t *pieces;
} depthwise;

/* Up to PIXELS pixels; those that are missing repeat the last. */
typedef struct {
    int8_t *to[PIXELS];
    int32_t count;
    int32_t y, x;   /* of the first */
    int32_t moved;  /* bytes from the taps in the list to those of the block */
    int32_t listed; /* whether the list serves pixels of this row further on */
} pixel_block;

/* All channels of a block, the last eight from the end. */
static inline void run_block(const depthwise *d, const pixel_block *b) {
    const int32_t channels = d->output.channels / ELEMENT_BYTES;
    const int32_t last = channels > WIDTH ? channels - WIDTH : 0;
    const output_rule q = *d->requant; /* a store could change these */
    const tap_list taps = d->taps;
    const pixel_block block = *b;
    const int8_t *piece = d->pieces;
    for (int32_t c = 0; c < channels; c += WIDTH) {
        const int32_t from = (c < last ? c : last) * ELEMENT_BYTES;
        const four_tables *tables = tables_of(&taps, piece, WEIGHT_BYTES);
        const block_sums sums = sum_taps(&taps, from + block.moved, piece, tables);
        store_block(&q, tables, sums, block.to, from, block.count,
                    channels < WIDTH ? channels : WIDTH);
        piece = (const int8_t *)(tables + 2);
    }
}

#define USUAL_WIDTH 3 /* of kernels: a constant, so that no loop is left */

/* Taps of a kernel row, of one pixel. */
typedef struct {
    const int8_t *zeros;
    int64_t offset, apart; /* bytes from a row to the first, from one to the next */
    int32_t column, dilation;
} row_taps;

/* `count` that are inside `width` columns of `row`; a tap is a comparison, a choice, two additions
 * and a store. */
INLINED const int8_t **list_row(row_taps t, const int8_t *row, uint32_t width, int32_t count,
                                const int8_t **to) {
    UNROLLED for (int32_t k = 0; k < count; k++, to += PIXELS) {
        *to = (uint32_t)t.column < width ? row + t.offset : t.zeros;
        t.offset += t.apart;
        t.column += t.dilation;
    }
    return to;
}

/* Where the taps of column `x` lie, in a row that has `taps`, of a kernel `kernel_width` wide; `to`
 * is the pixel's first. */
INLINED void list_pixel(const depthwise *d, const dpl_taps *taps, int32_t x, int32_t kernel_width,
                        const int8_t **to) {
    const dpl_window *w = &d->window;
    const int32_t column = x * w->stride_width - w->pads.left, pitch = d->input.pixel_pitch;
    const row_taps row = {d->zeros, (int64_t)column * pitch, (int64_t)w->dilation_width * pitch,
                          column, w->dilation_width};
    const int8_t **end = to + (d->taps.count + READ_AHEAD) * PIXELS;
    const int8_t *data = d->input.data;
    const int32_t width = d->input.width, height = w->kernel_height;
    const dpl_span span = taps->y;
    dpl_row_walk rows = taps->rows;
    for (int32_t y = 0; y < height; y++) {
        const int inside = y >= span.begin && y < span.end;
        to = list_row(row, data + rows.offset, inside ? (uint32_t)width : 0, kernel_width, to);
        if (inside) {
            dpl_next_row(&rows);
        }
    }
    for (; to != end; to += PIXELS) {
        *to = to[-PIXELS];
    }
}

static inline void list_taps(const depthwise *d, const dpl_taps *taps, int32_t x,
                             const int8_t **to) {
    if (d->window.kernel_width == USUAL_WIDTH) {
        list_pixel(d, taps, x, USUAL_WIDTH, to);
    } else {
        list_pixel(d, taps, x, d->window.kernel_width, to);
    }
}

/* Whether no side cuts the windows of PIXELS pixels from `x` on. */
static inline int whole(const depthwise *d, const dpl_taps *taps, int32_t x) {
    const dpl_window *w = &d->window;
    const int32_t begin = x * w->stride_width - w->pads.left;
    const int32_t last = begin + (PIXELS - 1) * w->stride_width;
    return taps->y.end - taps->y.begin == w->kernel_height && begin >= 0 &&
           last + (w->kernel_width - 1) * w->dilation_width < d->input.width &&
           x + PIXELS <= d->output.width;
}

/* Of such: the taps of the first pixel, and those of the others as far behind. */
static inline void list_whole(const depthwise *d, const dpl_taps *taps, int32_t x) {
    const int8_t **at = d->taps.at, **end = at + (d->taps.count + READ_AHEAD) * PIXELS;
    const int64_t step = (int64_t)d->window.stride_width * d->input.pixel_pitch;
    list_taps(d, taps, x, at);
    for (; at != end; at += PIXELS) {
        const int8_t *first = at[0];
        at[1] = first + step;
        at[2] = first + 2 * step;
        at[3] = first + 3 * step;
    }
}

/* Each pixel's taps, in a row whose taps are `taps`, and on in the next; pixels that are missing
 * repeat the last. */
static inline void list_each(const depthwise *d, pixel_block *b, dpl_taps taps) {
    int32_t x = b->x, y = b->y;
    int8_t *to = dpl_row_s8(&d->output, y);
    for (int32_t i = 0; i < PIXELS; i++) {
        b->to[i] = to + x * d->output.pixel_pitch;
        list_taps(d, &taps, x, d->taps.at + i);
        if (i + 1 < b->count && ++x == d->output.width) {
            x = 0;
            taps = dpl_taps_of_row(&d->input, &d->window, ++y);
            to = dpl_row_s8(&d->output, y);
        }
    }
}

static inline void list_block(const depthwise *d, pixel_block *b, const dpl_taps *taps) {
    int8_t *to = dpl_row_s8(&d->output, b->y) + b->x * d->output.pixel_pitch;
    b->moved = 0;
    b->listed = b->count == PIXELS && whole(d, taps, b->x);
    if (!b->listed) {
        list_each(d, b, *taps);
        return;
    }
    for (int32_t i = 0; i < PIXELS; i++) {
        b->to[i] = to + i * d->output.pixel_pitch;
    }
    list_whole(d, taps, b->x);
}

/* The block to the right of one that was as whole. */
static inline void move_block(const depthwise *d, pixel_block *b) {
    b->moved += PIXELS * d->window.stride_width * d->input.pixel_pitch;
    for (int32_t i = 0; i < PIXELS; i++) {
        b->to[i] += PIXELS * d->output.pixel_pitch;
    }
}

/* `count` pixels, one after the other from column `x` of row `y` on. */
static inline void run_pixels(const depthwise *d, int32_t y, int32_t x, int32_t count) {
    dpl_taps taps = dpl_taps_of_row(&d->input, &d->window, y);
    pixel_block b = {.y = y, .x = x, .listed = 0};
    for (; count > 0; count -= PIXELS, b.x += PIXELS) {
        b.count = count < PIXELS ? count : PIXELS;
        if (b.x >= d->output.width) {
            b.y += b.x / d->output.width;
            b.x %= d->output.width;
            b.listed = 0;
            taps = dpl_taps_of_row(&d->input, &d->window, b.y);
        }
        if (b.listed && b.count == PIXELS && whole(d, &taps, b.x)) {
            move_block(d, &b);
        } else {
            list_block(d, &b, &taps);
        }
        run_block(d, &b);
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

/* This core's pixels. */
static inline void run_share(const depthwise *d) {
    const int32_t width = d->output.width;
    const dpl_share pixels = dpl_core_share(d->output.height * width);
    if (pixels.begin < pixels.end) {
        run_pixels(d, pixels.begin / width, pixels.begin % width, pixels.end - pixels.begin);
    }
}

/* The same where the rows of `from` are copied. */
static inline void run_copies(depthwise *d, const dpl_tensor_s8 *from) {
    const int32_t width = d->output.width;
    const dpl_share pixels = dpl_core_share(d->output.height * width);
    for (int32_t at = pixels.begin; at < pixels.end;) {
        const int32_t y = at / width, x = at % width, left = pixels.end - at;
        const int32_t count = left < width - x ? left : width - x;
        copy_rows(d, from, y);
        run_pixels(d, y, x, count);
        at += count;
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
    const int32_t list = whole_words((count + READ_AHEAD) * PIXELS * (int32_t)sizeof(int8_t *));
    const int32_t zeros = whole_words(lanes);
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
    fill_run(d->zeros, (int8_t)zero, lanes);
    if (copies) {
        run_copies(d, &given);
    } else {
        run_share(d);
    }
}

#endif
