/* Convolution with few channels a group: pixels of the output in lanes.
 *
 * Of each group the input becomes planes of int16, a channel each, and one for each remainder of
 * the strides. Rows of a plane follow each other with no more cells between them than padding
 * takes: what a window reads behind a row's end is the padding before the next. So a value of the
 * windows of eight pixels is a vector of cells wherever it is, and a lane is a pixel whatever
 * channels there are. Positions between rows are computed, too, and stored where the
 * pixel before them goes, before that one: blocks and lanes go from the last to the first.
 *
 * Groups take a strip of rows of the output in turn, whose planes stay in the first cache; cores
 * share groups of strips. */
#ifndef DPL_NEON_PLANES_H
#define DPL_NEON_PLANES_H

#include "dpl/cores.h"
#include "dpl/neon/plane_axis.h"
#include "dpl/neon/planes_fill.h"
#include "dpl/neon/planes_outputs.h"
#include "dpl/neon/planes_sums.h"
#include "dpl/neon/stripes.h"
#include "dpl/tensor.h"
#include "dpl/window.h"

#define PIXELS DPL_PLANE_PIXELS

typedef struct {
    dpl_tensor_s8 input, output; /* of all groups, channels and pitches in bytes */
    dpl_window window;
    int32_t input_zero;
    output_rule requant;
    void *scratch;
    stripes rows, columns;
    int32_t core_bytes; /* of one core, equal for all that a call convolves */
    plane_axis tall, wide;
    int32_t depth, outputs, values; /* of a group: channels, values of a window */
    int32_t pitch;                  /* cells of a row of a plane */
    int32_t strip;                  /* rows of the output */
    int32_t plane, cells;           /* of a plane, of all of a channel */
    uint16_t *at;                   /* bytes from a position to each value of its window */
    int32_t *to;                    /* where in the output each position of the strip goes */
    int16_t *planes;
} convolution;

/* Cells behind the last plane: padding of its last row, and what a block reads behind its end. */
static inline int32_t cells_behind(const convolution *v) {
    return v->wide.span + PIXELS;
}

static inline int32_t in_whole(int32_t count, int32_t of) {
    return (count + of - 1) / of * of;
}

static inline int32_t plane_bytes(const convolution *v, int32_t rows) {
    const int32_t planes = v->depth * v->tall.remainders * v->wide.remainders;
    return planes * in_whole((rows + v->tall.span) * v->pitch, FOUR) * 2;
}

/* Between rows is what a window needs of padding, before or behind. Never zero: a remainder of a
 * transposed convolution may have no outputs. */
static inline int32_t pitch_of(const convolution *v) {
    const plane_axis *wide = &v->wide;
    const int32_t width = v->columns.count > 0 ? v->columns.count : 1;
    const int32_t whole = width + wide->span;
    const int32_t inputs = (v->input.width + wide->stride - 1) / wide->stride - wide->first;
    const int32_t read = whole + wide->first;
    const int32_t shared = inputs > read ? inputs : read;
    const int32_t least = shared > width ? shared : width;
    return least < whole ? least : whole;
}

/* Rows whose planes fit, no more than leave every core a strip of a group. */
static inline int32_t strip_of(const convolution *v, int32_t groups) {
    const int32_t own = v->rows.count * groups / DPL_CORE_COUNT;
    int32_t rows = DPL_PLANE_POSITIONS / v->pitch;
    rows = rows < own ? rows : own;
    rows = rows < v->rows.count ? rows : v->rows.count;
    while (rows > 1 && plane_bytes(v, rows) > DPL_PLANE_BYTES) {
        rows--;
    }
    return rows < 1 ? 1 : rows;
}

static inline int32_t at_bytes(const convolution *v) {
    return in_whole(2 * (v->values + 2), 16);
}

static inline int32_t to_bytes(const convolution *v) {
    return 4 * in_whole(v->strip * v->pitch, PIXELS);
}

static inline void swap(int32_t *a, int32_t *b) {
    const int32_t both = *a;
    *a = *b;
    *b = both;
}

/* Rows of few pixels as columns: windows in a line have the same values in the same order. */
static inline void turn(convolution *v) {
    dpl_window *w = &v->window;
    const stripes rows = v->rows;
    v->rows = v->columns;
    v->columns = rows;
    swap(&v->input.height, &v->input.width);
    swap(&v->input.row_pitch, &v->input.pixel_pitch);
    swap(&v->output.row_pitch, &v->output.pixel_pitch);
    swap(&w->kernel_height, &w->kernel_width);
    swap(&w->stride_height, &w->stride_width);
    swap(&w->dilation_height, &w->dilation_width);
    swap(&w->pads.top, &w->pads.left);
}

static inline int turns(const convolution *v) {
    const int32_t rings = v->input.ring_height | v->output.ring_height;
    const int in_line = v->window.kernel_height == 1 || v->window.kernel_width == 1;
    return rings == 0 && in_line && v->columns.count < FOUR && v->columns.count < v->rows.count;
}

static inline void set_axes(convolution *v) {
    const dpl_window *w = &v->window;
    v->tall = plane_axis_of(w->kernel_height, w->stride_height, w->dilation_height, w->pads.top);
    v->wide = plane_axis_of(w->kernel_width, w->stride_width, w->dilation_width, w->pads.left);
    v->pitch = pitch_of(v);
}

static inline void shape(convolution *v, int32_t depth_bytes, int32_t groups) {
    const dpl_window *w = &v->window;
    v->depth = depth_bytes / ELEMENT_BYTES;
    v->values = w->kernel_height * w->kernel_width * v->depth;
    set_axes(v);
    if (turns(v)) {
        turn(v);
        set_axes(v);
        if (plane_bytes(v, 1) > DPL_PLANE_BYTES) {
            turn(v);
            set_axes(v);
        }
    }
    v->strip = strip_of(v, groups);
    v->plane = in_whole((v->strip + v->tall.span) * v->pitch, FOUR);
    v->cells = v->tall.remainders * v->wide.remainders * v->plane;
}

/* Of a core, for groups of so many bytes of channels. */
static inline int32_t strip_bytes(convolution *v, int32_t channels) {
    shape(v, channels, v->input.channels / channels);
    const int32_t cells = v->depth * v->cells + cells_behind(v);
    return in_whole(at_bytes(v) + to_bytes(v) + 2 * cells, 16);
}

/* Kernel rows of taps of channels, as the weights have them. */
static inline void list_values(const convolution *v) {
    uint16_t *at = v->at;
    for (int32_t y = 0; y < v->tall.taps; y++) {
        const int32_t row = y % v->tall.remainders * v->wide.remainders;
        for (int32_t x = 0; x < v->wide.taps; x++) {
            const int32_t plane = (row + x % v->wide.remainders) * v->plane;
            const int32_t cell = plane_place(&v->tall, y) * v->pitch + plane_place(&v->wide, x);
            for (int32_t c = 0; c < v->depth; c++) {
                *at++ = (uint16_t)(2 * (c * v->cells + plane + cell));
            }
        }
    }
    at[0] = at[1] = 0;
}

/* A position behind a row goes where the row's last pixel does. */
static inline void list_outputs(const convolution *v, int32_t first, int32_t rows) {
    const int32_t step = v->columns.step * v->output.pixel_pitch;
    int32_t *to = v->to, behind = v->pitch - v->columns.count;
    for (int32_t y = first; y < first + rows; y++) {
        const int8_t *row = dpl_row_s8(&v->output, v->rows.first + y * v->rows.step);
        int32_t offset = (int32_t)(row - v->output.data) + v->columns.first * v->output.pixel_pitch;
        for (int32_t x = 0; x < v->columns.count; x++, offset += step) {
            *to++ = offset;
        }
        for (int32_t x = 0; x < behind; x++) {
            *to++ = offset - step;
        }
    }
    for (; (to - v->to) % PIXELS != 0; to++) {
        *to = to[-1];
    }
}

/* What a group has of rows from input row `y` on, of the planes of column remainder `x`: `to` is
 * place 0. */
static inline void fill_rows(const convolution *v, int32_t y, int32_t x, int16_t *to, int32_t rows,
                             int32_t own) {
    const plane_axis *tall = &v->tall, *wide = &v->wide;
    const int32_t before = wide->first < 0 ? -wide->first : 0;
    const int32_t places = places_before(wide, x, v->input.width);
    const int32_t column = plane_begin(wide, x) + before * wide->stride;
    plane_row row = {.step = wide->stride * v->input.pixel_pitch,
                     .apart = v->cells,
                     .count = (places < v->pitch ? places : v->pitch) - before};
    for (; rows > 0 && row.count > 0; rows--, y += tall->stride, to += v->pitch) {
        if (y >= 0 && y < v->input.height) {
            row.from = dpl_row_s8(&v->input, y) + column * v->input.pixel_pitch + own;
            row.to = to + before;
            fill_row(&row, v->depth, (v->input.channels - own) / ELEMENT_BYTES);
        }
    }
}

/* For `rows` rows of the output from `first` on; `own`: where the group's channels begin. */
static inline void fill_planes(const convolution *v, int32_t first, int32_t rows, int32_t own) {
    const plane_axis *tall = &v->tall;
    int16_t *to = v->planes;
    for (int32_t i = 0; i < tall->remainders; i++) {
        const int32_t y = plane_begin(tall, i) + first * tall->stride;
        for (int32_t x = 0; x < v->wide.remainders; x++, to += v->plane) {
            fill_rows(v, y, x, to, rows + tall->span, own);
        }
    }
}

/* Channels of the piece that has most: pieces differ by one at most, the larger ones first. */
static inline int32_t pieces_of(int32_t channels) {
    return (channels + MOST_CHANNELS - 1) / MOST_CHANNELS;
}

static inline int32_t piece_bytes(const convolution *v, int32_t channels) {
    const int32_t step = channels > HALF_CHANNELS ? MOST_CHANNELS : HALF_CHANNELS;
    return in_whole(2 * step * v->values, 16) + channels * (int32_t)sizeof(channel_table);
}

/* A piece of a group, whose channels are `out` and on. */
typedef struct {
    const int16_t *weights;
    const channel_table *tables;
    plane_limits limits;
    int8_t *out;
} plane_piece;

/* Up to four channels, a constant. */
INLINED void store_channels(const int16x8_t *outputs, int channels, int8_t *const *to) {
    if (channels > 2) {
        store_four(outputs, channels, to);
    } else if (channels == 2) {
        store_two(outputs, to);
    } else {
        store_one(outputs, to);
    }
}

/* Eight positions, the last one first. */
INLINED void store_block(const int16x8_t *outputs, int channels, int8_t *out, const int32_t *at) {
    int8_t *to[PIXELS], *rest[PIXELS];
    UNROLLED for (int i = 0; i < PIXELS; i++) {
        to[i] = out + at[i];
        rest[i] = to[i] + HALF_CHANNELS * ELEMENT_BYTES;
    }
    store_channels(outputs, channels < HALF_CHANNELS ? channels : HALF_CHANNELS, to);
    if (channels > HALF_CHANNELS) {
        store_channels(outputs + HALF_CHANNELS, channels - HALF_CHANNELS, rest);
    }
}

/* All positions of the strip, `channels` of a piece, a constant; the last block first. */
INLINED void run_channels(const convolution *v, const plane_piece *piece, int channels,
                          int32_t positions) {
    const plane_piece p = *piece; /* a store could change it */
    const int8_t *cells = (const int8_t *)v->planes;
    const uint16_t *at = v->at;
    const int32_t *to = v->to, values = v->values;
    for (int32_t i = in_whole(positions, PIXELS) - PIXELS; i >= 0; i -= PIXELS) {
        int32x4_t low[MOST_CHANNELS], high[MOST_CHANNELS];
        int16x8_t outputs[MOST_CHANNELS];
        sum_channels(cells + 2 * i, at, values, p.weights, p.tables, channels, low, high);
        finish_sums(&p.limits, p.tables, channels, low, high, outputs);
        store_block(outputs, channels, p.out, to + i);
    }
}

static void run_piece(const convolution *v, const plane_piece *p, int32_t channels,
                      int32_t positions) {
    switch (channels) {
    case 1: run_channels(v, p, 1, positions); break;
    case 2: run_channels(v, p, 2, positions); break;
    case 3: run_channels(v, p, 3, positions); break;
    case 4: run_channels(v, p, 4, positions); break;
    case 5: run_channels(v, p, 5, positions); break;
    case 6: run_channels(v, p, 6, positions); break;
    case 7: run_channels(v, p, 7, positions); break;
    default: run_channels(v, p, 8, positions); break;
    }
}

static inline plane_piece piece_of(const convolution *v, const int8_t *at, int32_t channels,
                                   int32_t first) {
    const int8_t *end = at + piece_bytes(v, channels);
    const channel_table *tables = (const channel_table *)(const void *)end - channels;
    const plane_limits limits = {v->requant->rule,
                                 channels_take_high_words(v->requant->rule, tables, channels),
                                 (int16_t)v->requant->low, (int16_t)v->requant->high};
    const plane_piece piece = {(const int16_t *)(const void *)at, tables, limits,
                               v->output.data + first * ELEMENT_BYTES};
    return piece;
}

/* A strip of a group; returns what is behind its weights. */
static inline const int8_t *run_group(const convolution *v, const int8_t *weights, int32_t group,
                                      int32_t rows) {
    const int32_t pieces = pieces_of(v->outputs);
    const int32_t positions = (rows - 1) * v->pitch + v->columns.count;
    int32_t first = group * v->outputs;
    for (int32_t i = 0; i < pieces; i++) {
        const int32_t channels = (v->outputs + pieces - 1 - i) / pieces;
        const plane_piece piece = piece_of(v, weights, channels, first);
        run_piece(v, &piece, channels, positions);
        weights += piece_bytes(v, channels);
        first += channels;
    }
    return weights;
}

static inline int32_t group_bytes(const convolution *v) {
    const int32_t pieces = pieces_of(v->outputs);
    int32_t bytes = 0;
    for (int32_t i = 0; i < pieces; i++) {
        bytes += piece_bytes(v, (v->outputs + pieces - 1 - i) / pieces);
    }
    return bytes;
}

static inline void lay_out(convolution *v) {
    int8_t *own = (int8_t *)v->scratch + dpl_core_id() * v->core_bytes;
    v->at = (uint16_t *)(void *)own;
    v->to = (int32_t *)(void *)(own + at_bytes(v));
    v->planes = (int16_t *)(void *)(own + at_bytes(v) + to_bytes(v));
}

/* All groups of whole tensors in `v`; returns what is behind their weights. */
static inline const int8_t *convolve(convolution *v, int32_t groups, const int8_t *weights) {
    shape(v, v->input.channels / groups, groups);
    v->outputs = v->output.channels / ELEMENT_BYTES / groups;
    lay_out(v);
    const int32_t bytes = group_bytes(v), all = v->columns.count > 0 ? v->rows.count : 0;
    const dpl_share share = dpl_core_share((all + v->strip - 1) / v->strip * groups);
    int32_t listed = -1;
    if (share.begin < share.end) {
        list_values(v);
    }
    for (int32_t i = share.begin; i < share.end; i++) {
        const int32_t group = i % groups, first = i / groups * v->strip, left = all - first;
        const int32_t rows = left < v->strip ? left : v->strip;
        if (first != listed) { /* padding is alike in all groups */
            list_outputs(v, first, rows);
            pad_cells(v->planes, (int16_t)v->input_zero, v->depth * v->cells + cells_behind(v));
            listed = first;
        }
        fill_planes(v, first, rows, group * v->depth * ELEMENT_BYTES);
        run_group(v, weights + group * bytes, group, rows);
    }
    return weights + groups * bytes;
}

#endif
