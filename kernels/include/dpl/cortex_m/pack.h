/* Two pixels of four channels to words of two: what a product of two halfwords can add at once are
 * two taps of one channel. */
#ifndef DPL_CORTEX_M_PACK_H
#define DPL_CORTEX_M_PACK_H

#include "dpl/cortex_m/simd.h"

/* Bytes to four words (top, bottom). */
static inline void pack_rows(uint32_t top, uint32_t bottom, uint32_t *to) {
    const uint32_t even0 = even_bytes(top), even1 = even_bytes(bottom);
    const uint32_t odd0 = odd_bytes(top), odd1 = odd_bytes(bottom);
    to[0] = low_halves(even0, even1);
    to[1] = low_halves(odd0, odd1);
    to[2] = high_halves(even0, even1);
    to[3] = high_halves(odd0, odd1);
}

/* A walk over pixels: where the next two are, and how far the two after them. */
typedef struct {
    const int8_t *top, *bottom;
    int32_t top_pitch, bottom_pitch;
} two_walks;

/* `count` (at least 1) times four words, `step` bytes apart: 9 cycles each. Two halfwords of both
 * words are put next to each other first, so that an extension makes a word. Of extensions and
 * packings one issues in a cycle, beside a load or a store; the next two words are loaded before
 * they are needed. */
static inline void pack_walks(two_walks from, int32_t count, int32_t step, uint32_t *to) {
#if defined(__ARM_FEATURE_DSP)
    uint32_t t, b, u, v, w;
    __asm__ volatile(
        "ldr %[t], [%[top]]\n ldr %[b], [%[bottom]]\n"
        "subs %[count], %[count], #1\n beq 2f\n"
        "1:\n"
        "pkhbt %[u], %[t], %[b], lsl #16\n add %[top], %[top], %[down]\n"
        "pkhtb %[v], %[b], %[t], asr #16\n add %[bottom], %[bottom], %[over]\n"
        "sxtb16 %[w], %[u]\n ldr %[t], [%[top]]\n"
        "sxtb16 %[u], %[u], ror #8\n str %[w], [%[to]]\n"
        "sxtb16 %[w], %[v]\n ldr %[b], [%[bottom]]\n"
        "sxtb16 %[v], %[v], ror #8\n str %[u], [%[to], #4]\n"
        "subs %[count], %[count], #1\n str %[w], [%[to], #8]\n"
        "str %[v], [%[to], #12]\n add %[to], %[to], %[step]\n"
        "bne 1b\n"
        "2:\n"
        "pkhbt %[u], %[t], %[b], lsl #16\n pkhtb %[v], %[b], %[t], asr #16\n"
        "sxtb16 %[w], %[u]\n sxtb16 %[u], %[u], ror #8\n str %[w], [%[to]]\n"
        "sxtb16 %[w], %[v]\n str %[u], [%[to], #4]\n"
        "sxtb16 %[v], %[v], ror #8\n str %[w], [%[to], #8]\n str %[v], [%[to], #12]\n"
        : [t] "=&r"(t), [b] "=&r"(b), [u] "=&r"(u), [v] "=&r"(v), [w] "=&r"(w),
          [top] "+r"(from.top), [bottom] "+r"(from.bottom), [to] "+r"(to), [count] "+r"(count)
        : [down] "r"(from.top_pitch), [over] "r"(from.bottom_pitch), [step] "r"(step)
        : "cc", "memory");
#else
    for (; count > 0; count--, to += step / 4) {
        pack_rows(load_word(from.top), load_word(from.bottom), to);
        from.top += from.top_pitch;
        from.bottom += from.bottom_pitch;
    }
#endif
}

#endif
