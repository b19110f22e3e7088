/* A convolution's tile in L1 with zero points beside its rows, so that no side cuts a window.
 *
 * Rows lie one behind the other, as many pixels between two as the window reaches beyond either
 * side, and once more before the first and behind the last. One command to the DMA brings all rows
 * but the last, each with the pixels that follow it in far memory; zero points are written over
 * these behind it, by all cores. */
#ifndef DPL_BESIDE_H
#define DPL_BESIDE_H

#include "dpl/tiles.h"

/* Runs of `bytes` zero points, `pitch` bytes apart; none where bytes is 0. They lie behind the
 * arguments of the kernel. */
typedef struct {
    int8_t *first;
    int32_t runs, pitch, bytes, zero;
} dpl_beside;

/* Every core calls it, and returns when all runs are written. Those of an input that the tile
 * before had are there. */
void dpl_fill_beside(const dpl_beside *b);

/* Pixels between two rows. */
static inline int32_t dpl_pixels_beside(const dpl_cut *columns) {
    return columns->before > columns->after ? columns->before : columns->after;
}

/* The columns of the tile at `at`, for a kernel that sees its zero points as columns like others.
 */
static inline void dpl_set_beside(dpl_tensor_s8 *input, dpl_beside *b, const dpl_cut *columns,
                                  int8_t *at, int32_t channels) {
    const int32_t beside = dpl_pixels_beside(columns);
    input->data = at + (beside - columns->before) * channels;
    input->width = columns->before + columns->inputs + columns->after;
    input->row_pitch = (columns->inputs + beside) * channels;
    b->first = at;
    b->pitch = input->row_pitch;
}

/* `rows` of `line` bytes to where they are `line` + `beside` apart. */
static inline void dpl_load_beside(int8_t *to, const int8_t *from, int32_t rows, int32_t line,
                                   int32_t row_pitch, int32_t beside) {
    const int32_t last = rows - 1, pitch = line + beside;
    dpl_dma_in_lines(to, from, last, pitch, row_pitch);
    dpl_dma_in(to + last * pitch, from + last * row_pitch, line);
}

/* The same of `columns` pixels that do not follow one another in far memory. */
static inline void dpl_load_boxes_beside(int8_t *to, const int8_t *from, int32_t rows,
                                         int32_t row_pitch, int32_t columns, int32_t pixel_pitch,
                                         int32_t channels, int32_t beside) {
    const int32_t pitch = columns * channels + beside;
    for (int32_t y = 0; y < rows; y++) {
        dpl_dma_in_lines(to + y * pitch, from + y * row_pitch, columns, channels, pixel_pitch);
    }
}

#endif
