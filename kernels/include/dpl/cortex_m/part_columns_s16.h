/* Columns of the parts of a grouped convolution, int16: neighbours share a word (layout
 * "x2c4_parts_ordered"), so that they are copies. */
#ifndef DPL_CORTEX_M_PART_COLUMNS_H
#define DPL_CORTEX_M_PART_COLUMNS_H

#include "dpl/body/s16.h"
#include "dpl/cortex_m/block.h"

/* Steps of a loop: elements of a pixel, words of columns. */
typedef struct {
    int32_t count, from, to;
} channel_steps;

/* `steps.count` fours of channels of three pixels. */
static inline void three_fours(const int16_t *x, const int16_t *y, const int16_t *z, uint32_t *to,
                               channel_steps steps) {
    for (int32_t i = steps.count; i > 0; i--, to += steps.to) {
        const uint32_t words[] = {load_word(x),     load_word(y),     load_word(z),
                                  load_word(x + 2), load_word(y + 2), load_word(z + 2)};
        for (int32_t k = 0; k < WORDS_OF_FOUR; k++) {
            to[k] = words[k];
        }
        x += steps.from;
        y += steps.from;
        z += steps.from;
    }
}

/* Two channels of a tap and of the next. */
static inline void two_taps(const int16_t *tap, const int16_t *following, uint32_t *to) {
    const uint32_t first = load_word(tap), second = load_word(following);
    to[0] = first;
    to[COLUMNS] = second;
}

/* The same for several parts. */
static inline void two_taps_of(const int16_t *tap, const int16_t *following, uint32_t *to,
                               channel_steps steps) {
    for (int32_t i = steps.count; i > 0; i--, to += steps.to) {
        two_taps(tap, following, to);
        tap += steps.from;
        following += steps.from;
    }
}

#endif
