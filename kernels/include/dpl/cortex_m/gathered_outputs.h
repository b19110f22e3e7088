/* Four depthwise outputs after another from gathered windows, two taps a product. The body of a
 * kernel of int8 or int16; its file names `element`, its BITS, its STORE and `saturate`.
 *
 * A window of four channels is rows of four words: word c of row t has the taps 2t and 2t + 1 of
 * channel c as halfwords. Weights of four outputs, as the layout "taps_x4" has them: four biases,
 * four words for each pair of taps, four multipliers. The outputs are those of one channel, or two
 * of each of two channels. A list states where the first word of each four is.
 *
 * Two pairs of taps an iteration: 10 cycles for 16 products of one channel, 11 of two channels; a
 * load stands beside each product. What begins and ends four outputs takes 18. */
#ifndef DPL_CORTEX_M_GATHERED_OUTPUTS_H
#define DPL_CORTEX_M_GATHERED_OUTPUTS_H

#include "dpl/cortex_m/simd.h"

enum { FOUR = 4 };

/* Fours from the list's entry `list` to `end`, one behind another. */
typedef struct {
    const int32_t *w;
    const int32_t *list, *end; /* of where words begin: `words_at` */
    element *out;
    int32_t pairs, zero;
} gathered_run;

typedef void (*gathered_loop)(const gathered_run *r);

#if defined(__ARM_FEATURE_DSP)

/* Two pairs an iteration; an odd number of them begins with its second half. */
#define HALF_BEGINS(FIRST) "ldr %[n], %[pairs]\n" FIRST "lsrs %[n], %[n], #1\n bcs 3f\n"
#define COUNT "subs %[n], %[n], #1\n"

/* A pair of one channel, whose word is in X; that of the next comes to Y. */
#define PAIR_OF_ONE(X, Y, ELSE)                                                                    \
    "smlad %[s0], %[" X "], %[a], %[s0]\n ldr %[" Y "], [%[at], #16]!\n"                           \
    "smlad %[s1], %[" X "], %[b], %[s1]\n ldr %[a], [%[w], #16]!\n"                                \
    "smlad %[s2], %[" X "], %[c], %[s2]\n ldr %[b], [%[w], #4]\n"                                  \
    "smlad %[s3], %[" X "], %[d], %[s3]\n ldr %[c], [%[w], #8]\n"                                  \
    "ldr %[d], [%[w], #12]\n" ELSE
#define SOME_OF_ONE                                                                                \
    HALF_BEGINS("mov %[y], %[x]\n")                                                                \
    "2:\n" PAIR_OF_ONE("x", "y", COUNT) "3:\n" PAIR_OF_ONE("y", "x", "bne 2b\n")
#define TWO_OF_ONE PAIR_OF_ONE("x", "y", "") PAIR_OF_ONE("y", "x", "")
#define FIVE_OF_ONE TWO_OF_ONE TWO_OF_ONE PAIR_OF_ONE("x", "y", "")

/* A pair of two channels, whose words are in x and y. */
#define PAIR_OF_TWO                                                                                \
    "smlad %[s0], %[x], %[a], %[s0]\n ldr %[a], [%[w], #16]!\n"                                    \
    "smlad %[s1], %[x], %[b], %[s1]\n ldr %[x], [%[at], #16]!\n"                                   \
    "smlad %[s2], %[y], %[c], %[s2]\n ldr %[b], [%[w], #4]\n"                                      \
    "smlad %[s3], %[y], %[d], %[s3]\n ldr %[y], [%[at], #4]\n"                                     \
    "ldr %[c], [%[w], #8]\n ldr %[d], [%[w], #12]\n"
#define SOME_OF_TWO                                                                                \
    HALF_BEGINS("ldr %[y], [%[at], #4]\n")                                                         \
    "2:\n" PAIR_OF_TWO COUNT "3:\n" PAIR_OF_TWO "bne 2b\n"
#define FIVE_OF_TWO                                                                                \
    "ldr %[y], [%[at], #4]\n" PAIR_OF_TWO PAIR_OF_TWO PAIR_OF_TWO PAIR_OF_TWO PAIR_OF_TWO

#define BEGIN_FOUR                                                                                 \
    "ldr %[at], [%[list]], #4\n ldr %[s0], [%[w]]\n"                                               \
    "ldr %[s1], [%[w], #4]\n ldr %[s2], [%[w], #8]\n"                                              \
    "ldr %[s3], [%[w], #12]\n ldr %[a], [%[w], #16]!\n"                                            \
    "ldr %[x], [%[at]]\n ldr %[b], [%[w], #4]\n"                                                   \
    "ldr %[c], [%[w], #8]\n ldr %[d], [%[w], #12]\n"

/* Behind the last pair a to d have the multipliers, and w is where they are. */
#define END_FOUR(BOUND, SIZE)                                                                      \
    "ldr %[x], %[zero]\n ldr %[n], %[to]\n"                                                        \
    "smmlar %[s0], %[s0], %[a], %[x]\n add %[w], %[w], #16\n"                                      \
    "smmlar %[s1], %[s1], %[b], %[x]\n add %[at], %[n], #4*" SIZE "\n"                             \
    "smmlar %[s2], %[s2], %[c], %[x]\n ldr %[y], %[end]\n"                                         \
    "smmlar %[s3], %[s3], %[d], %[x]\n" BOUND("s0") "str %[at], %[to]\n" BOUND(                    \
        "s1") "cmp %[list], %[y]\n" BOUND("s2") STORE " %[s0], [%[n]]\n" BOUND("s3") STORE         \
        " %[s1], [%[n], #" SIZE "]\n" STORE " %[s2], [%[n], #2*" SIZE "]\n" STORE                  \
        " %[s3], [%[n], #3*" SIZE "]\n bne 1b\n"

#if BITS == 8
#define SIZE "1"
#define LIMIT(S) "ssat %[" S "], #8, %[" S "]\n"
#else
#define SIZE "2"
#define LIMIT(S) "ssat %[" S "], #16, %[" S "]\n"
#define NOT_BELOW_ZERO(S) "usat %[" S "], #15, %[" S "]\n"
#endif

#define GATHERED_LOOP(NAME, PAIRS, BOUND)                                                          \
    static __attribute__((noinline)) void NAME(const gathered_run *r) {                            \
        const int32_t *w = r->w, *list = r->list, *const end = r->end;                             \
        const int32_t pairs = r->pairs, zero = r->zero;                                            \
        element *to = r->out;                                                                      \
        int32_t s0, s1, s2, s3;                                                                    \
        uint32_t a, b, c, d, x, y, n, at;                                                          \
        __asm__ volatile(                                                                          \
            "1:\n" BEGIN_FOUR PAIRS END_FOUR(BOUND, SIZE)                                          \
            : [s0] "=&r"(s0), [s1] "=&r"(s1), [s2] "=&r"(s2), [s3] "=&r"(s3), [a] "=&r"(a),        \
              [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d), [x] "=&r"(x), [y] "=&r"(y), [n] "=&r"(n),  \
              [at] "=&r"(at), [w] "+r"(w), [list] "+r"(list), [to] "+m"(to)                        \
            : [pairs] "m"(pairs), [zero] "m"(zero), [end] "m"(end)                                 \
            : "cc", "memory");                                                                     \
    }

GATHERED_LOOP(some_of_one, SOME_OF_ONE, LIMIT)
GATHERED_LOOP(five_of_one, FIVE_OF_ONE, LIMIT)
GATHERED_LOOP(some_of_two, SOME_OF_TWO, LIMIT)
#if BITS == 16
GATHERED_LOOP(some_of_one_positive, SOME_OF_ONE, NOT_BELOW_ZERO)
GATHERED_LOOP(some_of_two_positive, SOME_OF_TWO, NOT_BELOW_ZERO)
#endif

#endif

#endif
