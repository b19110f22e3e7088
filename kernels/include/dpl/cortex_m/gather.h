/* Windows of four channels as words of two taps (dpl/cortex_m/gathered_outputs.h). The body of a
 * kernel of int8 or int16; its file names `element` and its BITS.
 *
 * Pixels of whole words take 8 cycles for two taps. Elsewhere elements are loaded by themselves,
 * in 10 cycles: a word that crosses a boundary takes 3 or 4 more. */
#ifndef DPL_CORTEX_M_GATHER_H
#define DPL_CORTEX_M_GATHER_H

#include "dpl/cortex_m/simd.h"

enum { FIVE = 5 }; /* pairs of nine taps, the most common number, lie in a row */

/* `blocks` of four channels, the first at `at`. The list has bytes from there to the taps, an even
 * number of them, and two more that are read. */
typedef struct {
    const element *at;
    const int32_t *list;
    uint32_t *to;
    int32_t pairs, blocks;
} gather_walk;

#if defined(__ARM_FEATURE_DSP)

#define NEXT_TWO "ldrd %[f], %[g], [%[list]], #8\n"

#if BITS == 8
#define ELEMENT "1"
#define LOAD "ldrsb "

/* Halfwords of both words are put next to each other, so that an extension makes a word. */
#define FIRST_WORDS "ldr %[a], [%[at], %[f]]\n ldr %[b], [%[at], %[g]]\n" NEXT_TWO
#define WORDS_OF_TAPS(COUNT)                                                                       \
    "pkhbt %[p], %[a], %[b], lsl #16\n" COUNT                                                      \
    "pkhtb %[q], %[b], %[a], asr #16\n ldr %[a], [%[at], %[f]]\n"                                  \
    "sxtb16 %[c], %[p]\n ldr %[b], [%[at], %[g]]\n"                                                \
    "sxtb16 %[p], %[p], ror #8\n str %[c], [%[to]], #16\n"                                         \
    "sxtb16 %[c], %[q]\n str %[p], [%[to], #-12]\n"                                                \
    "sxtb16 %[q], %[q], ror #8\n str %[c], [%[to], #-8]\n" NEXT_TWO "str %[q], [%[to], #-4]\n"

/* The same from halfwords: channels that are even in number. */
#define FIRST_HALVES                                                                               \
    "add %[e], %[at], #2\n ldrh %[a], [%[at], %[f]]\n ldrh %[b], [%[at], %[g]]\n"                  \
    "ldrh %[c], [%[e], %[f]]\n ldrh %[d], [%[e], %[g]]\n" NEXT_TWO
#define HALVES_OF_TAPS(COUNT)                                                                      \
    "pkhbt %[p], %[a], %[b], lsl #16\n" COUNT "ldrh %[a], [%[at], %[f]]\n"                         \
    "pkhbt %[q], %[c], %[d], lsl #16\n ldrh %[b], [%[at], %[g]]\n"                                 \
    "sxtb16 %[c], %[p]\n ldrh %[d], [%[e], %[g]]\n"                                                \
    "sxtb16 %[p], %[p], ror #8\n str %[c], [%[to]], #16\n"                                         \
    "sxtb16 %[g], %[q]\n ldrh %[c], [%[e], %[f]]\n"                                                \
    "sxtb16 %[q], %[q], ror #8\n str %[p], [%[to], #-12]\n"                                        \
    "str %[g], [%[to], #-8]\n" NEXT_TWO "str %[q], [%[to], #-4]\n"
#else
#define ELEMENT "2"
#define LOAD "ldrsh "

#define FIRST_WORDS                                                                                \
    "add %[e], %[at], #4\n ldr %[a], [%[at], %[f]]\n ldr %[b], [%[at], %[g]]\n"                    \
    "ldr %[c], [%[e], %[f]]\n ldr %[d], [%[e], %[g]]\n" NEXT_TWO
#define WORDS_OF_TAPS(COUNT)                                                                       \
    "pkhbt %[p], %[a], %[b], lsl #16\n" COUNT                                                      \
    "pkhtb %[q], %[b], %[a], asr #16\n ldr %[a], [%[at], %[f]]\n"                                  \
    "str %[p], [%[to]], #16\n ldr %[b], [%[at], %[g]]\n"                                           \
    "pkhbt %[p], %[c], %[d], lsl #16\n str %[q], [%[to], #-12]\n"                                  \
    "pkhtb %[q], %[d], %[c], asr #16\n ldr %[c], [%[e], %[f]]\n"                                   \
    "str %[p], [%[to], #-8]\n ldr %[d], [%[e], %[g]]\n" NEXT_TWO "str %[q], [%[to], #-4]\n"
#endif

/* A load stands beside a packing or a store each time, which may be those of the two taps before.
 */
#define ELEMENT_OF(X, TAP, OFFSET) LOAD "%[" X "], [%[" TAP "], #" OFFSET "*" ELEMENT "]\n"
#define PACK(X, Y) "pkhbt %[" X "], %[" X "], %[" Y "], lsl #16\n"
#define PUT(X, OFFSET) "str %[" X "], [%[to], #" OFFSET "]\n"
#define FIRST_ELEMENTS                                                                             \
    "add %[p], %[at], %[f]\n add %[q], %[at], %[g]\n" NEXT_TWO ELEMENT_OF("a", "p", "0")           \
        ELEMENT_OF("e", "q", "0") ELEMENT_OF("c", "p", "1") ELEMENT_OF("d", "q", "1")
#define HALF_OF_ELEMENTS                                                                           \
    PACK("a", "e")                                                                                 \
    ELEMENT_OF("b", "p", "2")                                                                      \
    "str %[a], [%[to]], #16\n" ELEMENT_OF("e", "q", "2") PACK("c", "d") ELEMENT_OF("d", "p", "3")  \
        PUT("c", "-12") ELEMENT_OF("a", "q", "3")
#define MORE_ELEMENTS(COUNT)                                                                       \
    HALF_OF_ELEMENTS                                                                               \
    "add %[p], %[at], %[f]\n ldr %[f], [%[list]], #4\n"                                            \
    "add %[q], %[at], %[g]\n ldr %[g], [%[list]], #4\n" PACK("d", "a") ELEMENT_OF("a", "p", "0")   \
        PACK("b", "e") ELEMENT_OF("e", "q", "0") PUT("b", "-8") ELEMENT_OF("c", "p", "1")          \
            PUT("d", "-4") ELEMENT_OF("d", "q", "1") COUNT
#define LAST_ELEMENTS HALF_OF_ELEMENTS PACK("b", "e") PUT("b", "-8") PACK("d", "a") PUT("d", "-4")

#define SOME_PAIRS(TAPS) "ldr %[n], %[pairs]\n2:\n" TAPS("subs %[n], %[n], #1\n") "bne 2b\n"
#define FIVE_PAIRS(TAPS) TAPS("") TAPS("") TAPS("") TAPS("") TAPS("")
#define SOME_ELEMENTS                                                                              \
    "ldr %[n], %[pairs]\n subs %[n], %[n], #1\n beq 3f\n2:\n" MORE_ELEMENTS(                       \
        "subs %[n], %[n], #1\n") "bne 2b\n3:\n" LAST_ELEMENTS
#define FIVE_ELEMENTS                                                                              \
    MORE_ELEMENTS("") MORE_ELEMENTS("") MORE_ELEMENTS("") MORE_ELEMENTS("") LAST_ELEMENTS

#define GATHER_LOOP(NAME, FIRST, PAIRS)                                                            \
    static __attribute__((noinline)) void NAME(gather_walk r) {                                    \
        const int32_t *list;                                                                       \
        uint32_t a, b, c, d, e, f, g, p, q, n;                                                     \
        __asm__ volatile(                                                                          \
            "1:\n ldr %[list], %[begin]\n" NEXT_TWO FIRST PAIRS                                    \
            "ldr %[n], %[blocks]\n add %[at], %[at], #4*" ELEMENT "\n"                             \
            "subs %[n], %[n], #1\n str %[n], %[blocks]\n bne 1b\n"                                 \
            : [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d), [e] "=&r"(e), [f] "=&r"(f),  \
              [g] "=&r"(g), [p] "=&r"(p), [q] "=&r"(q), [n] "=&r"(n), [list] "=&r"(list),          \
              [to] "+r"(r.to), [at] "+r"(r.at), [blocks] "+m"(r.blocks)                            \
            : [begin] "m"(r.list), [pairs] "m"(r.pairs)                                            \
            : "cc", "memory");                                                                     \
    }

GATHER_LOOP(some_words, FIRST_WORDS, SOME_PAIRS(WORDS_OF_TAPS))
GATHER_LOOP(some_elements, FIRST_ELEMENTS, SOME_ELEMENTS)
GATHER_LOOP(five_words, FIRST_WORDS, FIVE_PAIRS(WORDS_OF_TAPS))
GATHER_LOOP(five_elements, FIRST_ELEMENTS, FIVE_ELEMENTS)
#if BITS == 8
GATHER_LOOP(some_halves, FIRST_HALVES, SOME_PAIRS(HALVES_OF_TAPS))
GATHER_LOOP(five_halves, FIRST_HALVES, FIVE_PAIRS(HALVES_OF_TAPS))
#endif

/* By what pixels lie at multiples of: `unit` bytes. */
static inline void gather_blocks(gather_walk r, int32_t unit) {
    const int five = r.pairs == FIVE;
    if (unit == 4) {
        (five ? five_words : some_words)(r);
#if BITS == 8
    } else if (unit == 2) {
        (five ? five_halves : some_halves)(r);
#endif
    } else {
        (five ? five_elements : some_elements)(r);
    }
}

#endif

#endif
