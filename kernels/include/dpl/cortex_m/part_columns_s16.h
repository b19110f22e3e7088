/* Columns of the parts of a grouped convolution, int16: neighbours share a word (layout
 * "x2c4_parts_ordered"), so that they are copies. */
#ifndef DPL_CORTEX_M_PART_COLUMNS_H
#define DPL_CORTEX_M_PART_COLUMNS_H

#include "dpl/body/s16.h"
#include "dpl/cortex_m/block.h"

/* Steps of a loop: elements of a pixel, words of columns. */
typedef struct {
    int32_t count, from, to;
} channel_steps;

#if defined(__ARM_FEATURE_DSP)

/* `steps.count` fours of channels, one at least, of three pixels: 10 cycles for 12 values. A store
 * stands beside the load of another word. */
static inline void three_fours(const int16_t *x, const int16_t *y, const int16_t *z, uint32_t *to,
                               channel_steps steps) {
    const int32_t second = (int32_t)((uint32_t)y - (uint32_t)x);
    const int32_t third = (int32_t)((uint32_t)z - (uint32_t)x);
    const int32_t from = 2 * steps.from - 4, next = 4 * steps.to;
    int32_t left = steps.count;
    uint32_t p, q, r;
    __asm__ volatile(
        ".p2align 2\n"
        "1:\n"
        "ldr %[p], [%[x]]\n subs %[left], %[left], #1\n"
        "ldr %[q], [%[x], %[second]]\n str %[p], [%[to]]\n"
        "ldr %[r], [%[x], %[third]]\n str %[q], [%[to], #4]\n"
        "ldr %[p], [%[x], #4]!\n str %[r], [%[to], #8]\n"
        "ldr %[q], [%[x], %[second]]\n str %[p], [%[to], #12]\n"
        "ldr %[r], [%[x], %[third]]\n str %[q], [%[to], #16]\n"
        "str %[r], [%[to], #20]\n add %[x], %[x], %[from]\n"
        "add %[to], %[to], %[next]\n bne 1b\n"
        : [x] "+r"(x), [to] "+r"(to), [left] "+r"(left), [p] "=&r"(p), [q] "=&r"(q), [r] "=&r"(r)
        : [second] "r"(second), [third] "r"(third), [from] "r"(from), [next] "r"(next)
        : "cc", "memory");
}

#else

/* `steps.count` fours of channels of three pixels. */
static inline void three_fours(const int16_t *x, const int16_t *y, const int16_t *z, uint32_t *to,
                               channel_steps steps) {
    for (int32_t i = steps.count; i > 0; i--, to += steps.to) {
        const uint32_t words[] = {load_word(x),     load_word(y),     load_word(z),
                                  load_word(x + 2), load_word(y + 2), load_word(z + 2)};
        for (int32_t k = 0; k < WORDS_OF_FOUR; k++) {
            to[k] = words[k];
        }
        x += steps.from;
        y += steps.from;
        z += steps.from;
    }
}

#endif

/* Two channels of a tap and of the next. */
static inline void two_taps(const int16_t *tap, const int16_t *following, uint32_t *to) {
    const uint32_t first = load_word(tap), second = load_word(following);
    to[0] = first;
    to[COLUMNS] = second;
}

/* The same for several parts. */
static inline void two_taps_of(const int16_t *tap, const int16_t *following, uint32_t *to,
                               channel_steps steps) {
    for (int32_t i = steps.count; i > 0; i--, to += steps.to) {
        two_taps(tap, following, to);
        tap += steps.from;
        following += steps.from;
    }
}

#endif
