/* Products of one halfword each. */
#ifndef DPL_CORTEX_M_HALVES_H
#define DPL_CORTEX_M_HALVES_H

#include <stdint.h>

#if defined(__ARM_FEATURE_DSP)

/* The product of the low halfwords, added. */
static inline int32_t mac_low(uint32_t x, uint32_t y, int32_t acc) {
    __asm__("smlabb %0, %1, %2, %0" : "+r"(acc) : "r"(x), "r"(y));
    return acc;
}

/* That of the high ones. */
static inline int32_t mac_high(uint32_t x, uint32_t y, int32_t acc) {
    __asm__("smlatt %0, %1, %2, %0" : "+r"(acc) : "r"(x), "r"(y));
    return acc;
}

#else

static inline int32_t mac_low(uint32_t x, uint32_t y, int32_t acc) {
    return acc + (int16_t)x * (int16_t)y;
}

static inline int32_t mac_high(uint32_t x, uint32_t y, int32_t acc) {
    return acc + (int16_t)(x >> 16) * (int16_t)(y >> 16);
}

#endif

#endif
