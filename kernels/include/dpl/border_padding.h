/* A convolution's tile in L1 with border padding: zero points between its rows, so that no side
 * cuts a window.
 *
 * Rows lie one behind the other, as many pixels between two as the window reaches beyond either
 * side, and once more before the first and behind the last. One command to the DMA brings all rows
 * but the last, each with the pixels that follow it in far memory; zero points are written over
 * these behind it, by all cores. */
#ifndef DPL_BORDER_PADDING_H
#define DPL_BORDER_PADDING_H

#include "dpl/tiles.h"

/* Runs of `bytes` zero points, `pitch` bytes apart; none where bytes is 0. They lie behind the
 * arguments of the kernel. */
typedef struct {
    int8_t *first;
    int32_t runs, pitch, bytes, zero;
} dpl_border_padding;

/* Every core calls it, and returns when all runs are written. Those of an input that the tile
 * before had are there. */
void dpl_fill_border_padding(const dpl_border_padding *b);

/* Pixels between two rows. */
static inline int32_t dpl_border_padding_pixels(const dpl_cut *columns) {
    return columns->before > columns->after ? columns->before : columns->after;
}

/* The columns of the tile at `at`, for a kernel that sees its zero points as columns like others.
 */
static inline void dpl_set_padded_rows(dpl_tensor_s8 *input, dpl_border_padding *b,
                                       const dpl_cut *columns, int8_t *at, int32_t channels) {
    const int32_t padding = dpl_border_padding_pixels(columns);
    input->data = at + (padding - columns->before) * channels;
    input->width = columns->before + columns->inputs + columns->after;
    input->row_pitch = (columns->inputs + padding) * channels;
    b->first = at;
    b->pitch = input->row_pitch;
}

/* The same of int16. */
static inline void dpl_set_padded_rows_s16(dpl_tensor_s16 *input, dpl_border_padding *b,
                                           const dpl_cut *columns, int8_t *at, int32_t channels) {
    const int32_t padding = dpl_border_padding_pixels(columns);
    input->data = (int16_t *)(void *)at + (padding - columns->before) * channels;
    input->width = columns->before + columns->inputs + columns->after;
    input->row_pitch = (columns->inputs + padding) * channels;
    b->first = at;
    b->pitch = 2 * input->row_pitch;
}

/* `rows` of `line` bytes to where they are `line` + `padding` apart. */
static inline void dpl_load_padded_rows(int8_t *to, const int8_t *from, int32_t rows, int32_t line,
                                        int32_t row_pitch, int32_t padding) {
    const int32_t last = rows - 1, pitch = line + padding;
    dpl_dma_in_lines(to, from, last, pitch, row_pitch);
    dpl_dma_in(to + last * pitch, from + last * row_pitch, line);
}

/* The same of `columns` pixels that do not follow one another in far memory. */
static inline void dpl_load_padded_boxes(int8_t *to, const int8_t *from, int32_t rows,
                                         int32_t row_pitch, int32_t columns, int32_t pixel_pitch,
                                         int32_t channels, int32_t padding) {
    const int32_t pitch = columns * channels + padding;
    for (int32_t y = 0; y < rows; y++) {
        dpl_dma_in_lines(to + y * pitch, from + y * row_pitch, columns, channels, pixel_pitch);
    }
}

#endif
