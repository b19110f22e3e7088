/* Eight output channels times one column: what a fully connected layer comes down to.
 *
 * Every weight is used once, so what counts is how few instructions unpack it. Two channels a and b
 * share halfwords v = a + 256 b: sxtb16 of a word of two gives a's values, and b's sum follows from
 * the word as it is, since sum(v x) - sum(a x) = 256 sum(b x). So one extension serves four
 * products instead of two. 256 sum(b x) wraps at 32 bits, so b's sum with its bias must fit 24:
 * `when` of the kernel sees to it. Layout "x8c4": blocks, each with the sums to
 * begin with, weights and multipliers. Eight values of eight channels take 73 instructions for 64
 * products, 37 cycles: 0.58 a product (issue rules of the Cortex-M7; 0.50 is the limit). PLD
 * prefetches weights two iterations ahead, so that the cache fetches lines while products are made;
 * for those in tightly coupled memory it does nothing. */
#ifndef DPL_CORTEX_M_GEMV_H
#define DPL_CORTEX_M_GEMV_H

#include "dpl/cortex_m/blocking.h"
#include "dpl/cortex_m/simd.h"

enum { BLOCK = DPL_GEMV_CHANNELS, PAIR = 2 };
_Static_assert(DPL_GEMV_PREFETCH_BYTES == 128,
               "pld prefetches so many bytes ahead, and a line more");

/* What b's sum is: 24 bits, sign-extended. */
static inline int32_t upper_sum(int32_t both, int32_t lower) {
    return (int32_t)((uint32_t)both - (uint32_t)lower) >> 8;
}

/* Words of a block, a pair or one of `channels`, of inputs that are so many words when widened. */
static inline int32_t block_words(int32_t channels, int32_t words) {
    return 2 * channels + (int32_t)((uint32_t)(channels * words) / 2);
}

#if defined(__ARM_FEATURE_DSP)

/* Two values of eight channels in nine cycles, x0 the column's word. A has the word of ab, B that
 * of cd; C gets that of ef, A then that of gh. Behind the last product A has the next word of cd
 * and B that of ab. An extension replaces the word it is of and issues as the older of its cycle; a
 * word is a factor two cycles after its load at the earliest, which makes the ninth cycle:
 *
 *     cycle  older          younger
 *     1      ab * x         FREE
 *     2      extend a       cd * x
 *     3      extend c       a * x
 *     4      ef * x         load gh
 *     5      extend e       c * x
 *     6      gh * x         load the next ab
 *     7      extend g       e * x
 *     8      g * x          load the next x
 *     9      load the next cd, and another */
#define TWO_OF_EIGHT(A, B, FREE, GH, NEXT_AB, NEXT_X, NEXT_CD, OTHER)                              \
    "smlad %[ab], %[" A "], %[x0], %[ab]\n" FREE "sxtb16 %[" A "], %[" A "]\n"                     \
    "smlad %[cd], %[" B "], %[x0], %[cd]\n sxtb16 %[" B "], %[" B "]\n"                            \
    "smlad %[a], %[" A "], %[x0], %[a]\n smlad %[ef], %[x1], %[x0], %[ef]\n"                       \
    "ldr.w %[" A "], [%[w], #" GH "]\n sxtb16 %[x1], %[x1]\n"                                      \
    "smlad %[c], %[" B "], %[x0], %[c]\n smlad %[gh], %[" A "], %[x0], %[gh]\n"                    \
    "ldr.w %[" B "], [%[w], #" NEXT_AB "\n sxtb16 %[" A "], %[" A "]\n"                            \
    "smlad %[e], %[x1], %[x0], %[e]\n smlad %[g], %[" A "], %[x0], %[g]\n"                         \
    "ldr.w %[x0], [%[x], #" NEXT_X "\n ldr.w %[" A "], [%[w], #" NEXT_CD "]\n" OTHER

/* p and q: the words of ab and cd. All 14 registers are taken, so where the column ends is read
 * anew, into the register of ef. */
#define GEMV_LOOP                                                                                  \
    TWO_OF_EIGHT("p", "q", "ldr.w %[x1], [%[w], #8]\n", "12", "16]", "4]", "20",                   \
                 "ldr.w %[x1], [%[w], #24]\n")                                                     \
    TWO_OF_EIGHT("q", "p", "pld [%[w], #128]\n", "28", "32]", "8]", "36",                          \
                 "ldr.w %[x1], [%[w], #40]\n")                                                     \
    TWO_OF_EIGHT("p", "q", "pld [%[w], #160]\n", "44", "48]", "12]", "52",                         \
                 "ldr.w %[x1], [%[w], #56]\n")                                                     \
    TWO_OF_EIGHT("q", "p", "", "60", "64]!", "16]!", "4", "ldr.w %[x1], %[end]\n")                 \
    "cmp %[x], %[x1]\n bne 1b\n"

/* Reads two words beyond of weights and one of columns. */
#define GEMV_SUMS                                                                                  \
    "ldr %[x], %[columns]\n ldr %[a], [%[w]]\n"                                                    \
    "ldr %[ab], [%[w], #4]\n ldr %[c], [%[w], #8]\n"                                               \
    "ldr %[cd], [%[w], #12]\n ldr %[e], [%[w], #16]\n"                                             \
    "ldr %[x0], [%[x]]\n ldr %[p], [%[w], #32]\n"                                                  \
    "ldr %[q], [%[w], #36]\n"                                                                      \
    "ldr %[ef], [%[w], #20]\n ldr %[g], [%[w], #24]\n"                                             \
    "ldr %[gh], [%[w], #28]\n add %[w], %[w], #32\n"                                               \
    ".p2align 3\n"                                                                                 \
    "1:\n" GEMV_LOOP

/* The inner loop has read the first two multipliers already. */
#define GEMV_REQUANTIZE                                                                            \
    "sub %[ab], %[ab], %[a]\n ldr %[x], %[zero]\n"                                                 \
    "sub %[cd], %[cd], %[c]\n ldr %[x0], [%[w], #8]\n"                                             \
    "asr %[ab], %[ab], #8\n ldr %[x1], %[out]\n"                                                   \
    "smmlar %[a], %[a], %[p], %[x]\n ldr %[p], [%[w], #12]\n pld [%[w], #128]\n"                   \
    "smmlar %[ab], %[ab], %[q], %[x]\n ldr %[q], [%[w], #16]\n pld [%[w], #160]\n"                 \
    "smmlar %[c], %[c], %[x0], %[x]\n asr %[cd], %[cd], #8\n"                                      \
    "sub %[ef], %[ef], %[e]\n ssat %[a], #8, %[a]\n"                                               \
    "smmlar %[cd], %[cd], %[p], %[x]\n ldr %[x0], [%[w], #20]\n"                                   \
    "smmlar %[e], %[e], %[q], %[x]\n ssat %[ab], #8, %[ab]\n"                                      \
    "asr %[ef], %[ef], #8\n strb %[a], [%[x1]]\n"                                                  \
    "ldr %[p], [%[w], #24]\n sub %[gh], %[gh], %[g]\n"                                             \
    "smmlar %[ef], %[ef], %[x0], %[x]\n ssat %[c], #8, %[c]\n"                                     \
    "ldr %[q], [%[w], #28]\n asr %[gh], %[gh], #8\n"                                               \
    "smmlar %[g], %[g], %[p], %[x]\n strb %[ab], [%[x1], #1]\n"                                    \
    "ssat %[cd], #8, %[cd]\n strb %[c], [%[x1], #2]\n"                                             \
    "smmlar %[gh], %[gh], %[q], %[x]\n ssat %[e], #8, %[e]\n"                                      \
    "ssat %[ef], #8, %[ef]\n strb %[cd], [%[x1], #3]\n"                                            \
    "ssat %[g], #8, %[g]\n strb %[e], [%[x1], #4]\n"                                               \
    "ssat %[gh], #8, %[gh]\n strb %[ef], [%[x1], #5]\n"                                            \
    "ldr %[p], %[last]\n strb %[g], [%[x1], #6]\n"                                                 \
    "add %[w], %[w], #32\n strb %[gh], [%[x1], #7]\n"                                              \
    "add %[x1], %[x1], #8\n cmp %[w], %[p]\n"                                                      \
    "str %[x1], %[out]\n"

/* In an even word: the loop reads an odd one beside it, so that their banks differ. */
typedef struct {
    _Alignas(8) const uint32_t *at;
} column_end;

#define GEMV_REGISTERS                                                                             \
    [a] "=&r"(a), [ab] "=&r"(ab), [c] "=&r"(c), [cd] "=&r"(cd), [e] "=&r"(e), [ef] "=&r"(ef),      \
        [g] "=&r"(g), [gh] "=&r"(gh), [w] "+r"(w), [x] "=&r"(x), [p] "=&r"(p), [q] "=&r"(q),       \
        [x0] "=&r"(x0), [x1] "=&r"(x1)

static __attribute__((noinline)) void gemv_sums(const uint32_t *w, const uint32_t *columns,
                                                int32_t words, int32_t *sums) {
    const uint32_t *x;
    const column_end end = {columns + words};
    uint32_t p, q, x0, x1;
    int32_t a, ab, c, cd, e, ef, g, gh;
    __asm__ volatile(GEMV_SUMS:GEMV_REGISTERS
                     : [end] "m"(end.at), [columns] "m"(columns)
                     : "cc", "memory");
    const int32_t found[] = {a, upper_sum(ab, a), c, upper_sum(cd, c),
                             e, upper_sum(ef, e), g, upper_sum(gh, g)};
    __builtin_memcpy(sums, found, sizeof found);
}

/* All blocks from `w` to `last`, by the high-word rule, to `out`. About 35 cycles a
 * block beside its products. */
static __attribute__((noinline, unused)) void gemv_high_word(const uint32_t *w,
                                                             const uint32_t *last,
                                                             const uint32_t *columns, int32_t words,
                                                             int32_t zero, int8_t *out) {
    const uint32_t *x;
    const column_end end = {columns + words};
    uint32_t p, q, x0, x1;
    int32_t a, ab, c, cd, e, ef, g, gh;
    __asm__ volatile("2:\n" GEMV_SUMS GEMV_REQUANTIZE "bne 2b\n"
                     : GEMV_REGISTERS, [out] "+m"(out)
                     : [end] "m"(end.at), [columns] "m"(columns), [zero] "m"(zero), [last] "m"(last)
                     : "cc", "memory");
}

/* Adds products of a pair to `sums`, as they lie in one word, from the bytes of the input as they
 * are: `depth` (eights, at least one) of them. Reads two words beyond of weights, nothing beyond of
 * the input. 26 instructions and 13 cycles for 16 products, every extension as the older
 * instruction of its cycle. */
static inline void add_eights(const uint32_t *w, const int8_t *from, int32_t depth, int32_t *sums) {
    int32_t a = sums[0], ab = sums[1];
    uint32_t p, q, x0, x1, y, z;
    const int8_t *end = from + depth;
    __asm__ volatile("ldr %[p], [%[w]]\n ldr %[q], [%[w], #4]\n"
                     ".p2align 3\n"
                     "1:\n ldr %[y], [%[from]]\n sxtb16 %[x0], %[y]\n"
                     "pld [%[w], #128]\n sxtb16 %[x1], %[y], ror #8\n"
                     "ldr %[z], [%[from], #4]\n add %[from], %[from], #8\n"
                     "smlad %[ab], %[p], %[x0], %[ab]\n sxtb16 %[p], %[p]\n"
                     "smlad %[ab], %[q], %[x1], %[ab]\n sxtb16 %[q], %[q]\n"
                     "smlad %[a], %[p], %[x0], %[a]\n sxtb16 %[x0], %[z]\n"
                     "ldr %[p], [%[w], #8]\n smlad %[a], %[q], %[x1], %[a]\n"
                     "ldr %[q], [%[w], #12]\n sxtb16 %[x1], %[z], ror #8\n"
                     "smlad %[ab], %[p], %[x0], %[ab]\n sxtb16 %[p], %[p]\n"
                     "smlad %[ab], %[q], %[x1], %[ab]\n cmp %[from], %[end]\n"
                     "smlad %[a], %[p], %[x0], %[a]\n sxtb16 %[q], %[q]\n"
                     "ldr %[p], [%[w], #16]!\n smlad %[a], %[q], %[x1], %[a]\n"
                     "ldr %[q], [%[w], #4]\n"
                     "bne 1b\n"
                     : [a] "+r"(a), [ab] "+r"(ab), [w] "+r"(w), [from] "+r"(from), [p] "=&r"(p),
                       [q] "=&r"(q), [x0] "=&r"(x0), [x1] "=&r"(x1), [y] "=&r"(y), [z] "=&r"(z)
                     : [end] "r"(end)
                     : "cc", "memory");
    sums[0] = a;
    sums[1] = ab;
}

/* The same of one channel, whose weights are bytes, too: 19 instructions and 10 cycles for eight
 * products. Reads a word beyond of weights. */
static inline int32_t add_bytes(const uint32_t *w, const int8_t *from, int32_t depth, int32_t sum) {
    uint32_t p, q, t, x0, x1, y, z;
    const int8_t *end = from + depth;
    __asm__ volatile("ldr %[p], [%[w]]\n"
                     ".p2align 3\n"
                     "1:\n sxtb16 %[q], %[p], ror #8\n ldr %[y], [%[from]], #8\n"
                     "sxtb16 %[p], %[p]\n ldr %[z], [%[from], #-4]\n"
                     "sxtb16 %[x0], %[y]\n ldr %[t], [%[w], #4]\n"
                     "sxtb16 %[x1], %[y], ror #8\n smlad %[sum], %[p], %[x0], %[sum]\n"
                     "sxtb16 %[x0], %[z]\n ldr %[p], [%[w], #8]!\n"
                     "sxtb16 %[y], %[t], ror #8\n smlad %[sum], %[q], %[x1], %[sum]\n"
                     "sxtb16 %[x1], %[z], ror #8\n cmp %[from], %[end]\n"
                     "sxtb16 %[t], %[t]\n smlad %[sum], %[y], %[x1], %[sum]\n"
                     "pld [%[w], #120]\n smlad %[sum], %[t], %[x0], %[sum]\n"
                     "bne 1b\n"
                     : [sum] "+r"(sum), [w] "+r"(w), [from] "+r"(from), [p] "=&r"(p), [q] "=&r"(q),
                       [t] "=&r"(t), [x0] "=&r"(x0), [x1] "=&r"(x1), [y] "=&r"(y), [z] "=&r"(z)
                     : [end] "r"(end)
                     : "cc", "memory");
    return sum;
}

#else

static inline int32_t add_bytes(const uint32_t *w, const int8_t *from, int32_t depth, int32_t sum) {
    for (const int8_t *end = from + depth; from != end; from += 4, w++) {
        const uint32_t x = load_word(from);
        sum = dual_mac(even_bytes(*w), even_bytes(x), sum);
        sum = dual_mac(odd_bytes(*w), odd_bytes(x), sum);
    }
    return sum;
}

static inline void gemv_sums(const uint32_t *w, const uint32_t *columns, int32_t words,
                             int32_t *sums) {
    for (int32_t i = 0; i < BLOCK; i++) {
        sums[i] = (int32_t)w[i];
    }
    w += BLOCK;
    for (const uint32_t *end = columns + words; columns != end; columns++, w += BLOCK / 2) {
        for (int32_t i = 0; i < BLOCK / 2; i++) {
            sums[2 * i] = dual_mac(even_bytes(w[i]), *columns, sums[2 * i]);
            sums[2 * i + 1] = dual_mac(w[i], *columns, sums[2 * i + 1]);
        }
    }
    for (int32_t i = 0; i < BLOCK; i += 2) {
        sums[i + 1] = upper_sum(sums[i + 1], sums[i]);
    }
}

static inline void gemv_high_word(const uint32_t *w, const uint32_t *last, const uint32_t *columns,
                                  int32_t words, int32_t zero, int8_t *out) {
    for (; w != last; w += block_words(BLOCK, words)) {
        int32_t sums[BLOCK];
        gemv_sums(w, columns, words, sums);
        const uint32_t *multipliers = w + block_words(BLOCK, words) - BLOCK;
        for (int32_t i = 0; i < BLOCK; i++) {
            *out++ = (int8_t)saturate8(scale_high(sums[i], (int32_t)multipliers[i], zero));
        }
    }
}

static inline void add_eights(const uint32_t *w, const int8_t *from, int32_t depth, int32_t *sums) {
    for (const int8_t *end = from + depth; from != end; from += 4, w += 2) {
        const uint32_t four = load_word(from), x[] = {even_bytes(four), odd_bytes(four)};
        for (int32_t i = 0; i < 2; i++) {
            sums[0] = dual_mac(even_bytes(w[i]), x[i], sums[0]);
            sums[1] = dual_mac(w[i], x[i], sums[1]);
        }
    }
}

#endif

/* The sums of a pair: `depth` (eights) values from `from` on, of which the last eight lie at
 * `last`. */
static inline void pair_sums(const uint32_t *w, const int8_t *from, const int8_t *last,
                             int32_t depth, int32_t *sums) {
    sums[0] = (int32_t)w[0], sums[1] = (int32_t)w[1];
    w += PAIR;
    if (depth > DPL_GEMV_VALUES) {
        add_eights(w, from, depth - DPL_GEMV_VALUES, sums);
        w += (depth - DPL_GEMV_VALUES) / 2;
    }
    add_eights(w, last, DPL_GEMV_VALUES, sums);
    sums[1] = upper_sum(sums[1], sums[0]);
}

/* The sum of a channel by itself, of the same values. */
static inline int32_t single_sum(const uint32_t *w, const int8_t *from, const int8_t *last,
                                 int32_t depth) {
    int32_t sum = (int32_t)*w++;
    if (depth > DPL_GEMV_VALUES) {
        sum = add_bytes(w, from, depth - DPL_GEMV_VALUES, sum);
        w += (depth - DPL_GEMV_VALUES) / 4;
    }
    return add_bytes(w, last, DPL_GEMV_VALUES, sum);
}

#endif
