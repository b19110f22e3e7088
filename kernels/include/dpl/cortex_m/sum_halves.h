/* Both halfwords at once, modulo 2^16. */
#ifndef DPL_CORTEX_M_SUM_HALVES_H
#define DPL_CORTEX_M_SUM_HALVES_H

#include <stdint.h>

static inline uint32_t add_halves(uint32_t x, uint32_t y) {
#if defined(__ARM_FEATURE_DSP)
    uint32_t z;
    __asm__("sadd16 %0, %1, %2" : "=r"(z) : "r"(x), "r"(y));
    return z;
#else
    return ((x + y) & 0xffff) | ((x & 0xffff0000) + (y & 0xffff0000));
#endif
}

static inline uint32_t sub_halves(uint32_t x, uint32_t y) {
#if defined(__ARM_FEATURE_DSP)
    uint32_t z;
    __asm__("ssub16 %0, %1, %2" : "=r"(z) : "r"(x), "r"(y));
    return z;
#else
    return ((x - y) & 0xffff) | ((x & 0xffff0000) - (y & 0xffff0000));
#endif
}

#endif
