/* Pairs of pixels of int16 to words of a channel each, for packed rows. */
#ifndef DPL_CORTEX_M_PACK_S16_H
#define DPL_CORTEX_M_PACK_S16_H

#include "dpl/cortex_m/simd.h"

/* A walk over pixels: where the next two are, and how far the two after them. */
typedef struct {
    const int16_t *top, *bottom;
    int32_t top_pitch, bottom_pitch;
} two_walks;

/* Fours of channels of `count` pairs of pixels to words (first, second), `apart` words from a
 * pair's to the next: by words, 9 cycles for four. */
static inline void pack_pairs(two_walks from, int32_t count, int32_t apart, uint32_t *to) {
#if defined(__ARM_FEATURE_DSP)
    const int32_t bytes = 4 * apart, down = 2 * from.top_pitch, over = 2 * from.bottom_pitch;
    uint32_t a, b, c, d, v, w;
    __asm__ volatile(
        "ldr %[a], [%[top]]\n ldr %[c], [%[top], #4]\n"
        "ldr %[b], [%[bottom]]\n ldr %[d], [%[bottom], #4]\n"
        "subs %[count], %[count], #1\n beq 2f\n"
        "1:\n"
        "pkhbt %[v], %[a], %[b], lsl #16\n add %[top], %[top], %[down]\n"
        "pkhtb %[w], %[b], %[a], asr #16\n add %[bottom], %[bottom], %[over]\n"
        "str %[v], [%[to]]\n ldr %[a], [%[top]]\n"
        "str %[w], [%[to], #4]\n ldr %[b], [%[bottom]]\n"
        "pkhbt %[v], %[c], %[d], lsl #16\n subs %[count], %[count], #1\n"
        "pkhtb %[w], %[d], %[c], asr #16\n ldr %[c], [%[top], #4]\n"
        "str %[v], [%[to], #8]\n ldr %[d], [%[bottom], #4]\n"
        "str %[w], [%[to], #12]\n add %[to], %[to], %[bytes]\n bne 1b\n"
        "2:\n"
        "pkhbt %[v], %[a], %[b], lsl #16\n pkhtb %[w], %[b], %[a], asr #16\n"
        "str %[v], [%[to]]\n pkhbt %[v], %[c], %[d], lsl #16\n"
        "str %[w], [%[to], #4]\n pkhtb %[w], %[d], %[c], asr #16\n"
        "str %[v], [%[to], #8]\n str %[w], [%[to], #12]\n"
        : [top] "+r"(from.top), [bottom] "+r"(from.bottom), [to] "+r"(to), [count] "+r"(count),
          [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d), [v] "=&r"(v), [w] "=&r"(w)
        : [down] "r"(down), [over] "r"(over), [bytes] "r"(bytes)
        : "cc", "memory");
#else
    for (; count > 0; count--, to += apart) {
        for (int32_t n = 0; n < 4; n++) {
            to[n] = low_halves((uint32_t)from.top[n], (uint32_t)from.bottom[n]);
        }
        from.top += from.top_pitch;
        from.bottom += from.bottom_pitch;
    }
#endif
}

#endif
