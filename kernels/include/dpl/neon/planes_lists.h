/* Where values of windows are in planes, and where the positions of a strip go in the output.
 * Included behind planes_shape.h. */
#ifndef DPL_NEON_PLANES_LISTS_H
#define DPL_NEON_PLANES_LISTS_H

#include "dpl/neon/plane_places.h"
#include "dpl/neon/planes_shape.h"
#include "dpl/neon/planes_slide.h"
#include "dpl/neon/simd.h"

/* Of the first channel, behind the first cell. */
static inline int32_t cell_of_tap(const convolution *v, int32_t y, int32_t x) {
    const int32_t row = y % v->tall.remainders * v->wide.remainders;
    const int32_t plane = (row + x % v->wide.remainders) * v->plane;
    return plane + plane_place(&v->tall, y) * v->pitch + plane_place(&v->wide, x);
}

/* Kernel rows of taps of channels, as the weights have them; a cell of a plane has so many bytes.
 */
static inline void list_values(const convolution *v, int32_t bytes) {
    uint16_t *at = v->at;
    const int32_t depth = v->depth, apart = bytes * v->cells; /* a store could change them */
    const int32_t rows = v->turned ? v->wide.taps : v->tall.taps;
    const int32_t columns = v->turned ? v->tall.taps : v->wide.taps;
    for (int32_t i = 0; i < rows; i++) {
        for (int32_t k = 0; k < columns; k++) {
            const int32_t cell = v->turned ? cell_of_tap(v, k, i) : cell_of_tap(v, i, k);
            int32_t place = bytes * cell;
            for (int32_t c = 0; c < depth; c++, place += apart) {
                *at++ = (uint16_t)place;
            }
        }
    }
    at[0] = at[1] = 0;
    if (v->slid_taps > 0) {
        list_rows(v);
    }
}

/* Blocks of eight from `first` on before `end`, all positions of a row, are in a line, and so are
 * the sixteen that begin with one, if they end there, too. */
static inline void mark_lines(int32_t *to, int32_t first, int32_t end) {
    for (int32_t i = first; i + PIXELS <= end; i += PIXELS) {
        to[i + 1] = IN_LINE;
        to[i + 2] = i + 2 * PIXELS <= end ? IN_LINE : 0;
    }
}

/* Positions of a row, `step` bytes apart: eight stores and additions take ten cycles. */
static inline int32_t *list_row(int32_t *to, int32_t offset, int32_t step, int32_t count) {
    int32_t x = 0;
    if (count >= 2 * PIXELS) {
        const int32_t lanes[4] = {0, step, 2 * step, 3 * step};
        int32x4_t low = vaddq_s32(vdupq_n_s32(offset), vld1q_s32(lanes));
        for (; x + PIXELS <= count; x += PIXELS, to += PIXELS) {
            vst1q_s32(to, low);
            vst1q_s32(to + 4, vaddq_s32(low, vdupq_n_s32(4 * step)));
            low = vaddq_s32(low, vdupq_n_s32(PIXELS * step));
        }
        offset += x * step;
    }
    for (; x < count; x++, offset += step) {
        *to++ = offset;
    }
    return to;
}

/* Rows of one pixel. */
static inline int32_t *list_column(const convolution *v, int32_t first, int32_t rows) {
    const int32_t step = v->rows.step * v->output.row_pitch;
    const int32_t offset = (v->rows.first + first * v->rows.step) * v->output.row_pitch +
                           v->columns.first * v->output.pixel_pitch;
    return list_row(v->to, offset, step, rows);
}

/* A position behind a row goes where the row's last pixel does. */
static inline void list_outputs(const convolution *v, int32_t first, int32_t rows) {
    const int32_t step = v->columns.step * v->output.pixel_pitch;
    int32_t *to = v->to, behind = v->pitch - v->columns.count;
    if (v->pitch == 1 && v->output.ring_height == 0) {
        to = list_column(v, first, rows);
        rows = 0;
    }
    for (int32_t y = first; y < first + rows; y++) {
        const int8_t *row = dpl_row_s8(&v->output, v->rows.first + y * v->rows.step);
        int32_t offset = (int32_t)(row - v->output.data) + v->columns.first * v->output.pixel_pitch;
        to = list_row(to, offset, step, v->columns.count);
        for (int32_t x = 0; x < behind; x++) {
            *to++ = offset + (v->columns.count - 1) * step;
        }
    }
    for (; (to - v->to) % PIXELS != 0; to++) {
        *to = to[-1];
    }
    for (int32_t at = 0; at < rows * v->pitch; at += v->pitch) {
        mark_lines(v->to, v->alone > 0 ? at : in_whole(at, PIXELS), at + v->columns.count);
    }
}

/* `rows` of those that are listed: positions behind the last one's end go where its last pixel
 * does. */
static inline void end_list(const convolution *v, int32_t rows) {
    int32_t *to = v->to;
    for (int32_t i = rows * v->pitch; i % PIXELS != 0; i++) {
        to[i] = to[i - 1];
    }
}

/* Outputs lie so many rows further, alike if no ring holds them. */
static inline void move_outputs(convolution *v, int32_t rows) {
    v->output.data += rows * v->rows.step * v->output.row_pitch;
}

#endif
