/* Two output channels times three columns: the product all convolutions come down to.
 *
 * For every four values the weights of a pair of channels (a, b) are two words: a0 b0 a2 b2 and
 * a1 b1 a3 b3, one byte each, so that sxtb16 gives a's two values and sxtb16 with a rotation b's.
 * One word then serves 12 products: a load, two extensions and three loads of columns stand
 * beside six smlad, one of each in every cycle, and nothing waits:
 *
 *     cycle  product      beside it
 *     1      a * col 0    b's values
 *     2      b * col 0    load col 2
 *     3      a * col 1    load col 0 of the next two values
 *     4      b * col 1    load col 1 of the next two
 *     5      a * col 2    load the next word of weights
 *     6      b * col 2    a's next values
 *
 * 6 cycles for 12 products and one more for the end of the loop, which holds 48 products: 25
 * cycles, 0.52 a product (pipeline model of the Cortex-M7; 0.50 is the multiplier's limit). Two
 * more columns or channels would not fit the 14 registers.
 *
 * A pair is one piece of a stream (layout "pairs"): its two biases, its weights, its two
 * multipliers. What does not fit the registers is on the stack. */
#ifndef DPL_CORTEX_M_BLOCK_H
#define DPL_CORTEX_M_BLOCK_H

#include "dpl/cortex_m/columns.h"

typedef struct {
    int32_t a0, a1, a2, b0, b1, b2;
} sums_2x3;

enum { BIAS_WORDS = 2, MULTIPLIER_WORDS = 2 };

/* Words of a pair's piece of the stream, for `words` of columns. */
static inline int32_t piece_words(int32_t words) {
    return BIAS_WORDS + words / COLUMNS + MULTIPLIER_WORDS;
}

#if defined(__ARM_FEATURE_DSP)

/* P holds a's values, Q the word they came from; afterwards they have changed their roles. LOAD0
 * and LOAD1 say where the next two values of columns 0 and 1 are, THIS2 where column 2's are. */
#define TWO_VALUES(P, Q, THIS2, LOAD0, LOAD1)                                                      \
    "smlad %[a0], %[" P "], %[x0], %[a0]\n"                                                        \
    "sxtb16 %[" Q "], %[" Q "], ror #8\n"                                                          \
    "smlad %[b0], %[" Q "], %[x0], %[b0]\n"                                                        \
    "ldr %[x2], [%[at], #" THIS2 "]\n"                                                             \
    "smlad %[a1], %[" P "], %[x1], %[a1]\n"                                                        \
    "ldr %[x0], [%[at], #" LOAD0 "\n"                                                              \
    "smlad %[b1], %[" Q "], %[x1], %[b1]\n"                                                        \
    "ldr %[x1], [%[at], #" LOAD1 "]\n"                                                             \
    "smlad %[a2], %[" P "], %[x2], %[a2]\n"                                                        \
    "ldr %[" P "], [%[w]], #4\n"                                                                   \
    "smlad %[b2], %[" Q "], %[x2], %[b2]\n"                                                        \
    "sxtb16 %[" Q "], %[" P "]\n"

/* From the biases on; two fours a turn, an odd number of them enters in the middle. */
#define SUM_PAIR                                                                                   \
    "ldr %[a0], [%[w]], #4\n ldr %[at], %[columns]\n"                                              \
    "ldr %[b0], [%[w]], #4\n ldr %[x2], %[odd]\n"                                                  \
    "ldr %[q], [%[w]], #4\n mov %[a1], %[a0]\n"                                                    \
    "ldr %[x0], [%[at]]\n mov %[a2], %[a0]\n"                                                      \
    "ldr %[x1], [%[at], #4]\n mov %[b1], %[b0]\n"                                                  \
    "cmp %[x2], #0\n mov %[b2], %[b0]\n"                                                           \
    "sxtb16 %[p], %[q]\n"                                                                          \
    "beq 1f\n"                                                                                     \
    "sub %[at], %[at], #24\n"                                                                      \
    "b 2f\n"                                                                                       \
    ".p2align 3\n"                                                                                 \
    "1:\n" TWO_VALUES("p", "q", "8", "12]", "16")                                                  \
        TWO_VALUES("q", "p", "20", "24]", "28") "2:\n" TWO_VALUES("p", "q", "32", "36]", "40")     \
            TWO_VALUES("q", "p", "44", "48]!", "4") "cmp %[at], %[end]\n"                          \
                                                    "bne 1b\n"

/* The inner loop has read the first multiplier already. */
#define FINISH_PAIR                                                                                \
    "ldr %[p], [%[w], #-4]\n ldr %[q], [%[w]], #4\n"                                               \
    "ldr %[at], %[zero]\n ldr %[x2], %[o2]\n"                                                      \
    "ldr %[x1], %[o1]\n ldr %[x0], %[o0]\n"                                                        \
    "smmlar %[a2], %[a2], %[p], %[at]\n"                                                           \
    "smmlar %[b2], %[b2], %[q], %[at]\n"                                                           \
    "smmlar %[a1], %[a1], %[p], %[at]\n ssat %[a2], #8, %[a2]\n"                                   \
    "smmlar %[b1], %[b1], %[q], %[at]\n ssat %[b2], #8, %[b2]\n"                                   \
    "smmlar %[a0], %[a0], %[p], %[at]\n ssat %[a1], #8, %[a1]\n"                                   \
    "smmlar %[b0], %[b0], %[q], %[at]\n ssat %[b1], #8, %[b1]\n"                                   \
    "ldr %[p], %[last]\n strb %[a2], [%[x2]], #1\n"                                                \
    "ssat %[a0], #8, %[a0]\n strb %[b2], [%[x2]], #1\n"                                            \
    "ssat %[b0], #8, %[b0]\n strb %[a1], [%[x1]], #1\n"                                            \
    "cmp %[w], %[p]\n strb %[b1], [%[x1]], #1\n"                                                   \
    "strb %[a0], [%[x0]], #1\n"                                                                    \
    "strb %[b0], [%[x0]], #1\n"                                                                    \
    "str %[x2], %[o2]\n str %[x1], %[o1]\n str %[x0], %[o0]\n"

#define REGISTERS                                                                                  \
    [a0] "=&r"(a0), [a1] "=&r"(a1), [a2] "=&r"(a2), [b0] "=&r"(b0), [b1] "=&r"(b1),                \
        [b2] "=&r"(b2), [w] "+r"(w), [at] "=&r"(at), [p] "=&r"(p), [q] "=&r"(q), [x0] "=&r"(x0),   \
        [x1] "=&r"(x1), [x2] "=&r"(x2)

/* The sums of the pair at `w`, over the columns up to `end`. Reads a word of weights and two of
 * columns beyond. */
static __attribute__((noinline)) sums_2x3 sum_2x3(const uint32_t *w, const uint32_t *columns,
                                                  const uint32_t *end) {
    const uint32_t odd = (uint32_t)(end - columns) / WORDS_OF_FOUR & 1;
    const uint32_t *at;
    uint32_t p, q, x0, x1, x2;
    int32_t a0, a1, a2, b0, b1, b2;
    __asm__ volatile(SUM_PAIR:REGISTERS
                     : [end] "r"(end), [columns] "m"(columns), [odd] "m"(odd)
                     : "cc", "memory");
    return (sums_2x3){a0, a1, a2, b0, b1, b2};
}

/* All pairs of the stream from `w` to `last`, by the high-word rule, to three pixels at o0, o1 and
 * o2. They may be the same: column 0 is written last. About 25 cycles a pair beside its products.
 */
static __attribute__((noinline)) void high_pairs(const uint32_t *w, const uint32_t *last,
                                                 const uint32_t *columns, const uint32_t *end,
                                                 int32_t zero, int8_t *o0, int8_t *o1, int8_t *o2) {
    const uint32_t odd = (uint32_t)(end - columns) / WORDS_OF_FOUR & 1;
    const uint32_t *at;
    uint32_t p, q, x0, x1, x2;
    int32_t a0, a1, a2, b0, b1, b2;
    __asm__ volatile(
        "3:\n" SUM_PAIR FINISH_PAIR "bne 3b\n"
        : REGISTERS, [o0] "+m"(o0), [o1] "+m"(o1), [o2] "+m"(o2)
        : [end] "r"(end), [columns] "m"(columns), [odd] "m"(odd), [zero] "m"(zero), [last] "m"(last)
        : "cc", "memory");
}

#else

static inline sums_2x3 sum_2x3(const uint32_t *w, const uint32_t *columns, const uint32_t *end) {
    const int32_t bias_a = (int32_t)w[0], bias_b = (int32_t)w[1];
    sums_2x3 s = {bias_a, bias_a, bias_a, bias_b, bias_b, bias_b};
    for (w += BIAS_WORDS; columns != end; columns += COLUMNS, w++) {
        uint32_t a = even_bytes(*w), b = odd_bytes(*w);
        s.a0 = dual_mac(a, columns[0], s.a0);
        s.a1 = dual_mac(a, columns[1], s.a1);
        s.a2 = dual_mac(a, columns[2], s.a2);
        s.b0 = dual_mac(b, columns[0], s.b0);
        s.b1 = dual_mac(b, columns[1], s.b1);
        s.b2 = dual_mac(b, columns[2], s.b2);
    }
    return s;
}

static inline int8_t high_output(int32_t sum, uint32_t multiplier, int32_t zero) {
    return (int8_t)saturate8(scale_high(sum, (int32_t)multiplier, zero));
}

static inline void high_pairs(const uint32_t *w, const uint32_t *last, const uint32_t *columns,
                              const uint32_t *end, int32_t zero, int8_t *o0, int8_t *o1,
                              int8_t *o2) {
    const int32_t piece = piece_words((int32_t)(end - columns));
    for (; w != last; w += piece, o0 += 2, o1 += 2, o2 += 2) {
        const sums_2x3 s = sum_2x3(w, columns, end);
        const uint32_t a = w[piece - 2], b = w[piece - 1];
        o2[0] = high_output(s.a2, a, zero);
        o2[1] = high_output(s.b2, b, zero);
        o1[0] = high_output(s.a1, a, zero);
        o1[1] = high_output(s.b1, b, zero);
        o0[0] = high_output(s.a0, a, zero);
        o0[1] = high_output(s.b0, b, zero);
    }
}

#endif

#endif
