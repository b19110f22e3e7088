/* Columns of the parts of a grouped convolution, int8: bytes of channels that lie anywhere in their
 * pixels, widened to halfwords. Four values are two words, of 0 and 2 and of 1 and 3 (layout
 * "x2c4_parts"). */
#ifndef DPL_CORTEX_M_PART_COLUMNS_H
#define DPL_CORTEX_M_PART_COLUMNS_H

#include "dpl/body/s8.h"
#include "dpl/cortex_m/block.h"

/* Steps of a loop: elements of a pixel, words of columns. */
typedef struct {
    int32_t count, from, to;
} channel_steps;

static inline void store_four(uint32_t four, uint32_t *to) {
    to[0] = even_bytes(four);
    to[COLUMNS] = odd_bytes(four);
}

/* Two channels of a tap and of the next. */
static inline void two_taps(const int8_t *tap, const int8_t *following, uint32_t *to) {
    uint16_t halves[2];
    __builtin_memcpy(halves, tap, sizeof *halves);
    __builtin_memcpy(halves + 1, following, sizeof *halves);
    store_four(halves[0] | (uint32_t)halves[1] << 16, to);
}

#if defined(__ARM_FEATURE_DSP)

/* `steps.count` fours of channels, one at least, of three pixels: 10 cycles for 12 values. The
 * six extensions are older than what they issue with, stores of the results before. */
static inline void three_fours(const int8_t *x, const int8_t *y, const int8_t *z, uint32_t *to,
                               channel_steps steps) {
    const int32_t second = (int32_t)((uint32_t)y - (uint32_t)x);
    const int32_t third = (int32_t)((uint32_t)z - (uint32_t)x), next = 4 * steps.to;
    int32_t left = steps.count;
    uint32_t p, q, r, s;
    __asm__ volatile(
        ".p2align 2\n"
        "1:\n"
        "ldr %[p], [%[x]]\n ldr %[q], [%[x], %[second]]\n"
        "ldr %[r], [%[x], %[third]]\n add %[x], %[x], %[from]\n"
        "sxtb16 %[s], %[p]\n subs %[left], %[left], #1\n"
        "sxtb16 %[p], %[p], ror #8\n str %[s], [%[to]]\n"
        "sxtb16 %[s], %[q]\n str %[p], [%[to], #12]\n"
        "sxtb16 %[q], %[q], ror #8\n str %[s], [%[to], #4]\n"
        "sxtb16 %[s], %[r]\n str %[q], [%[to], #16]\n"
        "sxtb16 %[r], %[r], ror #8\n str %[s], [%[to], #8]\n"
        "str %[r], [%[to], #20]\n add %[to], %[to], %[next]\n"
        "bne 1b\n"
        : [x] "+r"(x), [to] "+r"(to), [left] "+r"(left), [p] "=&r"(p), [q] "=&r"(q), [r] "=&r"(r),
          [s] "=&r"(s)
        : [second] "r"(second), [third] "r"(third), [from] "r"(steps.from), [next] "r"(next)
        : "cc", "memory");
}

/* Two taps for an even number of parts, two at least: 11 cycles for two parts, whose pointers are
 * apart so that no load waits for an address. */
static inline void two_taps_of(const int8_t *tap, const int8_t *following, uint32_t *to,
                               channel_steps steps) {
    const int32_t between = (int32_t)((uint32_t)following - (uint32_t)tap);
    const int32_t from = 2 * steps.from, next = 8 * steps.to;
    const int8_t *other = tap + steps.from;
    uint32_t *beside = to + steps.to;
    int32_t left = steps.count;
    uint32_t p, q, r, s;
    __asm__ volatile(".p2align 2\n"
                     "1:\n"
                     "ldrh %[p], [%[tap]]\n ldrh %[q], [%[tap], %[between]]\n"
                     "ldrh %[r], [%[other]]\n ldrh %[s], [%[other], %[between]]\n"
                     "add %[tap], %[tap], %[from]\n subs %[left], %[left], #2\n"
                     "pkhbt %[p], %[p], %[q], lsl #16\n add %[other], %[other], %[from]\n"
                     "pkhbt %[r], %[r], %[s], lsl #16\n"
                     "sxtb16 %[q], %[p]\n"
                     "sxtb16 %[p], %[p], ror #8\n str %[q], [%[to]]\n"
                     "sxtb16 %[s], %[r]\n str %[p], [%[to], #12]\n"
                     "sxtb16 %[r], %[r], ror #8\n str %[s], [%[beside]]\n"
                     "str %[r], [%[beside], #12]\n add %[to], %[to], %[next]\n"
                     "add %[beside], %[beside], %[next]\n bne 1b\n"
                     : [tap] "+r"(tap), [other] "+r"(other), [to] "+r"(to), [beside] "+r"(beside),
                       [left] "+r"(left), [p] "=&r"(p), [q] "=&r"(q), [r] "=&r"(r), [s] "=&r"(s)
                     : [between] "r"(between), [from] "r"(from), [next] "r"(next)
                     : "cc", "memory");
}

#else

static inline void three_fours(const int8_t *x, const int8_t *y, const int8_t *z, uint32_t *to,
                               channel_steps steps) {
    for (int32_t i = 0; i < steps.count; i++, to += steps.to) {
        store_four(load_word(x + i * steps.from), to);
        store_four(load_word(y + i * steps.from), to + 1);
        store_four(load_word(z + i * steps.from), to + 2);
    }
}

static inline void two_taps_of(const int8_t *tap, const int8_t *following, uint32_t *to,
                               channel_steps steps) {
    for (int32_t i = 0; i < steps.count; i++, to += steps.to) {
        two_taps(tap + i * steps.from, following + i * steps.from, to);
    }
}

#endif

#endif
