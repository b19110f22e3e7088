/* Winograd's F(2x2, 3x3): four outputs of a 3x3 window at stride 1 for 16 products a pair of
 * channels, where the sum takes 36 (Lavin and Gray, Fast Algorithms for Convolutional Neural
 * Networks, 2015, section 4.1).
 *
 * A tile of 4x4 inputs d, its weights g and its 2x2 outputs are
 *
 *     4 (d * g) = At ( (B d Bt) . (2G g 2Gt) ) A
 *
 * where all values are integers: transformed inputs within 11 bits, transformed weights (layout
 * "winograd") within 12. Sums may wrap: the last is four times the convolution, modulo 2^32, and a
 * convolution of up to 3640 channels stays below 2^29.
 *
 * Tiles go in threes, a record each: for every two input channels 16 positions of a tile, three
 * words each; then the sums of one pair of output channels in the same order. */
#ifndef DPL_CORTEX_M_WINOGRAD_H
#define DPL_CORTEX_M_WINOGRAD_H

#include "dpl/cortex_m/blocking.h"
#include "dpl/cortex_m/simd.h"
#include "dpl/cortex_m/sum_halves.h"
#include "dpl/window.h"

enum {
    SIDE = 4, /* inputs of a tile, down and across */
    POSITIONS = DPL_TILE_POSITIONS,
    LANES = DPL_RECORD_TILES,          /* tiles of a record */
    PAIR_WORDS = POSITIONS * LANES,    /* of a record, for two channels */
    SUM_WORDS = 2 * POSITIONS * LANES, /* of a record, for its sums */
    HEAD_WORDS = 4                     /* of a pair of output channels: biases, multipliers */
};
_Static_assert(POSITIONS == SIDE * SIDE, "a position for each input of a tile");

/* Input channels in fours: the last four begin earlier where they are not, and the weights of those
 * that fours before them have are zero. */
static inline int32_t filled_channels(int32_t channels) {
    return (channels + 3) & -4;
}

/* Of so many channels, filled up. */
static inline int32_t record_words(int32_t channels) {
    return channels / 2 * PAIR_WORDS + SUM_WORDS;
}

/* Words of a pair of output channels in the packed weights. */
static inline int32_t channel_words(int32_t channels) {
    return HEAD_WORDS + channels * POSITIONS;
}

#endif
