/* Depthwise convolution, any window and multiplier: eight channels of four pixels, one after the
 * other through the rows.
 *
 * A list holds where the taps of each of the four lie; a padded tap lies among zero points. Where
 * no side cuts the windows the list serves pixels to their right too, whose taps lie as far behind.
 * Where channels are few the rows that a window covers are copied (depthwise_rows.h), a list serves
 * a row, and blocks end with it. Channels of several outputs take as many passes of a block.
 * Included behind the sums of a type, depthwise_s8.h, depthwise_s16.h or depthwise_f32.h; tensors
 * are taken as bytes.
 */
#ifndef DPL_NEON_DEPTHWISE_H
#define DPL_NEON_DEPTHWISE_H

#include "dpl/neon/depthwise_blocks.h"
#include "dpl/neon/depthwise_periods.h"
#include "dpl/neon/depthwise_turn.h"

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

/* Not inlined: it takes long, and is called from two places. */
static __attribute__((noinline)) void list_taps(const depthwise *d, const dpl_taps *taps, int32_t x,
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
    b->moved = b->slide = 0;
    b->listed = b->count == PIXELS && whole(d, taps, b->x);
    if (!b->listed) {
        list_each(d, b, *taps);
        return;
    }
    for (int32_t i = 0; i < PIXELS; i++) {
        b->to[i] = to + i * d->output.pixel_pitch;
    }
    b->slide = slide_of(&d->window, d->input.pixel_pitch);
    list_whole(d, taps, b->x);
}

/* Blocks from `b` on that the list serves, of `count` pixels. */
static inline int32_t count_listed(const depthwise *d, const dpl_taps *taps, const pixel_block *b,
                                   int32_t count) {
    int32_t blocks = 1;
    while (b->listed && (blocks + 1) * PIXELS <= count && whole(d, taps, b->x + blocks * PIXELS)) {
        blocks++;
    }
    return blocks;
}

/* `count` pixels, one after the other from column `x` of row `y` on. */
static inline void run_pixels(depthwise *d, int32_t y, int32_t x, int32_t count) {
    dpl_taps taps = dpl_taps_of_row(&d->input, &d->window, y);
    pixel_block b = {.y = y,
                     .x = x,
                     .tap_step = PIXELS * d->window.stride_width * d->input.pixel_pitch,
                     .to_step = PIXELS * d->output.pixel_pitch};
    for (; count > 0; count -= b.blocks * PIXELS, b.x += b.blocks * PIXELS) {
        b.count = count < PIXELS ? count : PIXELS;
        if (b.x >= d->output.width) {
            b.y += b.x / d->output.width;
            b.x %= d->output.width;
            taps = dpl_taps_of_row(&d->input, &d->window, b.y);
        }
        list_block(d, &b, &taps);
        b.blocks = count_listed(d, &taps, &b, count);
        if (d->period > 0) {
            run_periods(d, &b);
        } else {
            run_multiplied(d, &b);
        }
    }
}

/* Taps of a row of which `count` pixels are asked for, where it is copied. */
static inline void list_row_taps(const depthwise *d, int32_t y, int32_t count) {
    const row_copies *c = &d->copies;
    const dpl_window *w = &d->window;
    const int64_t step = (int64_t)c->group * c->apart;
    const int32_t last = (count - 1) / c->group;
    int32_t row = y * w->stride_height - w->pads.top, place = place_in_ring(c, row);
    const int8_t **at = d->taps.at, **end = at + (d->taps.count + READ_AHEAD) * PIXELS;
    for (int32_t k = 0; k < w->kernel_height; k++, row += w->dilation_height) {
        const int inside = row >= 0 && row < d->input.height;
        const int8_t *copy = inside ? c->rows + place * c->row_bytes : c->outside;
        at = list_copied(c, w, copy, step, last, at);
        place += w->dilation_height; /* fewer than the ring has, of a window of several rows */
        place -= place >= c->held ? c->held : 0;
    }
    for (; at != end; at++) {
        *at = at[-PIXELS];
    }
}

/* `blocks` of a row from column `x` on; pixels of the output are `step` bytes apart. */
static inline void run_copied(const depthwise *d, int8_t *to, int32_t step, int32_t x,
                              int32_t blocks, int32_t count) {
    const int32_t group = d->copies.group, most = PIXELS * group;
    pixel_block b = {.count = count,
                     .moved = x * d->copies.apart,
                     .blocks = blocks,
                     .tap_step = most * d->copies.apart,
                     .to_step = most * step,
                     .slide = group == 1 ? slide_of(&d->window, d->copies.apart) : 0};
    for (int32_t k = 0; k < PIXELS; k++) {
        b.to[k] = to + k * group * step;
    }
    if (count == PIXELS) {
        run_multiplied(d, &b);
    } else {
        run_blocks(d, &b);
    }
}

/* `count` pixels; where they fill no blocks the last one is that of the last pixels. */
static inline void run_each(const depthwise *d, int8_t *to, int32_t step, int32_t x,
                            int32_t count) {
    const int32_t most = PIXELS * d->copies.group, left = count > most ? count - most : 0;
    if (count >= most) {
        run_copied(d, to, step, x, count / most, PIXELS);
    }
    if (count % most != 0) {
        run_copied(d, to + left * step, step, x + left, 1,
                   count < PIXELS && most == PIXELS ? count : PIXELS);
    }
}

/* The same; pixels side by side go to a row of their own first where those of the output do not
 * follow each other or do not fill a block. */
static inline void run_row(const depthwise *d, int32_t y, int32_t x, int32_t count) {
    const int32_t pitch = d->output.pixel_pitch, bytes = d->output.channels;
    int8_t *to = dpl_row_s8(&d->output, y) + x * pitch;
    const int whole = pitch == bytes && count >= PIXELS * d->copies.group;
    list_row_taps(d, y, count);
    if (d->copies.group == 1 || whole) {
        run_each(d, to, pitch, x, count);
        return;
    }
    const strided_run at = {to, d->beside, pitch, bytes};
    run_each(d, d->beside, bytes, x, count);
    copy_runs(at, bytes, count);
}

/* This core's pixels. */
static inline void run_share(depthwise *d) {
    const int32_t width = d->output.width;
    const dpl_share pixels = dpl_core_share(d->output.height * width);
    if (pixels.begin < pixels.end) {
        run_pixels(d, pixels.begin / width, pixels.begin % width, pixels.end - pixels.begin);
    }
}

/* The same where rows are copied. */
static inline void run_copies(depthwise *d) {
    const dpl_window *w = &d->window;
    const int32_t width = d->output.width;
    const dpl_share pixels = dpl_core_share(d->output.height * width);
    for (int32_t at = pixels.begin; at < pixels.end;) {
        const int32_t y = at / width, x = at % width, left = pixels.end - at;
        const int32_t count = left < width - x ? left : width - x;
        copy_rows(&d->copies, &d->input, w->pads.left, y * w->stride_height - w->pads.top);
        run_row(d, y, x, count);
        at += count;
    }
}

/* Whether lists of pixels take longer than copies of few channels: at strides padding cuts the
 * windows of many blocks, each of which has lists of its own. */
static inline int is_listed(const depthwise *d, int32_t taps, int32_t turns) {
    const dpl_pads *p = &d->window.pads;
    const int32_t padded = p->top | p->left | p->bottom | p->right;
    const int many = d->output.height * d->output.width >= DPL_STRIDED_OUTPUTS;
    return turns > 1 && padded != 0 && many && taps >= DPL_STRIDED_TAPS * turns;
}

/* Whether rows are copied: channels fill no block, or so many taps share a copy that it takes less
 * than lists, or than loads across eight bytes if blocks fill a row, more or less; pieces of pixels
 * side by side have no other use, but for rows that are one pixel. The same in
 * deployer/kernelset/layouts/taps_c8.py. */
static inline int copies_rows(const depthwise *d) {
    const dpl_window *w = &d->window;
    if (d->period > 0 || d->group > 1) {
        return d->period == 0;
    }
    const int32_t bytes = d->input.channels, channels = bytes / ELEMENT_BYTES;
    const int32_t turns = w->stride_height * w->stride_width;
    const int32_t taps = w->kernel_height * w->kernel_width;
    const int32_t width = is_column(d) ? d->output.height : d->output.width;
    const int shared = taps >= DPL_SHARED_TAPS * turns;
    const int few = channels <= DPL_COPIED_CHANNELS;
    const int fills = (width + PIXELS - 1) / PIXELS * PIXELS * 4 <= width * 5;
    return channels < WIDTH || (shared && (few || (bytes % 8 != 0 && fills))) ||
           (few && is_listed(d, taps, turns));
}

/* How rows are copied. A pixel's own channels begin at eight bytes: loads across them take longer.
 */
static inline row_copies copies_of(const depthwise *d) {
    const dpl_window *w = &d->window;
    const int32_t bytes = d->input.channels, group = d->group;
    const int32_t phases = group > 1 ? w->stride_width : 1;
    const int32_t pixel = group > 1 ? bytes : (bytes + 7) / 8 * 8;
    const int32_t columns =
        (d->output.width - 1) * w->stride_width + (w->kernel_width - 1) * w->dilation_width + 1;
    const int32_t pixels = (columns + phases - 1) / phases + group - 1;
    const int32_t phase_bytes = whole_words(pixels * pixel);
    const int32_t held = (w->kernel_height - 1) * w->dilation_height + 1;
    const int32_t outside = (w->pads.top | w->pads.bottom) != 0, reach = columns - w->pads.left;
    const row_copies c = {.group = group,
                          .phases = phases,
                          .pixel = pixel,
                          .apart = w->stride_width / phases * pixel,
                          .phase_bytes = phase_bytes,
                          .row_bytes = phases * phase_bytes,
                          .all_bytes = (held + outside) * phases * phase_bytes,
                          .columns = reach < d->input.width ? reach : d->input.width,
                          .held = held};
    return c;
}

/* Pixels of a row side by side lie there before they go to the output. */
static inline int32_t bytes_beside(const depthwise *d, int32_t group) {
    const int32_t width = d->output.width, block = PIXELS * group;
    return group == 1 ? 0 : whole_words((width > block ? width : block) * d->output.channels);
}

/* Copies begin with zero points. */
static inline void begin_copies(depthwise *d, int32_t zero, int8_t *own) {
    row_copies *c = &d->copies;
    *c = copies_of(d);
    c->rows = own;
    c->outside = own + c->held * c->row_bytes;
    d->beside = own + c->all_bytes;
    d->lanes = c->group * d->input.channels / ELEMENT_BYTES;
    fill_run(own, (int8_t)zero, c->all_bytes);
}

/* Of a core: zero points and a row's last piece, or copies. */
static inline int32_t own_bytes(const depthwise *d) {
    if (!copies_rows(d)) {
        return whole_words(d->input.channels) + tail_bytes(d);
    }
    const row_copies c = copies_of(d);
    return c.all_bytes + bytes_beside(d, c.group);
}

static inline int32_t outputs_each(const depthwise *d) {
    return d->output.channels / d->input.channels;
}

static inline int32_t list_bytes(const depthwise *d) {
    return whole_words((listed_taps(&d->window) + READ_AHEAD) * PIXELS * (int32_t)sizeof(int8_t *));
}

static inline int32_t held_bytes(const depthwise *d) {
    const int32_t multiplier = outputs_each(d);
    return multiplier == 1 ? 0 : multiplier * PIXELS * WIDTH * ELEMENT_BYTES;
}

/* Of a core: a list, outputs of a block, zero points or copies. */
static inline int32_t depthwise_bytes(const depthwise *d) {
    return list_bytes(d) + held_bytes(d) + own_bytes(d);
}

/* Of a core whose scratch has `bytes`, or `least` if those are more. */
static inline int8_t *own_of(void *scratch, int32_t bytes, int32_t least) {
    return (int8_t *)scratch + dpl_core_id() * (bytes > least ? bytes : least);
}

/* `d` has tensors, window, requant and pieces; `scratch` is for all cores, `least` bytes each. Not
 * inlined where phases are looped over: registers are too few there. */
static __attribute__((noinline)) void run_depthwise(depthwise *d, int32_t zero, void *scratch,
                                                    int32_t least) {
    int8_t *own = own_of(scratch, depthwise_bytes(d), least);
    int8_t *held = own + list_bytes(d), *rest = held + held_bytes(d);
    d->taps.at = (const int8_t **)(void *)own;
    d->taps.count = listed_taps(&d->window);
    d->multiplier = outputs_each(d);
    d->held = held;
    if (copies_rows(d)) {
        begin_copies(d, zero, rest);
        run_copies(d);
        return;
    }
    d->lanes = d->input.channels / ELEMENT_BYTES;
    d->zeros = rest;
    fill_run(rest, (int8_t)zero, d->input.channels);
    make_tail(d, rest + whole_words(d->input.channels));
    run_share(d);
}

#endif
