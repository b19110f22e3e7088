/* Tiles of the input, transformed into blocks. */
#ifndef DPL_NEON_WINOGRAD_INPUT_H
#define DPL_NEON_WINOGRAD_INPUT_H

#include "dpl/neon/copies.h"
#include "dpl/neon/winograd.h"

/* Where eight channels of the next column begin, in the rows of a tile; of a row beyond the input a
 * pixel of zero points, whose pitch is 0. */
typedef struct {
    const int8_t *at[SIDE];
    int32_t pitch[SIDE];
    int32_t x, width; /* of the next column, and how many there are */
    int32_t zero;
} tile_rows;

/* Four rows of a column, transformed downwards. */
typedef struct {
    int16x8_t row[SIDE];
} tile_column;

static inline tile_rows rows_of_tile(const dpl_tensor_s8 *input, int32_t y, int32_t x,
                                     int32_t channel, const int8_t *outside) {
    tile_rows rows = {.x = x, .width = input->width, .zero = *outside};
    for (int32_t i = 0; i < SIDE; i++) {
        const int inside = y + i >= 0 && y + i < input->height;
        rows.pitch[i] = inside ? input->pixel_pitch : 0;
        rows.at[i] = inside ? dpl_row_s8(input, y + i) + x * input->pixel_pitch + channel : outside;
    }
    return rows;
}

/* Nothing is read behind the last channel; weights of those that are missing are zero. */
INLINED int8x8_t channels_at(const int8_t *from, int32_t count) {
    int8_t few[2 * STEP] = {0}; /* what copy_short may write */
    if (count == STEP) {
        return vld1_s8(from);
    }
    copy_short(few, from, count);
    return vld1_s8(few);
}

/* The column that lies so many pixels from the next one. */
INLINED tile_column column_at(const tile_rows *rows, int32_t on, int32_t count) {
    const int8x8_t a = channels_at(rows->at[0] + on * rows->pitch[0], count);
    const int8x8_t b = channels_at(rows->at[1] + on * rows->pitch[1], count);
    const int8x8_t c = channels_at(rows->at[2] + on * rows->pitch[2], count);
    const int8x8_t d = channels_at(rows->at[3] + on * rows->pitch[3], count);
    const tile_column to = {{vsubl_s8(a, c), vaddl_s8(b, c), vsubl_s8(c, b), vsubl_s8(b, d)}};
    return to;
}

static inline tile_column column_or_zeros(const tile_rows *rows, int32_t on, int32_t count) {
    const int32_t x = rows->x + on;
    const int16x8_t none = vdupq_n_s16(0), two = vdupq_n_s16((int16_t)(2 * rows->zero));
    const tile_column zeros = {{none, two, none, none}};
    return x >= 0 && x < rows->width ? column_at(rows, on, count) : zeros;
}

/* The next two columns. */
INLINED void two_columns(tile_rows *rows, int32_t count, tile_column *to) {
    if (rows->x >= 0 && rows->x + 1 < rows->width) {
        to[0] = column_at(rows, 0, count);
        to[1] = column_at(rows, 1, count);
    } else {
        to[0] = column_or_zeros(rows, 0, count);
        to[1] = column_or_zeros(rows, 1, count);
    }
    rows->x += 2;
    UNROLLED for (int i = 0; i < SIDE; i++) {
        rows->at[i] += 2 * rows->pitch[i];
    }
}

/* Four columns to a tile's place in a block whose positions are `pitch` values apart. */
INLINED void transform_across(const tile_column *left, const tile_column *right, int16_t *to,
                              int32_t pitch) {
    UNROLLED for (int i = 0; i < SIDE; i++) {
        const int16x8_t a = left[0].row[i], b = left[1].row[i];
        const int16x8_t c = right[0].row[i], d = right[1].row[i];
        vst1q_s16(to, vsubq_s16(a, c));
        vst1q_s16(to + pitch, vaddq_s16(b, c));
        vst1q_s16(to + 2 * pitch, vsubq_s16(c, b));
        vst1q_s16(to + 3 * pitch, vsubq_s16(b, d));
        to += SIDE * pitch;
    }
}

/* `count` tiles of a row, as tiles `first` and on of the blocks at `to`, which begin with this
 * step's values. A tile leaves its right two columns to the next. */
INLINED void transform_row(tile_rows rows, int32_t count, int16_t *to, int32_t steps, int32_t first,
                           int32_t channels) {
    tile_column columns[SIDE];
    two_columns(&rows, channels, columns);
    for (int32_t i = first; i < first + count; i++) {
        int16_t *tile = to + i / TILES * block_values(steps) + i % TILES * STEP;
        two_columns(&rows, channels, columns + 2);
        transform_across(columns, columns + 2, tile, steps * STEP_VALUES);
        columns[0] = columns[2];
        columns[1] = columns[3];
    }
}

/* The same of all channels; `y`: the input row of the tiles' first. */
static inline void transform_tiles(const dpl_tensor_s8 *input, int32_t zero, int32_t y, int32_t x,
                                   int32_t count, int16_t *blocks, int32_t first) {
    const int32_t steps = steps_of(input->channels);
    int8_t outside[STEP];
    vst1_s8(outside, vdup_n_s8((int8_t)zero));
    for (int32_t s = 0; s < steps; s++, blocks += STEP_VALUES) {
        const int32_t left = input->channels - s * STEP;
        const tile_rows rows = rows_of_tile(input, y, x, s * STEP, outside);
        if (left >= STEP) {
            transform_row(rows, count, blocks, steps, first, STEP);
        } else {
            transform_row(rows, count, blocks, steps, first, left);
        }
    }
}

#endif
