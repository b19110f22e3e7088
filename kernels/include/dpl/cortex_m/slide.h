/* Depthwise sums of four neighbouring outputs of one channel, two taps a product.
 *
 * Columns 2i and 2i + 1 of a channel are the halfwords of word i of a packed row; the words of four
 * channels take turns. A row of taps w0 w1 w2 ... is a row of terms: at stride 1 term t is the word
 * even = (w[2t], w[2t + 1]) and the word odd = (w[2t - 1], w[2t]), at stride 2 only the even one;
 * taps that are not there are zero. Then
 *
 *     stride 1, output 2i:      sum of word[i + t] * even[t]
 *     stride 1, output 2i + 1:  sum of word[i + t] * odd[t]
 *     stride 2, output i:       sum of word[i + t] * even[t]
 *
 * with products of two halfwords (smlad), wherever a window begins. A term is four products for
 * four outputs, the loads and the walk stand beside them. Pipeline model of the Cortex-M7: 9 cycles
 * a row of two terms and four outputs, 13 of three at stride 1, 0.65 for a product of five taps;
 * 14 at stride 2. More terms are a loop in C. */
#ifndef DPL_CORTEX_M_SLIDE_H
#define DPL_CORTEX_M_SLIDE_H

#include "dpl/cortex_m/simd.h"

enum { OUTPUTS = 4, LANES = 4 }; /* outputs at once; channels of a packed row */

/* What all blocks of a call have in common. */
typedef struct {
    int32_t stride; /* 1 or 2 */
    int32_t rows;   /* of taps */
    int32_t terms;  /* of a row */
    int32_t pitch;  /* words from a packed row to the next, a multiple of LANES */
} filter;

typedef struct {
    int32_t s0, s1, s2, s3;
} four_sums;

/* Words of a row of weights. */
static inline int32_t weight_words(const filter *f) {
    return f->terms * (f->stride == 1 ? 2 : 1);
}

/* `x`: the first word of the first output in the first row; `w`: of the first row's terms. */
static inline four_sums slide_by_1(const filter *f, const uint32_t *x, const uint32_t *w,
                                   int32_t bias) {
    four_sums s = {bias, bias, bias, bias};
    for (int32_t row = 0; row < f->rows; row++, x += f->pitch) {
        const uint32_t *at = x;
        uint32_t word = *at;
        for (int32_t t = f->terms; t > 0; t--, w += 2) {
            at += LANES;
            s.s0 = dual_mac(word, w[0], s.s0);
            s.s1 = dual_mac(word, w[1], s.s1);
            word = *at;
            s.s2 = dual_mac(word, w[0], s.s2);
            s.s3 = dual_mac(word, w[1], s.s3);
        }
    }
    return s;
}

static inline four_sums slide_by_2(const filter *f, const uint32_t *x, const uint32_t *w,
                                   int32_t bias) {
    four_sums s = {bias, bias, bias, bias};
    for (int32_t row = 0; row < f->rows; row++, x += f->pitch) {
        const uint32_t *at = x;
        for (int32_t t = f->terms; t > 0; t--, w++, at += LANES) {
            s.s0 = dual_mac(at[0], *w, s.s0);
            s.s1 = dual_mac(at[LANES], *w, s.s1);
            s.s2 = dual_mac(at[2 * LANES], *w, s.s2);
            s.s3 = dual_mac(at[3 * LANES], *w, s.s3);
        }
    }
    return s;
}

#if defined(__ARM_FEATURE_DSP)

#define MAC(S, X, W) "smlad %[" S "], %[" X "], %[" W "], %[" S "]\n"
#define TAKE(W) "ldr %[" W "], [%[w]], #4\n"
#define WORD(X, T) "ldr %[" X "], [%[x], #16*" T "]\n"
#define NEXT_ROW "add %[x], %[x], %[pitch]\n"
#define COUNT "subs %[rows], %[rows], #1\n"

/* Stride 1: a term with its first word in A and its second in B; A is then loaded with word T. */
#define TERM(A, B, T)                                                                              \
    MAC("s0", A, "even")                                                                           \
    TAKE("odd")                                                                                    \
    MAC("s2", B, "even")                                                                           \
    MAC("s1", A, "odd")                                                                            \
    TAKE("even")                                                                                   \
    MAC("s3", B, "odd")                                                                            \
    WORD(A, T)

/* The last term of a row loads the first words of the next: first the one it needs first. */
#define LAST_OF_ODD(A, B)                                                                          \
    MAC("s0", A, "even")                                                                           \
    TAKE("odd")                                                                                    \
    MAC("s2", B, "even")                                                                           \
    NEXT_ROW                                                                                       \
    MAC("s1", A, "odd")                                                                            \
    TAKE("even")                                                                                   \
    COUNT                                                                                          \
    WORD(A, "0")                                                                                   \
    MAC("s3", B, "odd")                                                                            \
    WORD(B, "1")
#define LAST_OF_EVEN(A, B)                                                                         \
    MAC("s0", A, "even")                                                                           \
    TAKE("odd")                                                                                    \
    MAC("s2", B, "even")                                                                           \
    NEXT_ROW                                                                                       \
    MAC("s3", B, "odd")                                                                            \
    TAKE("even")                                                                                   \
    COUNT                                                                                          \
    WORD(B, "0")                                                                                   \
    MAC("s1", A, "odd")                                                                            \
    WORD(A, "1")

#define BY_1(TERMS) "1:\n" TERMS "bne 1b\n"
#define BY_1_OF_1 BY_1(LAST_OF_ODD("x0", "x1"))
#define BY_1_OF_2 BY_1(TERM("x0", "x1", "2") LAST_OF_EVEN("x1", "x0"))
#define BY_1_OF_3 BY_1(TERM("x0", "x1", "2") TERM("x1", "x0", "3") LAST_OF_ODD("x0", "x1"))

/* Stride 2: one word of weights serves a term, `even` and `odd` in turn. Words come into x0 to x3
 * in turn; the last term of a row takes x0 first, for which the next row waits. */
#define FIRST_BY_2                                                                                 \
    MAC("s0", "x0", "even")                                                                        \
    TAKE("odd")                                                                                    \
    MAC("s1", "x1", "even")                                                                        \
    WORD("x0", "4")                                                                                \
    MAC("s2", "x2", "even")                                                                        \
    MAC("s3", "x3", "even")
#define LAST_BY_2(S0, S1, S2, S3, W, TAKE_EARLY, TAKE_LATE)                                        \
    NEXT_ROW                                                                                       \
    MAC(S0, "x0", W)                                                                               \
    TAKE_EARLY                                                                                     \
    MAC(S1, "x1", W)                                                                               \
    WORD("x0", "0")                                                                                \
    COUNT                                                                                          \
    MAC(S2, "x2", W)                                                                               \
    WORD("x1", "1")                                                                                \
    MAC(S3, "x3", W)                                                                               \
    TAKE_LATE                                                                                      \
    WORD("x2", "2")                                                                                \
    WORD("x3", "3")
#define BY_2_OF_1 "1:\n" LAST_BY_2("s0", "s1", "s2", "s3", "even", "", TAKE("even")) "bne 1b\n"
#define BY_2_OF_2                                                                                  \
    "1:\n" FIRST_BY_2 LAST_BY_2("s3", "s0", "s1", "s2", "odd", TAKE("even"), "") "bne 1b\n"
#define BY_2_OF_3                                                                                  \
    "1:\n" FIRST_BY_2 MAC("s0", "x1", "odd") MAC("s1", "x2", "odd") TAKE("even") WORD("x1", "5")   \
        MAC("s2", "x3", "odd") MAC("s3", "x0", "odd")                                              \
            LAST_BY_2("s2", "s3", "s0", "s1", "even", "", TAKE("even")) "bne 1b\n"

#define SUMS [s0] "+r"(s.s0), [s1] "+r"(s.s1), [s2] "+r"(s.s2), [s3] "+r"(s.s3)
#define WALK [x] "+r"(x), [w] "+r"(w), [rows] "+r"(rows), [even] "+r"(even)

#define RUN_BY_1(BODY)                                                                             \
    __asm__ volatile(BODY                                                                          \
                     : SUMS, WALK, [x0] "+r"(x0), [x1] "+r"(x1), [odd] "=&r"(odd)                  \
                     : [pitch] "r"(pitch)                                                          \
                     : "cc", "memory")
#define RUN_BY_2(BODY)                                                                             \
    __asm__ volatile(                                                                              \
        BODY                                                                                       \
        : SUMS, WALK, [x0] "+r"(x0), [x1] "+r"(x1), [x2] "+r"(x2), [x3] "+r"(x3), [odd] "=&r"(odd) \
        : [pitch] "r"(pitch)                                                                       \
        : "cc", "memory")

/* Both read words behind the rows and the weights, which meet nothing. */
static inline four_sums block_by_1(const filter *f, const uint32_t *x, const uint32_t *w,
                                   int32_t bias) {
    if (f->terms > 3) {
        return slide_by_1(f, x, w, bias);
    }
    four_sums s = {bias, bias, bias, bias};
    uint32_t x0 = x[0], x1 = x[LANES], even = *w++, odd;
    const int32_t pitch = 4 * f->pitch;
    int32_t rows = f->rows;
    if (f->terms == 3) {
        RUN_BY_1(BY_1_OF_3);
    } else if (f->terms == 2) {
        RUN_BY_1(BY_1_OF_2);
    } else {
        RUN_BY_1(BY_1_OF_1);
    }
    return s;
}

static inline four_sums block_by_2(const filter *f, const uint32_t *x, const uint32_t *w,
                                   int32_t bias) {
    if (f->terms > 3) {
        return slide_by_2(f, x, w, bias);
    }
    four_sums s = {bias, bias, bias, bias};
    uint32_t x0 = x[0], x1 = x[LANES], x2 = x[2 * LANES], x3 = x[3 * LANES], even = *w++, odd;
    const int32_t pitch = 4 * f->pitch;
    int32_t rows = f->rows;
    if (f->terms == 3) {
        RUN_BY_2(BY_2_OF_3);
    } else if (f->terms == 2) {
        RUN_BY_2(BY_2_OF_2);
    } else {
        RUN_BY_2(BY_2_OF_1);
    }
    return s;
}

#else

#define block_by_1 slide_by_1
#define block_by_2 slide_by_2

#endif

#endif
