/* Two output channels times three columns: the product all convolutions come down to.
 *
 * For every four values the weights of a pair of channels (a, b) are two words of bytes a b a b, so
 * that sxtb16 gives a's two values and sxtb16 with a rotation b's. One word then serves 12
 * products: a load, two extensions and three loads of columns stand beside six smlad, one of each
 * in every cycle, and nothing waits:
 *
 *     cycle  product      beside it
 *     1      a * col 0    b's values
 *     2      b * col 0    load col 2
 *     3      a * col 1    load col 0 of the next two values
 *     4      b * col 1    load col 1 of the next two
 *     5      a * col 2    load the next word of weights
 *     6      b * col 2    a's next values
 *
 * 6 cycles for 12 products and one more for the end of the loop, which holds 96 products: 49
 * cycles, 0.51 a product (pipeline model of the Cortex-M7; 0.50 is the multiplier's limit). Two
 * more columns or channels would not fit the 14 registers.
 *
 * Which two values share a word is the columns' affair: 0 and 2, then 1 and 3 where bytes were
 * widened (layout "pairs"), neighbours where they were halfwords (layout "ordered_pairs").
 *
 * A pair is one piece of a stream: its two biases, its weights, its two multipliers. What does not
 * fit the registers is on the stack. */
#ifndef DPL_CORTEX_M_BLOCK_H
#define DPL_CORTEX_M_BLOCK_H

#include "dpl/cortex_m/simd.h"

enum { COLUMNS = 3, WORDS_OF_FOUR = 2 * COLUMNS, BIAS_WORDS = 2, MULTIPLIER_WORDS = 2 };

typedef struct {
    int32_t a0, a1, a2, b0, b1, b2;
} sums_2x3;

/* Where three pixels of an output channel lie: the first, and elements from there to the others.
 * Some may be the same: column 0 is written last. */
typedef struct {
    element *at;
    int32_t second, third;
} three_pixels;

/* Pieces from `first` to `last` times triples of columns, `words` each; all start at a boundary. */
typedef struct {
    const uint32_t *first, *last, *columns;
    int32_t words;
    int32_t addend; /* to the high words of products */
    three_pixels *out;
    int32_t triples;
} high_job;

/* Words of a pair's piece of the stream, for `words` of columns. */
static inline int32_t piece_words(int32_t words) {
    return BIAS_WORDS + words / COLUMNS + MULTIPLIER_WORDS;
}

#if defined(__ARM_FEATURE_DSP)

/* Fours that the loop's first turn leaves out, in bytes of columns. */
static inline uint32_t left_out(int32_t words) {
    const uint32_t fours = (uint32_t)words / WORDS_OF_FOUR;
    return (0u - fours) % 4 * WORDS_OF_FOUR * 4;
}

/* P holds a's values, Q the word they came from; afterwards they have changed their roles. LOAD0
 * and LOAD1 say where the next two values of columns 0 and 1 are, THIS2 where column 2's are. All
 * instructions have four bytes: SUM_PAIR computes where to enter. */
#define TWO_VALUES(P, Q, THIS2, LOAD0, LOAD1)                                                      \
    "smlad %[a0], %[" P "], %[x0], %[a0]\n"                                                        \
    "sxtb16 %[" Q "], %[" Q "], ror #8\n"                                                          \
    "smlad %[b0], %[" Q "], %[x0], %[b0]\n"                                                        \
    "ldr.w %[x2], [%[at], #" THIS2 "]\n"                                                           \
    "smlad %[a1], %[" P "], %[x1], %[a1]\n"                                                        \
    "ldr.w %[x0], [%[at], #" LOAD0 "\n"                                                            \
    "smlad %[b1], %[" Q "], %[x1], %[b1]\n"                                                        \
    "ldr.w %[x1], [%[at], #" LOAD1 "]\n"                                                           \
    "smlad %[a2], %[" P "], %[x2], %[a2]\n"                                                        \
    "ldr.w %[" P "], [%[w]], #4\n"                                                                 \
    "smlad %[b2], %[" Q "], %[x2], %[b2]\n"                                                        \
    "sxtb16 %[" Q "], %[" P "]\n"

#define FOUR_VALUES(A, B, C, D, E, F)                                                              \
    TWO_VALUES("p", "q", A, B "]", C) TWO_VALUES("q", "p", D, E, F)

/* Where the loop is entered: 96 bytes of code for 24 of columns. */
#define FIND_ENTRY                                                                                 \
    "ldr %[q], %[skip]\n adr.w %[p], 1f\n"                                                         \
    "add %[p], %[p], %[q], lsl #2\n"                                                               \
    "orr %[p], %[p], #1\n"                                                                         \
    "str %[p], %[entry]\n"

/* From the biases on; four fours a turn. */
#define SUM_PAIR                                                                                   \
    "ldr %[a0], [%[w]], #4\n ldr %[at], %[columns]\n"                                              \
    "ldr %[b0], [%[w]], #4\n ldr %[x2], %[skip]\n"                                                 \
    "ldr %[q], [%[w]], #4\n mov %[a1], %[a0]\n"                                                    \
    "ldr %[x0], [%[at]]\n mov %[a2], %[a0]\n"                                                      \
    "ldr %[x1], [%[at], #4]\n mov %[b1], %[b0]\n"                                                  \
    "sub %[at], %[at], %[x2]\n mov %[b2], %[b0]\n"                                                 \
    "ldr %[x2], %[entry]\n sxtb16 %[p], %[q]\n"                                                    \
    "bx %[x2]\n"                                                                                   \
    ".p2align 3\n"                                                                                 \
    "1:\n" FOUR_VALUES("8", "12", "16", "20", "24]", "28")                                         \
        FOUR_VALUES("32", "36", "40", "44", "48]", "52")                                           \
            FOUR_VALUES("56", "60", "64", "68", "72]", "76")                                       \
                FOUR_VALUES("80", "84", "88", "92", "96]!", "4") "cmp %[at], %[end]\n"             \
                                                                 "bne 1b\n"

/* The inner loop has read the first multiplier already. STORE(X, AT) writes X at the address. */
#define FINISH_PAIR(LIMIT, STORE, OTHER, STEP)                                                     \
    "ldr %[p], [%[w], #-4]\n ldr %[x0], %[out]\n"                                                  \
    "ldr %[q], [%[w]], #4\n ldr %[at], %[addend]\n"                                                \
    "smmlar %[a2], %[a2], %[p], %[at]\n ldr %[x2], [%[x0], #8]\n"                                  \
    "smmlar %[a1], %[a1], %[p], %[at]\n ldr %[x1], [%[x0], #4]\n"                                  \
    "smmlar %[b2], %[b2], %[q], %[at]\n ldr %[x0], [%[x0]]\n"                                      \
    "smmlar %[a0], %[a0], %[p], %[at]\n" LIMIT("a2") "smmlar %[b1], %[b1], %[q], %[at]\n" LIMIT(   \
        "a1") STORE " %[a2], [%[x0], %[x2]" OTHER "]\n"                                            \
                    "smmlar %[b0], %[b0], %[q], %[at]\n" LIMIT("a0") STORE                         \
        " %[a1], [%[x0], %[x1]" OTHER "]\n" LIMIT("b2") STORE                                      \
        " %[a0], [%[x0]], #" STEP "\n" LIMIT("b1") STORE " %[b2], [%[x0], %[x2]" OTHER             \
                                                         "]\n" LIMIT("b0") STORE                   \
        " %[b1], [%[x0], %[x1]" OTHER "]\n"                                                        \
        "ldr %[p], %[last]\n ldr %[q], %[out]\n" STORE " %[b0], [%[x0]], #" STEP "\n"              \
        "cmp %[w], %[p]\n str %[x0], [%[q]]\n"

#define NEXT_TRIPLE                                                                                \
    "ldr %[p], %[bytes]\n add %[q], %[q], #12\n"                                                   \
    "ldr %[at], %[columns]\n ldr %[x0], %[triples]\n"                                              \
    "str %[q], %[out]\n add %[end], %[end], %[p]\n"                                                \
    "add %[at], %[at], %[p]\n subs %[x0], %[x0], #1\n"                                             \
    "str %[at], %[columns]\n str %[x0], %[triples]\n"

#define REGISTERS                                                                                  \
    [a0] "=&r"(a0), [a1] "=&r"(a1), [a2] "=&r"(a2), [b0] "=&r"(b0), [b1] "=&r"(b1),                \
        [b2] "=&r"(b2), [w] "+r"(w), [at] "=&r"(at), [p] "=&r"(p), [q] "=&r"(q), [x0] "=&r"(x0),   \
        [x1] "=&r"(x1), [x2] "=&r"(x2), [entry] "=&m"(entry)

/* The sums of the piece at `w`. Reads a word of weights and two of columns beyond. */
static __attribute__((noinline)) sums_2x3 sum_2x3(const uint32_t *w, const uint32_t *columns,
                                                  int32_t words) {
    const uint32_t skip = left_out(words), *end = columns + words, *at;
    uint32_t p, q, x0, x1, x2, entry;
    int32_t a0, a1, a2, b0, b1, b2;
    __asm__ volatile(FIND_ENTRY SUM_PAIR:REGISTERS
                     : [end] "r"(end), [columns] "m"(columns), [skip] "m"(skip)
                     : "cc", "memory");
    return (sums_2x3){a0, a1, a2, b0, b1, b2};
}

/* All of a job by the high-word rule: about 23 cycles a pair beside its products. `at` of its
 * pixels moves on by the channels that were written. */
#define HIGH_TRIPLES(NAME, LIMIT, STORE, OTHER, STEP)                                              \
    static __attribute__((noinline)) void NAME(const high_job *j) {                                \
        const uint32_t skip = left_out(j->words), *first = j->first, *last = j->last;              \
        const uint32_t *columns = j->columns, *end = columns + j->words, *w = first, *at;          \
        const int32_t addend = j->addend, bytes = 4 * j->words;                                    \
        three_pixels *out = j->out;                                                                \
        int32_t triples = j->triples, a0, a1, a2, b0, b1, b2;                                      \
        uint32_t p, q, x0, x1, x2, entry;                                                          \
        __asm__ volatile(FIND_ENTRY "4: ldr %[w], %[first]\n"                                      \
                                    "3:\n" SUM_PAIR FINISH_PAIR(LIMIT, STORE, OTHER,               \
                                                                STEP) "bne 3b\n" NEXT_TRIPLE       \
                                                                      "bne 4b\n"                   \
                         : REGISTERS, [end] "+r"(end), [columns] "+m"(columns), [out] "+m"(out),   \
                           [triples] "+m"(triples)                                                 \
                         : [first] "m"(first), [last] "m"(last), [skip] "m"(skip),                 \
                           [bytes] "m"(bytes), [addend] "m"(addend)                                \
                         : "cc", "memory");                                                        \
    }

#else

static inline sums_2x3 sum_2x3(const uint32_t *w, const uint32_t *columns, int32_t words) {
    const int32_t bias_a = (int32_t)w[0], bias_b = (int32_t)w[1];
    sums_2x3 s = {bias_a, bias_a, bias_a, bias_b, bias_b, bias_b};
    w += BIAS_WORDS;
    for (const uint32_t *end = columns + words; columns != end; columns += COLUMNS, w++) {
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

static inline void high_pixel(const three_pixels *out, int32_t channel, element y0, element y1,
                              element y2) {
    out->at[channel + out->third] = y2;
    out->at[channel + out->second] = y1;
    out->at[channel] = y0;
}

#define HIGH_TRIPLES(NAME, LIMIT, STORE, OTHER, STEP)                                              \
    static inline void NAME(const high_job *j) {                                                   \
        const int32_t piece = piece_words(j->words), more = j->addend;                             \
        for (int32_t i = 0; i < j->triples; i++) {                                                 \
            three_pixels *out = j->out + i;                                                        \
            for (const uint32_t *w = j->first; w != j->last; w += piece, out->at += 2) {           \
                const sums_2x3 s = sum_2x3(w, j->columns + i * j->words, j->words);                \
                const int32_t a = (int32_t)w[piece - 2], b = (int32_t)w[piece - 1];                \
                high_pixel(out, 0, LIMIT(s.a0, a, more), LIMIT(s.a1, a, more),                     \
                           LIMIT(s.a2, a, more));                                                  \
                high_pixel(out, 1, LIMIT(s.b0, b, more), LIMIT(s.b1, b, more),                     \
                           LIMIT(s.b2, b, more));                                                  \
            }                                                                                      \
        }                                                                                          \
    }

#endif

#endif
