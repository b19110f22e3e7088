/* Tiles of the input, transformed into blocks. */
#ifndef DPL_NEON_WINOGRAD_INPUT_H
#define DPL_NEON_WINOGRAD_INPUT_H

#include "dpl/neon/copies.h"
#include "dpl/neon/winograd.h"

/* Where eight channels of the rows of a tile begin; of a row beyond the input a pixel of zero
 * points, whose pitch is 0. `count`: fewer where channels end. */
typedef struct {
    const int8_t *at[SIDE];
    int32_t pitch[SIDE];
    int32_t width, zero, count;
} tile_rows;

/* Four rows of a column, transformed downwards. */
typedef struct {
    int16x8_t row[SIDE];
} tile_column;

static inline tile_rows rows_of_tile(const dpl_tensor_s8 *input, int32_t y, int32_t channel,
                                     int32_t zero, const int8_t *outside) {
    const int32_t left = input->channels - channel;
    tile_rows rows = {.width = input->width, .zero = zero, .count = left < STEP ? left : STEP};
    for (int32_t i = 0; i < SIDE; i++) {
        const int inside = y + i >= 0 && y + i < input->height;
        rows.at[i] = inside ? dpl_row_s8(input, y + i) + channel : outside;
        rows.pitch[i] = inside ? input->pixel_pitch : 0;
    }
    return rows;
}

/* Nothing is read behind the last channel; weights of those that are missing are zero. */
INLINED int8x8_t channels_at(const int8_t *from, int32_t count) {
    int8_t few[STEP] = {0};
    if (count == STEP) {
        return vld1_s8(from);
    }
    copy_short(few, from, count);
    return vld1_s8(few);
}

INLINED tile_column column_at(const tile_rows *rows, int32_t x, int32_t count) {
    tile_column to;
    if (x < 0 || x >= rows->width) {
        to.row[0] = to.row[2] = to.row[3] = vdupq_n_s16(0);
        to.row[1] = vdupq_n_s16((int16_t)(2 * rows->zero));
        return to;
    }
    const int8x8_t a = channels_at(rows->at[0] + x * rows->pitch[0], count);
    const int8x8_t b = channels_at(rows->at[1] + x * rows->pitch[1], count);
    const int8x8_t c = channels_at(rows->at[2] + x * rows->pitch[2], count);
    const int8x8_t d = channels_at(rows->at[3] + x * rows->pitch[3], count);
    to.row[0] = vsubl_s8(a, c);
    to.row[1] = vaddl_s8(b, c);
    to.row[2] = vsubl_s8(c, b);
    to.row[3] = vsubl_s8(b, d);
    return to;
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

/* `count` tiles of a row from input column `x` on, as tiles `first` and on of the blocks at `to`,
 * which begin with this step's values. A tile leaves its right two columns to the next. */
INLINED void transform_row(const tile_rows *rows, int32_t x, int32_t count, int16_t *to,
                           int32_t steps, int32_t first, int32_t channels) {
    tile_column columns[SIDE];
    columns[0] = column_at(rows, x, channels);
    columns[1] = column_at(rows, x + 1, channels);
    for (int32_t i = first; i < first + count; i++) {
        int16_t *tile = to + i / TILES * block_values(steps) + i % TILES * STEP;
        x += 2;
        columns[2] = column_at(rows, x, channels);
        columns[3] = column_at(rows, x + 1, channels);
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
        const tile_rows rows = rows_of_tile(input, y, s * STEP, zero, outside);
        if (rows.count == STEP) {
            transform_row(&rows, x, count, blocks, steps, first, STEP);
        } else {
            transform_row(&rows, x, count, blocks, steps, first, rows.count);
        }
    }
}

#endif
