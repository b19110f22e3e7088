/* Winograd's F(2x2, 3x3): four outputs of a 3x3 window at stride 1 for 16 products a pair of
 * channels, where the sum takes 36 (Lavin and Gray, Fast Algorithms for Convolutional Neural
 * Networks, 2015, section 4.1).
 *
 * A tile of 4x4 inputs d, its weights g and its 2x2 outputs are
 *
 *     4 (d * g) = At ( (B d Bt) . (2G g 2Gt) ) A
 *
 * where all values are integers: transformed inputs within 11 bits, transformed weights (layout
 * "x8_winograd") within 12. Sums may wrap: the last is four times the convolution, modulo 2^32, and
 * a convolution of up to 3640 channels stays below 2^29.
 *
 * Tiles go in blocks of eight, along the rows and on into the next. A block holds, for each of a
 * tile's 16 positions and each eight input channels, those of every tile: products take both sides
 * as they lie. */
#ifndef DPL_NEON_WINOGRAD_H
#define DPL_NEON_WINOGRAD_H

#include "dpl/neon/blocking.h"
#include "dpl/neon/scale.h"

enum {
    SIDE = 4, /* inputs of a tile, down and across */
    POSITIONS = DPL_WINOGRAD_POSITIONS,
    TILES = DPL_WINOGRAD_TILES, /* of a block */
    CHANNELS = DPL_WIDE_BLOCK_CHANNELS,
    STEP = DPL_WIDE_STEP_VALUES,
    STEP_VALUES = TILES * STEP, /* of a block, at a position */
    SUMS = TILES * CHANNELS     /* of a block, at a position */
};
_Static_assert(POSITIONS == SIDE * SIDE, "a position for each input of a tile");

static inline int32_t steps_of(int32_t channels) {
    return (channels + STEP - 1) / STEP;
}

static inline int32_t block_values(int32_t steps) {
    return POSITIONS * steps * STEP_VALUES;
}

/* Of a piece of weights, before its tables. */
static inline int32_t piece_values(int32_t steps) {
    return POSITIONS * steps * STEP * CHANNELS;
}

static inline int32_t piece_bytes(int32_t steps) {
    return piece_values(steps) * 2 + 2 * (int32_t)sizeof(four_tables);
}

#endif
