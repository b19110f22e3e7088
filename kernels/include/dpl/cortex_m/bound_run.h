/* Bounds of outputs that ssat does not have, such as those of a ReLU whose zero point lies within
 * the type. The body of a file of int8 or int16, which names `element`, LOWEST and HIGHEST.
 *
 * Outputs lie there low - LOWEST below what they are, so that ssat has cut them at
 * the lower bound. Adding that again with HIGHEST - high more, saturated, and taking the latter
 * away cuts them at the upper one, a word of outputs at once. What is added may be twice what an
 * addition takes. */
#ifndef DPL_CORTEX_M_BOUND_RUN_H
#define DPL_CORTEX_M_BOUND_RUN_H

#include <stdint.h>

typedef struct {
    uint32_t first, second, back; /* lanes to subtract: two that saturate, one that does not */
    int32_t add, high;            /* of one output */
} bounds;

/* A word of one value. */
static uint32_t lanes_of(int32_t value) {
    return sizeof(element) == 1 ? (uint8_t)value * 0x01010101u : (uint16_t)value * 0x00010001u;
}

static bounds bounds_of(int32_t low, int32_t high) {
    const int32_t add = low - LOWEST, all = add + HIGHEST - high;
    const int32_t first = all <= HIGHEST ? all : HIGHEST + 1;
    return (bounds){lanes_of(-first), lanes_of(first - all), lanes_of(HIGHEST - high), add, high};
}

static __attribute__((noinline)) element *bound_each(const bounds *b, element *at,
                                                     const element *end) {
    const int32_t add = b->add, high = b->high;
    for (; at < end; at++) {
        const int32_t output = *at + add;
        *at = (element)(output < high ? output : high);
    }
    return at;
}

enum { OF_TWO_WORDS = 8 / sizeof(element) };

#if defined(__ARM_FEATURE_DSP)

/* Pairs of words, one at least. What follows a subtraction that saturates waits two cycles: two
 * words take turns, 9 cycles. */
#define BOUND_WORDS(NAME, LANES)                                                                   \
    static inline element *NAME(const bounds *b, element *at, int32_t pairs) {                     \
        uint32_t p, q;                                                                             \
        __asm__ volatile(".p2align 2\n"                                                            \
                         "1:\n"                                                                    \
                         "ldr %[p], [%[at]]\n ldr %[q], [%[at], #4]\n"                             \
                         "qsub" LANES " %[p], %[p], %[first]\n subs %[left], %[left], #1\n"        \
                         "qsub" LANES " %[q], %[q], %[first]\n add %[at], %[at], #8\n"             \
                         "qsub" LANES " %[p], %[p], %[second]\n"                                   \
                         "qsub" LANES " %[q], %[q], %[second]\n"                                   \
                         "usub" LANES " %[p], %[p], %[back]\n"                                     \
                         "usub" LANES " %[q], %[q], %[back]\n str %[p], [%[at], #-8]\n"            \
                         "str %[q], [%[at], #-4]\n bne 1b\n"                                       \
                         : [at] "+r"(at), [left] "+r"(pairs), [p] "=&r"(p), [q] "=&r"(q)           \
                         : [first] "r"(b->first), [second] "r"(b->second), [back] "r"(b->back)     \
                         : "cc", "memory");                                                        \
        return at;                                                                                 \
    }

BOUND_WORDS(bound_bytes, "8")
BOUND_WORDS(bound_halves, "16")

#else

static inline element *bound_bytes(const bounds *b, element *at, int32_t pairs) {
    return bound_each(b, at, at + OF_TWO_WORDS * pairs);
}

#define bound_halves bound_bytes

#endif

/* Words lie at boundaries: others take three cycles more to load. */
static void bound_run(const bounds *b, element *at, element *end) {
    const uintptr_t over = (uintptr_t)at & 3;
    element *const boundary = at + (-over & 3) / sizeof(element);
    at = bound_each(b, at, boundary < end ? boundary : end);
    const int32_t pairs = (int32_t)(end - at) / OF_TWO_WORDS;
    if (pairs > 0) {
        at = (sizeof(element) == 1 ? bound_bytes : bound_halves)(b, at, pairs);
    }
    bound_each(b, at, end);
}

#endif
