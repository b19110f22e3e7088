/* Values of windows as bytes, copied and filled. */
#ifndef DPL_CORTEX_M_VALUES_H
#define DPL_CORTEX_M_VALUES_H

#include "dpl/cortex_m/simd.h"

static inline int8_t *copy_values(int8_t *to, const int8_t *from, int32_t n) {
    for (; n >= 4; n -= 4, to += 4, from += 4) {
        store_word(to, load_word(from));
    }
    for (; n > 0; n--) {
        *to++ = *from++;
    }
    return to;
}

/* Words, then up to three bytes; a loop of bytes is a call of memset to gcc. */
static inline int8_t *fill_values(int8_t *to, int32_t zero, int32_t n) {
    const uint32_t four = (uint32_t)(uint8_t)zero * 0x01010101u;
    for (; n >= 4; n -= 4, to += 4) {
        store_word(to, four);
    }
    switch (n) {
    case 3: to[2] = (int8_t)zero; /* fall through */
    case 2: to[1] = (int8_t)zero; /* fall through */
    case 1: to[0] = (int8_t)zero; /* fall through */
    default: return to + n;
    }
}

#endif
