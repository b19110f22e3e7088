/* The DSP instructions of ARMv7E-M the kernels use, and the same in C for the tests on a host. */
#ifndef DPL_CORTEX_M_SIMD_H
#define DPL_CORTEX_M_SIMD_H

#include <stdint.h>

#include "dpl/requant.h"

/* Four bytes or two halfwords at any address. */
static inline uint32_t load_word(const void *at) {
    uint32_t word;
    __builtin_memcpy(&word, at, sizeof word);
    return word;
}

static inline void store_word(void *at, uint32_t word) {
    __builtin_memcpy(at, &word, sizeof word);
}

#if defined(__ARM_FEATURE_DSP)

/* Bytes 0 and 2 as two halfwords. */
static inline uint32_t even_bytes(uint32_t x) {
    uint32_t y;
    __asm__("sxtb16 %0, %1" : "=r"(y) : "r"(x));
    return y;
}

/* Bytes 1 and 3. */
static inline uint32_t odd_bytes(uint32_t x) {
    uint32_t y;
    __asm__("sxtb16 %0, %1, ror #8" : "=r"(y) : "r"(x));
    return y;
}

/* (low of x, low of y) and (high of x, high of y). */
static inline uint32_t low_halves(uint32_t x, uint32_t y) {
    uint32_t z;
    __asm__("pkhbt %0, %1, %2, lsl #16" : "=r"(z) : "r"(x), "r"(y));
    return z;
}

static inline uint32_t high_halves(uint32_t x, uint32_t y) {
    uint32_t z;
    __asm__("pkhtb %0, %2, %1, asr #16" : "=r"(z) : "r"(x), "r"(y));
    return z;
}

/* Both products of halfwords, added. */
static inline int32_t dual_mac(uint32_t x, uint32_t y, int32_t acc) {
    __asm__("smlad %0, %1, %2, %0" : "+r"(acc) : "r"(x), "r"(y));
    return acc;
}

/* zero + the rounded high word of the product. */
static inline int32_t scale_high(int32_t acc, int32_t multiplier, int32_t zero) {
    int32_t y;
    __asm__("smmlar %0, %1, %2, %3" : "=r"(y) : "r"(acc), "r"(multiplier), "r"(zero));
    return y;
}

static inline int32_t saturate8(int32_t x) {
    __asm__("ssat %0, #8, %0" : "+r"(x));
    return x;
}

static inline int32_t saturate16(int32_t x) {
    __asm__("ssat %0, #16, %0" : "+r"(x));
    return x;
}

#else

static inline uint32_t halves(int32_t low, int32_t high) {
    return (uint32_t)(uint16_t)low | (uint32_t)(uint16_t)high << 16;
}

static inline uint32_t even_bytes(uint32_t x) {
    return halves((int8_t)x, (int8_t)(x >> 16));
}

static inline uint32_t odd_bytes(uint32_t x) {
    return halves((int8_t)(x >> 8), (int8_t)(x >> 24));
}

static inline uint32_t low_halves(uint32_t x, uint32_t y) {
    return (x & 0xffff) | y << 16;
}

static inline uint32_t high_halves(uint32_t x, uint32_t y) {
    return x >> 16 | (y & 0xffff0000);
}

static inline int32_t dual_mac(uint32_t x, uint32_t y, int32_t acc) {
    return acc + (int16_t)x * (int16_t)y + (int16_t)(x >> 16) * (int16_t)(y >> 16);
}

static inline int32_t scale_high(int32_t acc, int32_t multiplier, int32_t zero) {
    return dpl_high_word(acc, multiplier) + zero;
}

static inline int32_t saturate8(int32_t x) {
    return dpl_clamp(x, -128, 127);
}

static inline int32_t saturate16(int32_t x) {
    return dpl_clamp(x, INT16_MIN, INT16_MAX);
}

#endif

#endif
