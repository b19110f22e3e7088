/* A convolution on windows where they lie (direct.h) whose rows have to be copied: in bands of rows
 * that have room, so that all rows of a band share a list and a call. Where a band would copy many
 * rows of the one before again, a ring. Columns of a narrow image are copied into a ring, so many
 * rows of them at a time as have room. */
#ifndef DPL_CORTEX_M_DIRECT_BANDS_H
#define DPL_CORTEX_M_DIRECT_BANDS_H

#include "dpl/cortex_m/direct.h"

enum { FEW_VALUES = DPL_DIRECT_FEW_VALUES };

/* Of members, as gcc calls memcpy for the whole. */
static inline void copy_members(const convolution *v, convolution *to) {
    to->input = v->input;
    to->output = v->output;
    to->rows = v->rows;
    to->columns = v->columns;
    to->window = v->window;
    to->groups = v->groups;
    to->input_zero = v->input_zero;
    to->copied = v->copied;
    to->weights = v->weights;
    to->requant = v->requant;
    to->scratch = v->scratch;
}

/* Input rows that so many rows of outputs reach. */
static inline int32_t reached_rows(const convolution *v, int32_t outputs) {
    const dpl_window *w = &v->window;
    return reach(outputs, w->stride_height, w->kernel_height, w->dilation_height);
}

/* Rows of outputs whose input has `room` rows, bands alike; 0 where too many would be copied
 * again. */
static inline int32_t rows_of_band(const convolution *v, int32_t room) {
    const int32_t stride = v->window.stride_height, span = reached_rows(v, 1);
    if (room < span) {
        return 0;
    }
    const int32_t most = (room - span) / stride + 1, count = v->rows.count;
    const int dear = count > most && 3 * (span - stride) > most * stride;
    return dear ? 0 : blocks_of(count, blocks_of(count, most));
}

/* Whether windows read row y of a band. */
static inline int is_read(const dpl_window *w, int32_t y) {
    for (int32_t ky = 0; ky < w->kernel_height; ky++) {
        if ((y - ky * w->dilation_height) % w->stride_height == 0) {
            return 1;
        }
    }
    return 0;
}

static inline void plan_band(const convolution *v, plan *copy) {
    copy->v = v;
    copy->pixel = copied_pixel(v, words_of_tap(v->input.channels / v->groups));
    copy->row = reached_columns(v) * copy->pixel;
    copy->copies = v->scratch;
}

/* Outputs from row `top` on, of copies. */
static inline void convolve_copies(const plan *copy, int32_t top, int32_t count) {
    convolution part;
    copy_members(copy->v, &part);
    const int32_t rows = reached_rows(&part, count);
    const int32_t first = top * part.window.stride_height - part.window.pads.top;
    int16_t *to = copy->copies;
    for (int32_t y = 0; y < rows; y++, to += copy->row) {
        if (is_read(&part.window, y)) {
            copy_row(copy, first + y, to);
        }
    }
    part.rows.first = top;
    part.rows.count = count;
    part.scratch = to + DPL_DIRECT_SLACK_BYTES / (int32_t)sizeof(int16_t);
    read_copies(&part, copy, 0, 0, rows);
    convolve_directly(&part);
}

/* The same of columns in a ring. */
static inline void convolve_columns(const convolution *v, int32_t top, int32_t count) {
    convolution part;
    copy_members(v, &part);
    part.window.pads.top -= top * part.window.stride_height;
    part.rows.first = top;
    part.rows.count = count;
    convolve_directly(&part);
}

/* A narrow image, whose columns are copied where they cannot be read in place. */
static inline void convolve_narrow(convolution *v, int32_t words, int32_t pixel) {
    const dpl_window *w = &v->window;
    convolution turned;
    copy_members(v, &turned);
    turn(&turned);
    if (is_in_place(&turned, v->input.channels / v->groups, words)) {
        convolve_directly(v);
        return;
    }
    const int32_t columns = reach(1, w->stride_width, w->kernel_width, w->dilation_width);
    const int32_t count = v->rows.count;
    const int32_t room = DPL_DIRECT_BAND_BYTES / (int32_t)sizeof(int16_t) / (columns * pixel);
    const int32_t found = rows_of_band(v, room), band = found > 0 ? found : count;
    for (int32_t top = 0; top < count; top += band) {
        convolve_columns(v, top, least(band, count - top));
    }
}

/* Whether a row of values without gaps is copied in one go, and as fast as its pixels that are
 * read. */
static inline int is_dense(const convolution *v, int32_t pixel) {
    const int32_t channels = v->input.channels, apart = v->window.stride_width;
    return v->input.pixel_pitch == channels && channels == pixel && apart * channels <= FEW_VALUES;
}

/* Leaves the columns that windows of one column read at a stride: others are not copied. */
static inline void thin_columns(convolution *v, int32_t depth, int32_t words) {
    dpl_window *w = &v->window;
    const int32_t apart = w->stride_width;
    const int copied = !are_columns_inside(v, depth, words) && !is_dense(v, copied_pixel(v, words));
    if (w->kernel_width == 1 && w->pads.left == 0 && copied) {
        v->input.width = (v->input.width + apart - 1) / apart;
        v->input.pixel_pitch *= apart;
        w->stride_width = 1;
    }
}

static inline void convolve_in_bands(convolution *v) {
    const int32_t depth = v->input.channels / v->groups, words = words_of_tap(depth);
    plan copy;
    if (v->columns.count <= 0 || v->rows.count <= 0) {
        return;
    }
    thin_columns(v, depth, words);
    plan_band(v, &copy);
    if (is_turned(v)) {
        convolve_narrow(v, words, copy.pixel);
        return;
    }
    const int32_t room = DPL_DIRECT_CONV_BYTES / (int32_t)sizeof(int16_t) / copy.row;
    const int32_t band = are_columns_inside(v, depth, words) ? 0 : rows_of_band(v, room);
    if (band == 0) {
        convolve_directly(v);
        return;
    }
    for (int32_t top = 0; top < v->rows.count; top += band) {
        convolve_copies(&copy, top, least(band, v->rows.count - top));
    }
}

#endif
