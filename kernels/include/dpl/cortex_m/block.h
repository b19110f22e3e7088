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
 * more columns or channels would not fit the 14 registers. */
#ifndef DPL_CORTEX_M_BLOCK_H
#define DPL_CORTEX_M_BLOCK_H

#include "dpl/cortex_m/columns.h"

typedef struct {
    int32_t a0, a1, a2, b0, b1, b2;
} sums_2x3;

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
    "ldr %[" P "], [%[weights]], #4\n"                                                             \
    "smlad %[b2], %[" Q "], %[x2], %[b2]\n"                                                        \
    "sxtb16 %[" Q "], %[" P "]\n"

/* The columns from `at` up to `end`, an even or odd number of fours; adds to `s`. Reads a word of
 * weights and two of columns beyond. Returns the weights behind those it used. */
static inline const uint32_t *add_2x3(sums_2x3 *s, const uint32_t *weights, const uint32_t *at,
                                      const uint32_t *end) {
    uint32_t p, q, x0, x1, x2;
    int32_t a0 = s->a0, a1 = s->a1, a2 = s->a2, b0 = s->b0, b1 = s->b1, b2 = s->b2;
    __asm__ volatile("ldr %[q], [%[weights]], #4\n"
                     "sub %[x2], %[end], %[at]\n"
                     "ldrd %[x0], %[x1], [%[at]]\n"
                     "tst %[x2], #8\n" /* 24 bytes a four: set where their number is odd */
                     "sxtb16 %[p], %[q]\n"
                     "beq 1f\n"
                     "sub %[at], %[at], #24\n"
                     "b 2f\n"
                     ".p2align 3\n"
                     "1:\n" TWO_VALUES("p", "q", "8", "12]", "16") TWO_VALUES(
                         "q", "p", "20", "24]", "28") "2:\n" TWO_VALUES("p", "q", "32", "36]", "40")
                         TWO_VALUES("q", "p", "44", "48]!", "4") "cmp %[at], %[end]\n"
                                                                 "bne 1b\n"
                     : [a0] "+r"(a0), [a1] "+r"(a1), [a2] "+r"(a2), [b0] "+r"(b0), [b1] "+r"(b1),
                       [b2] "+r"(b2), [weights] "+r"(weights), [at] "+r"(at), [p] "=&r"(p),
                       [q] "=&r"(q), [x0] "=&r"(x0), [x1] "=&r"(x1), [x2] "=&r"(x2)
                     : [end] "r"(end)
                     : "cc", "memory");
    *s = (sums_2x3){a0, a1, a2, b0, b1, b2};
    return weights - 1;
}

#else

static inline const uint32_t *add_2x3(sums_2x3 *s, const uint32_t *weights, const uint32_t *at,
                                      const uint32_t *end) {
    for (; at != end; at += COLUMNS, weights++) {
        uint32_t a = even_bytes(*weights), b = odd_bytes(*weights);
        s->a0 = dual_mac(a, at[0], s->a0);
        s->a1 = dual_mac(a, at[1], s->a1);
        s->a2 = dual_mac(a, at[2], s->a2);
        s->b0 = dual_mac(b, at[0], s->b0);
        s->b1 = dual_mac(b, at[1], s->b1);
        s->b2 = dual_mac(b, at[2], s->b2);
    }
    return weights;
}

#endif

#endif
