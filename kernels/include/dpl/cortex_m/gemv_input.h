/* The input of a fully connected layer of int8 as gemv.h takes it: widened for blocks of channels,
 * its last eight values for pairs. */
#ifndef DPL_CORTEX_M_GEMV_INPUT_H
#define DPL_CORTEX_M_GEMV_INPUT_H

#include "dpl/cortex_m/gemv.h"

enum { STEP = DPL_GEMV_VALUES };

/* One to three, without a loop. */
static inline uint32_t few_bytes(const int8_t *from, int32_t count) {
    const uint32_t last = (uint32_t)(uint8_t)from[count - 1] << 8 * (count - 1);
    const uint32_t two = count > 1 ? (uint32_t)(uint8_t)from[1] << 8 : 0;
    return last | two | (uint8_t)from[0];
}

/* One column of words, values 0 and 2 of four, then 1 and 3; zeros fill the last eight. */
static inline void widen_input(const int8_t *from, int32_t depth, uint32_t *to) {
    int32_t left = depth;
    for (; left >= 4; left -= 4, from += 4, to += 2) {
        const uint32_t four = load_word(from);
        to[0] = even_bytes(four);
        to[1] = odd_bytes(four);
    }
    if (left > 0) {
        const uint32_t rest = few_bytes(from, left);
        *to++ = even_bytes(rest);
        *to++ = odd_bytes(rest);
    }
    if ((depth + 3) & 4) {
        *to++ = 0;
        *to = 0;
    }
}

/* Where the last eight values lie: in the input itself if its depth is one of eights, since nothing
 * beyond it may be read, otherwise at `to`, filled up with zeros. */
static inline const int8_t *last_eight(const int8_t *from, int32_t depth, int8_t *to) {
    const int32_t rest = depth % STEP;
    from += depth - (rest ? rest : STEP);
    if (rest == 0) {
        return from;
    }
    store_word(to, 0);
    store_word(to + 4, 0);
    for (int32_t i = 0; i < rest; i++) {
        to[i] = from[i];
        __asm__ volatile("" : : : "memory"); /* no call of memcpy */
    }
    return to;
}

#endif
