/* The larger or the smaller of the elements of two words: a body. A file has `element` and says
 * which: DIFFERENCE is ssub8 or ssub16, TAKE the sel that follows it, BETTER the same of two
 * elements in C. */
#ifndef DPL_CORTEX_M_EXTREME_WORD_H
#define DPL_CORTEX_M_EXTREME_WORD_H

#include "dpl/cortex_m/simd.h"

static inline uint32_t better_word(uint32_t x, uint32_t y) {
#if defined(__ARM_FEATURE_DSP)
    uint32_t t;
    __asm__(DIFFERENCE " %[t], %[x], %[y]\n" TAKE("x", "y")
            : [x] "+r"(x), [t] "=&r"(t)
            : [y] "r"(y));
#else
    element a[4 / sizeof(element)], b[4 / sizeof(element)];
    __builtin_memcpy(a, &x, sizeof a);
    __builtin_memcpy(b, &y, sizeof b);
    for (int32_t i = 0; i < 4 / (int32_t)sizeof(element); i++) {
        a[i] = BETTER(a[i], b[i]) ? a[i] : b[i];
    }
    __builtin_memcpy(&x, a, sizeof x);
#endif
    return x;
}

#endif
