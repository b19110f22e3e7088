/* Four bytes of a word at once: maxima, minima, and sums in halfwords. */
#ifndef DPL_CORTEX_M_BYTES_H
#define DPL_CORTEX_M_BYTES_H

#include "dpl/cortex_m/simd.h"

/* One byte in all four places. */
static inline uint32_t four_times(int32_t byte) {
    return 0x01010101u * (uint8_t)byte;
}

/* Two halfwords and two others. */
static inline uint32_t add_halves(uint32_t x, uint32_t y) {
    return low_halves(x + y, (x >> 16) + (y >> 16));
}

#if defined(__ARM_FEATURE_DSP)

static inline uint32_t smaller_bytes(uint32_t x, uint32_t y) {
    uint32_t z;
    __asm__("ssub8 %0, %1, %2\n sel %0, %2, %1" : "=&r"(z) : "r"(x), "r"(y));
    return z;
}

static inline uint32_t larger_bytes(uint32_t x, uint32_t y) {
    uint32_t z;
    __asm__("ssub8 %0, %1, %2\n sel %0, %1, %2" : "=&r"(z) : "r"(x), "r"(y));
    return z;
}

/* Bytes 0 and 2, or 1 and 3, added to two halfwords. */
static inline uint32_t add_even_bytes(uint32_t sums, uint32_t x) {
    __asm__("sxtab16 %0, %0, %1" : "+r"(sums) : "r"(x));
    return sums;
}

static inline uint32_t add_odd_bytes(uint32_t sums, uint32_t x) {
    __asm__("sxtab16 %0, %0, %1, ror #8" : "+r"(sums) : "r"(x));
    return sums;
}

#else

static inline uint32_t smaller_bytes(uint32_t x, uint32_t y) {
    uint32_t z = 0;
    for (int32_t at = 0; at < 32; at += 8) {
        const int8_t a = (int8_t)(x >> at), b = (int8_t)(y >> at);
        z |= (uint32_t)(uint8_t)(a < b ? a : b) << at;
    }
    return z;
}

static inline uint32_t larger_bytes(uint32_t x, uint32_t y) {
    return ~smaller_bytes(~x, ~y);
}

static inline uint32_t add_even_bytes(uint32_t sums, uint32_t x) {
    return add_halves(sums, even_bytes(x));
}

static inline uint32_t add_odd_bytes(uint32_t sums, uint32_t x) {
    return add_halves(sums, odd_bytes(x));
}

#endif

#endif
