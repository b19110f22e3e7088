/* Two output channels times three columns: the product all convolutions come down to.
 *
 * For every four values the weights of a pair of channels (a, b) are two words of bytes a b a b, so
 * that sxtb16 gives a's two values and sxtb16 with a rotation b's. One word then serves 12
 * products: a load, two extensions and three loads of columns stand beside six smlad, one of each
 * in every cycle, and nothing waits. An extension issues only as the older instruction of its
 * cycle:
 *
 *     cycle  older                   younger
 *     1      b's values, in place    a * col 0
 *     2      b * col 0               load col 2
 *     3      a * col 1               load col 0 of the next two values
 *     4      b * col 1               load col 1 of the next two
 *     5      a * col 2               load the next word of weights
 *     6      a's next values         b * col 2
 *
 * 6 cycles for 12 products and two more for the end of the loop, which holds 96 products: 50
 * cycles, 0.52 a product (issue rules of the Cortex-M7, deployer/tools/timing; 0.50 is the
 * multiplier's limit). All 14 registers are taken and the loop's limit is in memory; two more
 * columns or channels would not fit.
 *
 * Which two values share a word is the columns' affair: 0 and 2, then 1 and 3 where bytes were
 * widened (layout "x2c4"), neighbours where they were halfwords (layout "x2c4_ordered").
 *
 * A pair is one piece of the packed weights: its two biases, its weights, its two multipliers. What
 * does not fit the registers is on the stack. */
#ifndef DPL_CORTEX_M_BLOCK_H
#define DPL_CORTEX_M_BLOCK_H

#include "dpl/cortex_m/code_bytes.h"
#include "dpl/cortex_m/pieces.h"
#include "dpl/cortex_m/simd.h"

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

#if defined(__ARM_FEATURE_DSP)

/* Bytes of code of four values in the loop, which is entered at a multiple of them. */
#define FOUR_CODE_BYTES 96

/* Where the loop is entered that sums all fours but the first: bytes of its code, four times those
 * of columns. One four alone enters at the loop's end. */
static inline uint32_t loop_offset(int32_t words) {
    const uint32_t fours = (uint32_t)words / WORDS_OF_FOUR - 1;
    return fours == 0 ? 4 * FOUR_CODE_BYTES : (0u - fours) % 4 * FOUR_CODE_BYTES;
}

/* Where the loop's pointer to columns then is. */
static inline const uint32_t *loop_start(const uint32_t *columns, int32_t words) {
    const uint32_t *second = columns + WORDS_OF_FOUR;
    return words == WORDS_OF_FOUR ? second : second - loop_offset(words) / 16;
}

/* p holds a's values, Q the word they came from, R is free; afterwards Q and R have changed their
 * roles. LOAD0 and LOAD1 say where the next two values of columns 0 and 1 are, THIS2 where column
 * 2's are. A and B prefix what is added to: sums, or twice the biases, which lie in a2 and b2. All
 * instructions have four bytes: FIND_ENTRY counts on it, and ENDS_AT asserts it. */
#define TWO_PRODUCTS(Q, R, THIS2, LOAD0, LOAD1, A0, B0, A1, B1)                                    \
    "sxtb16 %[" Q "], %[" Q "], ror #8\n"                                                          \
    "smlad %[a0], %[p], %[x0], %[" A0 "]\n"                                                        \
    "smlad %[b0], %[" Q "], %[x0], %[" B0 "]\n"                                                    \
    "ldr.w %[x2], [%[at], #" THIS2 "]\n"                                                           \
    "smlad %[a1], %[p], %[x1], %[" A1 "]\n"                                                        \
    "ldr.w %[x0], [%[at], #" LOAD0 "\n"                                                            \
    "smlad %[b1], %[" Q "], %[x1], %[" B1 "]\n"                                                    \
    "ldr.w %[x1], [%[at], #" LOAD1 "]\n"                                                           \
    "smlad %[a2], %[p], %[x2], %[a2]\n"                                                            \
    "ldr.w %[" R "], [%[w]], #4\n"                                                                 \
    "sxtb16 %[p], %[" R "]\n"                                                                      \
    "smlad %[b2], %[" Q "], %[x2], %[b2]\n"

#define TWO_VALUES(Q, R, THIS2, LOAD0, LOAD1)                                                      \
    TWO_PRODUCTS(Q, R, THIS2, LOAD0, LOAD1, "a0", "b0", "a1", "b1")

#define FOUR_VALUES(A, B, C, D, E, F)                                                              \
    TWO_VALUES("q", "r", A, B "]", C) TWO_VALUES("r", "q", D, E, F)

/* OFFSET leaves loop_offset in q. */
#define FIND_ENTRY(OFFSET)                                                                         \
    OFFSET "adr.w %[p], 1f\n add %[p], %[p], %[q]\n orr %[p], %[p], #1\n str %[p], %[entry]\n"

/* From the biases on: the first four values, then a loop of four fours an iteration. */
#define BEGIN_PAIR                                                                                 \
    "ldr %[a2], [%[w]], #4\n ldr %[at], %[columns]\n"                                              \
    "ldr %[b2], [%[w]], #4\n ldr %[q], [%[w]], #4\n"                                               \
    "ldr %[x0], [%[at]]\n ldr %[x1], [%[at], #4]\n"                                                \
    "sxtb16 %[p], %[q]\n"
#define ENTER_LOOP                                                                                 \
    "ldr %[at], %[start]\n ldr %[x2], %[entry]\n"                                                  \
    "bx %[x2]\n"                                                                                   \
    ".p2align 3\n"                                                                                 \
    "1:\n"
#define SUM_PAIR                                                                                   \
    BEGIN_PAIR                                                                                     \
    TWO_PRODUCTS("q", "r", "8", "12]", "16", "a2", "b2", "a2", "b2")                               \
    TWO_VALUES("r", "q", "20", "24]", "28")                                                        \
    ENTER_LOOP                                                                                     \
    FOUR_VALUES("8", "12", "16", "20", "24]", "28")                                                \
    ENDS_AT("1 * " TEXT_OF(FOUR_CODE_BYTES))                                                       \
    FOUR_VALUES("32", "36", "40", "44", "48]", "52")                                               \
    ENDS_AT("2 * " TEXT_OF(FOUR_CODE_BYTES))                                                       \
    FOUR_VALUES("56", "60", "64", "68", "72]", "76")                                               \
    ENDS_AT("3 * " TEXT_OF(FOUR_CODE_BYTES))                                                       \
    FOUR_VALUES("80", "84", "88", "92", "96]!", "4")                                               \
    ENDS_AT("4 * " TEXT_OF(FOUR_CODE_BYTES))                                                       \
    "ldr.w %[r], %[end]\n cmp %[at], %[r]\n bne 1b\n"

/* The inner loop has left the first multiplier in q. STORE writes at an address or, with OTHER, at
 * a distance from it. */
#define HIGH(S, M) "smmlar %[" S "], %[" S "], %[" M "], %[at]\n"
#define AT_FIRST(STORE, S, STEP) STORE " %[" S "], [%[x0]], #" STEP "\n"
#define AT_OTHER(STORE, S, X, OTHER) STORE " %[" S "], [%[x0], %[" X "]" OTHER "]\n"
#define BEGIN_FINISH                                                                               \
    "ldr %[p], [%[w]], #4\n ldr %[at], %[addend]\n"                                                \
    "ldr %[x0], %[o0]\n ldr %[x1], %[second]\n"
#define FROM_STACK(X, NAME) "ldr %[" X "], %[" NAME "]\n"
#define FINISH_PAIR(LIMIT, STORE, OTHER, STEP)                                                     \
    BEGIN_FINISH                                                                                   \
    HIGH("a2", "q")                                                                                \
    FROM_STACK("x2", "third")                                                                      \
    HIGH("a1", "q")                                                                                \
    HIGH("a0", "q")                                                                                \
    LIMIT("a2")                                                                                    \
    HIGH("b2", "p")                                                                                \
    LIMIT("a1")                                                                                    \
    HIGH("b1", "p")                                                                                \
    AT_OTHER(STORE, "a2", "x2", OTHER)                                                             \
    HIGH("b0", "p")                                                                                \
    LIMIT("a0")                                                                                    \
    AT_OTHER(STORE, "a1", "x1", OTHER)                                                             \
    LIMIT("b2")                                                                                    \
    AT_FIRST(STORE, "a0", STEP)                                                                    \
    LIMIT("b1")                                                                                    \
    AT_OTHER(STORE, "b2", "x2", OTHER)                                                             \
    LIMIT("b0")                                                                                    \
    AT_OTHER(STORE, "b1", "x1", OTHER)                                                             \
    FROM_STACK("q", "last")                                                                        \
    AT_FIRST(STORE, "b0", STEP)                                                                    \
    "cmp %[w], %[q]\n str %[x0], %[o0]\n"

#define BEGIN_TRIPLE                                                                               \
    "ldr %[q], %[out]\n ldrd %[w], %[x2], %[bounds]\n"                                             \
    "ldr %[p], [%[q], #4]\n ldr %[x0], [%[q]]\n"                                                   \
    "ldr %[x1], [%[q], #8]\n str %[p], %[second]\n"                                                \
    "str %[x0], %[o0]\n"                                                                           \
    "str %[x1], %[third]\n"

#define END_TRIPLE                                                                                 \
    "ldr %[p], %[out]\n ldr %[at], %[columns]\n"                                                   \
    "ldr %[x1], %[start]\n ldr %[r], %[end]\n"                                                     \
    "ldrd %[q], %[x2], %[bounds]\n"                                                                \
    "str %[x0], [%[p]], #12\n sub %[q], %[r], %[at]\n"                                             \
    "str %[p], %[out]\n add %[x1], %[x1], %[q]\n"                                                  \
    "str %[r], %[columns]\n cmp %[r], %[x2]\n"                                                     \
    "str %[x1], %[start]\n add %[r], %[r], %[q]\n"                                                 \
    "str %[r], %[end]\n"

#define SUM_REGISTERS                                                                              \
    [a0] "=&r"(a0), [a1] "=&r"(a1), [a2] "=&r"(a2), [b0] "=&r"(b0), [b1] "=&r"(b1),                \
        [b2] "=&r"(b2), [at] "=&r"(at), [p] "=&r"(p), [r] "=&r"(r), [x0] "=&r"(x0),                \
        [x1] "=&r"(x1), [x2] "=&r"(x2), [entry] "=&m"(entry)

/* The sums of the piece at `w`. Reads two words of columns beyond. */
static __attribute__((noinline)) sums_2x3 sum_2x3(const uint32_t *w, const uint32_t *columns,
                                                  int32_t words) {
    const uint32_t *start = loop_start(columns, words), *end = columns + words, *at;
    uint32_t p, q = loop_offset(words), r, x0, x1, x2, entry;
    int32_t a0, a1, a2, b0, b1, b2;
    __asm__ volatile(FIND_ENTRY("") SUM_PAIR
                     : SUM_REGISTERS, [w] "+r"(w), [q] "+r"(q)
                     : [end] "m"(end), [columns] "m"(columns), [start] "m"(start)
                     : "cc", "memory");
    return (sums_2x3){a0, a1, a2, b0, b1, b2};
}

/* All of a job by the high-word rule: about 20 cycles a pair beside its products. `at` of its
 * pixels moves on by the channels that were written. GCC allows 30 operands. */
#define HIGH_TRIPLES(NAME, LIMIT, STORE, OTHER, STEP)                                              \
    static __attribute__((noinline)) void NAME(const high_job *j) {                                \
        const uint32_t *last = j->last, *columns = j->columns;                                     \
        const uint32_t *start = loop_start(columns, j->words), *at;                                \
        const uint32_t *end = columns + j->words;                                                  \
        const uint32_t *const bounds[2] = {j->first, columns + j->triples * j->words};             \
        uint32_t w = loop_offset(j->words), p, q, r, x0, x1, x2, entry, o0, second, third;         \
        const int32_t addend = j->addend;                                                          \
        three_pixels *out = j->out;                                                                \
        int32_t a0, a1, a2, b0, b1, b2;                                                            \
        __asm__ volatile(                                                                          \
            FIND_ENTRY("mov %[q], %[w]\n") "4:\n" BEGIN_TRIPLE "3:\n" SUM_PAIR FINISH_PAIR(        \
                LIMIT, STORE, OTHER, STEP) "bne 3b\n" END_TRIPLE "bne 4b\n"                        \
            : SUM_REGISTERS, [w] "+r"(w), [q] "=&r"(q), [end] "+m"(end), [columns] "+m"(columns),  \
              [start] "+m"(start), [out] "+m"(out), [o0] "=&m"(o0), [second] "=&m"(second),        \
              [third] "=&m"(third)                                                                 \
            : [bounds] "m"(bounds), [last] "m"(last), [addend] "m"(addend)                         \
            : "cc", "memory");                                                                     \
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
