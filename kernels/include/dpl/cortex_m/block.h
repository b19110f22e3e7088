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
 * 6 cycles for 12 products and two more for the end of the loop, which holds 384 products: 194
 * cycles, 0.505 a product (issue rules of the Cortex-M7, deployer/tools/timing; 0.50 is the
 * multiplier's limit). Up to 68 values take no turn of it, and so no mispredicted branch. All 14
 * registers are taken and the loop's limit is in memory; two more columns or channels would not
 * fit.
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

/* The sums of the piece at `w`. Reads two words of columns beyond. */
sums_2x3 dpl_sum_2x3__armv7em(const uint32_t *w, const uint32_t *columns, int32_t words);

#if defined(__ARM_FEATURE_DSP)

/* Bytes of code of four values in a loop, which is entered at a multiple of them, and what the
 * loop's end adds. */
#define FOUR_CODE_BYTES 96
#define LOOP_END_BYTES 12
/* Fours of values in a loop: where most products are, and elsewhere. */
#define LONG_LOOP_FOURS 16
#define SHORT_LOOP_FOURS 4

/* Where a loop of `count` fours is entered that sums all fours but the first, in bytes of its code.
 * One four alone enters behind the loop. */
static inline uint32_t loop_offset(int32_t words, uint32_t count) {
    const uint32_t fours = (uint32_t)words / WORDS_OF_FOUR - 1;
    return fours == 0 ? count * FOUR_CODE_BYTES + LOOP_END_BYTES
                      : (0u - fours) % count * FOUR_CODE_BYTES;
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

#define FOUR_VALUES TWO_VALUES("q", "r", "8", "12]", "16") TWO_VALUES("r", "q", "20", "24]!", "4")

/* Four values at the loop's end. The limit passes through q before its next word, and the flags are
 * set four cycles before the branch, which makes a wrong prediction cheaper. */
#define LAST_FOUR_VALUES                                                                           \
    TWO_VALUES("q", "r", "8", "12]", "16")                                                         \
    "sxtb16 %[r], %[r], ror #8\n ldr.w %[q], %[end]\n"                                             \
    "smlad %[a0], %[p], %[x0], %[a0]\n ldr.w %[x2], [%[at], #20]\n"                                \
    "smlad %[b0], %[r], %[x0], %[b0]\n ldr.w %[x0], [%[at], #24]!\n"                               \
    "smlad %[a1], %[p], %[x1], %[a1]\n cmp.w %[at], %[q]\n"                                        \
    "smlad %[b1], %[r], %[x1], %[b1]\n ldr.w %[x1], [%[at], #4]\n"                                 \
    "smlad %[a2], %[p], %[x2], %[a2]\n ldr.w %[q], [%[w]], #4\n"                                   \
    "sxtb16 %[p], %[q]\n smlad %[b2], %[r], %[x2], %[b2]\n"                                        \
    "bne.w 1b\n"

/* OFFSET leaves loop_offset in q. */
#define FIND_ENTRY(OFFSET)                                                                         \
    OFFSET "adr.w %[p], 1f\n add %[p], %[p], %[q]\n orr %[p], %[p], #1\n str %[p], %[entry]\n"

/* From the biases at w on, with the columns in `at`: the first four values, then a loop of COUNT
 * fours an iteration. */
#define SUM_PAIR(COUNT)                                                                            \
    "ldr %[q], [%[w], #8]\n ldr %[x0], [%[at]]\n"                                                  \
    "ldrd %[a2], %[b2], [%[w]], #12\n"                                                             \
    "sxtb16 %[p], %[q]\n ldr %[x1], [%[at], #4]\n" TWO_PRODUCTS("q", "r", "8", "12]", "16", "a2",  \
                                                                "b2", "a2", "b2")                  \
        TWO_VALUES("r", "q", "20", "24]!",                                                         \
                   "4") "ldr.w pc, %[entry]\n"                                                     \
                        ".p2align 3\n"                                                             \
                        "1:\n .rept " TEXT_OF(COUNT) " - 1\n" FOUR_VALUES ".endr\n" ENDS_AT(       \
                            "(" TEXT_OF(COUNT) " - 1) * " TEXT_OF(FOUR_CODE_BYTES))                \
                            LAST_FOUR_VALUES                                                       \
                            ENDS_AT(TEXT_OF(COUNT) " * " TEXT_OF(FOUR_CODE_BYTES) " + " TEXT_OF(   \
                                LOOP_END_BYTES))

/* The inner loop has left the first multiplier in q. STORE writes at an address or, with OTHER, at
 * a distance from it. Products stand beside loads and limits, never beside stores: 14 cycles. A
 * limit takes its operand three cycles after the product. */
#define HIGH(S, M) "smmlar %[" S "], %[" S "], %[" M "], %[r]\n"
#define AT_FIRST(STORE, S, STEP) STORE " %[" S "], [%[x0]], #" STEP "\n"
#define AT_OTHER(STORE, S, X, OTHER) STORE " %[" S "], [%[x0], %[" X "]" OTHER "]\n"
#define FROM_STACK(X, NAME) "ldr %[" X "], %[" NAME "]\n"
#define FINISH_PAIR(LIMIT, STORE, OTHER, STEP)                                                     \
    "ldr %[p], [%[w]], #4\n" FROM_STACK("r", "addend") HIGH("a2", "q") FROM_STACK("x0", "o0")      \
        HIGH("a1", "q") FROM_STACK("x1", "second") HIGH("a0", "q") FROM_STACK("x2", "third")       \
            LIMIT("a2") HIGH("b2", "p") LIMIT("a1") HIGH("b1", "p") LIMIT("a0") HIGH("b0", "p")    \
                LIMIT("b2") AT_OTHER(STORE, "a2", "x2", OTHER) LIMIT("b1")                         \
                    AT_OTHER(STORE, "a1", "x1", OTHER) LIMIT("b0") AT_FIRST(STORE, "a0", STEP)     \
                        FROM_STACK("q", "last") AT_OTHER(STORE, "b2", "x2", OTHER)                 \
                            FROM_STACK("at", "columns")                                            \
                                AT_OTHER(STORE, "b1", "x1", OTHER) "cmp %[w], %[q]\n" AT_FIRST(    \
                                    STORE, "b0", STEP) "str %[x0], %[o0]\n"

#define BEGIN_TRIPLE                                                                               \
    "ldr %[q], %[out]\n ldr %[at], %[columns]\n"                                                   \
    "ldrd %[w], %[x2], %[bounds]\n"                                                                \
    "ldr %[p], [%[q], #4]\n ldr %[x0], [%[q]]\n"                                                   \
    "ldr %[x1], [%[q], #8]\n str %[p], %[second]\n"                                                \
    "str %[x0], %[o0]\n"                                                                           \
    "str %[x1], %[third]\n"

#define END_TRIPLE                                                                                 \
    "ldr %[p], %[out]\n ldr %[r], %[end]\n"                                                        \
    "ldrd %[q], %[x2], %[bounds]\n"                                                                \
    "str %[x0], [%[p]], #12\n sub %[q], %[r], %[at]\n"                                             \
    "str %[p], %[out]\n cmp %[r], %[x2]\n"                                                         \
    "str %[r], %[columns]\n add %[r], %[r], %[q]\n"                                                \
    "str %[r], %[end]\n"

#define SUM_REGISTERS                                                                              \
    [a0] "=&r"(a0), [a1] "=&r"(a1), [a2] "=&r"(a2), [b0] "=&r"(b0), [b1] "=&r"(b1),                \
        [b2] "=&r"(b2), [at] "+&r"(at), [p] "=&r"(p), [r] "=&r"(r), [x0] "=&r"(x0),                \
        [x1] "=&r"(x1), [x2] "=&r"(x2), [entry] "=&m"(entry)

/* All of a job by the high-word rule, fours of values a loop has: 17 cycles a pair beside its
 * products. `at` of its pixels moves on by the channels that were written. GCC allows 30 operands.
 */
#define HIGH_TRIPLES(LINKAGE, NAME, FOURS, LIMIT, STORE, OTHER, STEP)                              \
    LINKAGE __attribute__((noinline)) void NAME(const high_job *j) {                               \
        const uint32_t *last = j->last, *columns = j->columns, *at = columns;                      \
        const uint32_t *end = columns + j->words;                                                  \
        const uint32_t *const bounds[2] = {j->first, columns + j->triples * j->words};             \
        uint32_t w = loop_offset(j->words, FOURS), p, q, r, x0, x1, x2, entry, o0, second, third;  \
        const int32_t addend = j->addend;                                                          \
        three_pixels *out = j->out;                                                                \
        int32_t a0, a1, a2, b0, b1, b2;                                                            \
        __asm__ volatile(                                                                          \
            FIND_ENTRY("mov %[q], %[w]\n") "4:\n" BEGIN_TRIPLE "3:\n" SUM_PAIR(FOURS)              \
                FINISH_PAIR(LIMIT, STORE, OTHER, STEP) "bne 3b\n" END_TRIPLE "bne 4b\n"            \
            : SUM_REGISTERS, [w] "+r"(w), [q] "=&r"(q), [end] "+m"(end), [columns] "+m"(columns),  \
              [out] "+m"(out), [o0] "=&m"(o0), [second] "=&m"(second), [third] "=&m"(third)        \
            : [bounds] "m"(bounds), [last] "m"(last), [addend] "m"(addend)                         \
            : "cc", "memory");                                                                     \
    }

#else

static inline void high_pixel(const three_pixels *out, int32_t channel, element y0, element y1,
                              element y2) {
    out->at[channel + out->third] = y2;
    out->at[channel + out->second] = y1;
    out->at[channel] = y0;
}

#define HIGH_TRIPLES(LINKAGE, NAME, FOURS, LIMIT, STORE, OTHER, STEP)                              \
    LINKAGE void NAME(const high_job *j) {                                                         \
        const int32_t piece = piece_words(j->words), more = j->addend;                             \
        for (int32_t i = 0; i < j->triples; i++) {                                                 \
            three_pixels *out = j->out + i;                                                        \
            for (const uint32_t *w = j->first; w != j->last; w += piece, out->at += 2) {           \
                const sums_2x3 s = dpl_sum_2x3__armv7em(w, j->columns + i * j->words, j->words);   \
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
