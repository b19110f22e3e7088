/* Sums of int16 windows where they lie: two output channels by two windows, or one by four.
 *
 * A word of weights meets two values of a window that lie next to each other. Where these are, a
 * list says, in bytes from the window's beginning, so that no columns are made: either every
 * word's, or the runs of words. Weights are pieces of pairs of channels (layout
 * "x2c4_taps_ordered"), an even number of words in each; a channel alone leaves its partner's
 * bytes unused.
 *
 * A word of a pair takes 5.5 cycles for 8 products: each of their cycles has a product or an
 * extension as the older instruction, a load as the younger. One of a single channel takes 6.5 for
 * 8. A jump enters the loop over a list so that short ones pass through it once, and no branch is
 * mispredicted. Some 20 cycles of a block are not products. What it needs beside them is on the
 * stack. How sums become outputs, direct_s8.h or direct_s16.h says, included before this. */
#ifndef DPL_CORTEX_M_DIRECT_BLOCK_H
#define DPL_CORTEX_M_DIRECT_BLOCK_H

#include "dpl/cortex_m/code_bytes.h"
#include "dpl/cortex_m/direct_singles.h"
#include "dpl/cortex_m/direct_window.h"
#include "dpl/cortex_m/simd.h"

/* How sums end: ReLU or the whole type by the high-word rule, or as they are. */
typedef enum { WHOLE_TYPE = -1, RELU = 0, SUMS = 1 } direct_ending;

/* Bytes from a block's first window and output to those of the next one. */
typedef struct {
    int32_t x, out;
} block_step;

typedef struct {
    const uint32_t *piece; /* two biases, words of weights, two multipliers */
    int32_t ahead;         /* words from a block's piece to that of the next */
    const int32_t *list;   /* of words, and one more, or begins and ends of runs, the last empty:
                            * bytes from the first word */
    int32_t words;         /* of weights, even */
    int32_t passed;        /* words of the loop over a list that its first turn passes over */
    int32_t runs;          /* of the list, 0 where it is one of words */
    const char *x;         /* the first window's first word, `step` bytes from the next window's */
    int32_t step;
    element *out; /* of the first window, `apart` bytes from that of the next */
    int32_t apart;
    const block_step *steps; /* of so many blocks, also of the last */
    int32_t blocks;
    direct_ending ending;
    int32_t addend; /* of the high-word rule */
    int32_t *sums;  /* four a block, in place of outputs */
} direct_job;

enum { PAIR_WINDOWS = 2, SINGLE_WINDOWS = 4, BLOCK_SUMS = 4, PIECE_ENDS = 2 };

#define LOOP_WORDS 18 /* of the loop over a list */

#if defined(__ARM_FEATURE_DSP)

/* Bytes of the instructions of a word of that loop. */
#define PAIR_WORD_BYTES 40
#define SINGLE_WORD_BYTES 44

#define PAIR_WORD(NEXT, CHECK)                                                                     \
    "sxtb16 %[p], %[q]\n ldr.w %[x1], [%[b1], %[off]]\n"                                           \
    "sxtb16 %[q], %[q], ror #8\n smlad %[s0], %[p], %[x0], %[s0]\n"                                \
    "smlad %[s2], %[q], %[x0], %[s2]\n " NEXT "smlad %[s3], %[q], %[x1], %[s3]\n"                  \
    "ldr.w %[q], [%[w]], #4\n" CHECK                                                               \
    "smlad %[s1], %[p], %[x1], %[s1]\n ldr.w %[x0], [%[b0], %[off]]\n"

#define SINGLE_WORD(NEXT)                                                                          \
    "sxtb16 %[p], %[p]\n ldr.w %[x1], [%[b1], %[off]]\n"                                           \
    "smlad %[s0], %[p], %[x0], %[s0]\n ldr.w %[x0], [%[b2], %[off]]\n"                             \
    "smlad %[s1], %[p], %[x1], %[s1]\n ldr.w %[x1], [%[b3], %[off]]\n"                             \
    "smlad %[s2], %[p], %[x0], %[s2]\n " NEXT                                                      \
    "smlad %[s3], %[p], %[x1], %[s3]\n ldr.w %[p], [%[w]], #4\n"                                   \
    "ldr.w %[x0], [%[b0], %[off]]\n"

/* Offsets from the list of words, or one after the other in a run. The list's next run is in
 * memory; behind the last is an empty one, whose beginning may be read. */
#define LISTED "ldr.w %[off], [%[list]], #4\n"
#define IN_RUN "add %[off], %[off], #4\n"
#define NEXT_RUN                                                                                   \
    "ldr %[x1], %[runs]\n ldrd %[off], %[end], [%[x1]], #8\n str %[x1], %[runs]\n"                 \
    "cmp %[off], %[end]\n ldr %[x0], [%[b0], %[off]]\n"
#define FIRST_RUN                                                                                  \
    "ldr %[x1], %[offsets]\n", "ldrd %[off], %[end], [%[x1]], #8\n str %[x1], %[runs]\n"
#define FIRST_LISTED "ldr %[list], %[offsets]\n", "ldr %[off], [%[list]], #4\n"

/* The loop is entered where as many words are left as there are beside whole turns. */
#define LISTED_LOOP(WORD, LAST, BYTES)                                                             \
    "ldr.w pc, %[entry]\n .p2align 2\n 1:\n .rept " TEXT_OF(                                       \
        LOOP_WORDS) " - 1\n" WORD                                                                  \
                    ".endr\n" ENDS_AT("(" TEXT_OF(LOOP_WORDS) " - 1) * " TEXT_OF(BYTES)) LAST      \
        "bne 1b\n"
#define PAIR_LISTED                                                                                \
    LISTED_LOOP(PAIR_WORD(LISTED, ""), PAIR_WORD(LISTED, "cmp %[list], %[end]\n"), PAIR_WORD_BYTES)
#define SINGLE_LISTED                                                                              \
    LISTED_LOOP(SINGLE_WORD(LISTED),                                                               \
                SINGLE_WORD(LISTED) "ldr %[x1], %[last]\n cmp %[list], %[x1]\n",                   \
                SINGLE_WORD_BYTES)
#define FIND_WORD                                                                                  \
    "adr.w %[p], 1f\n add %[p], %[p], %[x1]\n orr %[p], %[p], #1\n str %[p], %[entry]\n"
#define PAIR_RUNS                                                                                  \
    "1:\n" PAIR_WORD(IN_RUN, "") PAIR_WORD(IN_RUN, "cmp %[off], %[end]\n") "bne 1b\n" NEXT_RUN     \
                                                                           "bne 1b\n"
#define SINGLE_RUNS                                                                                \
    "1:\n" SINGLE_WORD(IN_RUN) SINGLE_WORD(IN_RUN) "cmp %[off], %[end]\n bne 1b\n" NEXT_RUN        \
                                                   "bne 1b\n"

/* The first word is where the window begins. FIRST loads the list's address, SECOND, two cycles
 * later, its first entry; the OF forms take both as one argument. */
#define BEGIN_PAIR(FIRST, SECOND)                                                                  \
    "4:\n " FIRST "ldr %[q], %[step]\n ldrd %[s0], %[s2], [%[w]], #8\n " SECOND                    \
    "add %[b1], %[b0], %[q]\n ldr %[x0], [%[b0]]\n ldr %[q], [%[w]], #4\n"                         \
    "mov %[s1], %[s0]\n mov %[s3], %[s2]\n"
#define BEGIN_SINGLE(FIRST, SECOND)                                                                \
    "4:\n " FIRST "ldr %[p], %[step]\n ldr %[s0], [%[w]], #8\n ldr %[x0], [%[b0]]\n " SECOND       \
    "add %[b1], %[b0], %[p]\n add %[b2], %[b0], %[p], lsl #1\n mov %[s1], %[s0]\n"                 \
    "add %[b3], %[b1], %[p], lsl #1\n ldr %[p], [%[w]], #4\n"                                      \
    "mov %[s2], %[s0]\n mov %[s3], %[s0]\n"

#define BEGIN_PAIR_OF(BOTH) BEGIN_PAIR(BOTH)
#define BEGIN_SINGLE_OF(BOTH) BEGIN_SINGLE(BOTH)

/* The loop has left the first multiplier in q or p, and w at the second. Products stand beside
 * loads, limits beside stores. */
#define FROM(X, NAME) "ldr %[" X "], %[" NAME "]\n"
#define KEEP(X, NAME) "str %[" X "], %[" NAME "]\n"
#define NEXT_STEP(T) "ldrd %[x0], %[" T "], [%[x1]], #8\n"
#define NEXT_BLOCK                                                                                 \
    FROM("x0", "limit") "cmp %[x1], %[x0]\n" FROM("x0", "again") "add %[w], %[w], %[x0]\n"
#define PAIR_AS(LIMIT)                                                                             \
    FETCH_ADDEND                                                                                   \
    HIGH_WORD("s0", "q")                                                                           \
    FROM("x1", "steps")                                                                            \
    HIGH_WORD("s2", "p")                                                                           \
    FROM("b1", "apart")                                                                            \
    HIGH_WORD("s1", "q")                                                                           \
    FROM("end", "limit")                                                                           \
    HIGH_WORD("s3", "p")                                                                           \
    NEXT_STEP("q")                                                                                 \
    LIMIT("s0")                                                                                    \
    KEEP("x1", "steps")                                                                            \
    LIMIT("s2")                                                                                    \
    PUT("s0", "%[off]")                                                                            \
    LIMIT("s1")                                                                                    \
    PUT("s2", "%[off], #" ELEMENT_BYTES)                                                           \
    LIMIT("s3")                                                                                    \
    PUT("s1", "%[off], %[b1]")                                                                     \
    "add %[p], %[off], %[q]\n add %[b0], %[b0], %[x0]\n" KEEP("p", "out")                          \
        FROM("x0", "again") "add %[off], %[off], %[b1]\n cmp %[x1], %[end]\n" PUT(                 \
            "s3", "%[off], #" ELEMENT_BYTES) "add %[w], %[w], %[x0]\n"                             \
                                             "bne 4b\n b 8f\n"
#define SINGLE_AS(LIMIT)                                                                           \
    FETCH_ADDEND                                                                                   \
    HIGH_WORD("s0", "p")                                                                           \
    FROM("x1", "steps")                                                                            \
    HIGH_WORD("s1", "p")                                                                           \
    FROM("b1", "apart")                                                                            \
    HIGH_WORD("s2", "p")                                                                           \
    FROM("b2", "limit")                                                                            \
    HIGH_WORD("s3", "p")                                                                           \
    FROM("b3", "again")                                                                            \
    NEXT_STEP("p")                                                                                 \
    LIMIT("s0")                                                                                    \
    KEEP("x1", "steps")                                                                            \
    LIMIT("s1")                                                                                    \
    PUT("s0", "%[off]")                                                                            \
    LIMIT("s2")                                                                                    \
    PUT("s1", "%[off], %[b1]")                                                                     \
    LIMIT("s3")                                                                                    \
    "add %[p], %[off], %[p]\n"                                                                     \
    "add %[off], %[off], %[b1], lsl #1\n" KEEP("p", "out") "add %[b0], %[b0], %[x0]\n" PUT(        \
        "s2", "%[off]") "cmp %[x1], %[b2]\n" PUT("s3", "%[off], %[b1]") "add %[w], %[w], %[b3]\n"  \
                                                                        "bne 4b\n b 8f\n"
#define AS_SUMS                                                                                    \
    "6: ldr %[x1], %[steps]\n str %[s0], [%[off]], #4\n str %[s1], [%[off]], #4\n"                 \
    "str %[s2], [%[off]], #4\n" NEXT_STEP("b1") "str %[s3], [%[off]], #4\n" KEEP("x1", "steps")    \
        KEEP("off", "out") "add %[b0], %[b0], %[x0]\n" NEXT_BLOCK "bne 4b\n8:\n"
#define END_PAIR                                                                                   \
    "ldr %[b1], %[ending]\n ldr %[p], [%[w]]\n ldr %[off], %[out]\n" BY_ENDING("b1", PAIR_AS)      \
        AS_SUMS
#define END_SINGLE "ldr %[b1], %[ending]\n ldr %[off], %[out]\n" BY_ENDING("b1", SINGLE_AS) AS_SUMS

/* x1 begins as what FIND_WORD adds. */
#define OF_BLOCK                                                                                   \
    [s0] "=&r"(s0), [s1] "=&r"(s1), [s2] "=&r"(s2), [s3] "=&r"(s3), [w] "+r"(w), [p] "=&r"(p),     \
        [off] "=&r"(off), [x0] "=&r"(x0), [x1] "+r"(x1), [b0] "+r"(b0), [b1] "=&r"(b1),            \
        [out] "+m"(out), [steps] "+m"(steps)
#define GIVEN_TO_BLOCK                                                                             \
    [offsets] "m"(offsets), [step] "m"(step), [apart] "m"(apart), [ending] "m"(ending),            \
        [limit] "m"(limit), [again] "m"(again)

/* All blocks of a job. What the inner loop does not need lies on the stack. */
#define BLOCKS(NAME, WORD_BYTES, BODY, BESIDE, ...)                                                \
    static __attribute__((noinline)) void NAME(const direct_job *j) {                              \
        const uint32_t *w = j->piece;                                                              \
        const int32_t *const offsets = j->list;                                                    \
        const block_step *steps = j->steps, *const limit = steps + j->blocks;                      \
        const int32_t step = j->step, apart = j->apart, ending = j->ending;                        \
        const int32_t again = 4 * (j->ahead - j->words - PIECE_ENDS - 1);                          \
        const char *b0 = j->x, *b1;                                                                \
        int32_t s0, s1, s2, s3, off;                                                               \
        void *out = j->ending == SUMS ? (void *)j->sums : (void *)j->out;                          \
        uint32_t p, x0, x1 = (uint32_t)j->passed * (WORD_BYTES);                                   \
        GIVEN_ADDEND;                                                                              \
        BESIDE;                                                                                    \
        __asm__ volatile(BODY : OF_BLOCK, __VA_ARGS__ : "cc", "memory");                           \
    }

BLOCKS(listed_pairs, PAIR_WORD_BYTES,
       FIND_WORD BEGIN_PAIR_OF(FIRST_LISTED) "ldr %[end], %[last]\n" PAIR_LISTED END_PAIR,
       const int32_t *const last = offsets + j->words + 1;
       const int32_t *list; const int32_t *end; uint32_t entry;
       uint32_t q, [q] "=&r"(q), [list] "=&r"(list), [end] "=&r"(end), [entry] "=&m"(entry)
       : GIVEN_TO_BLOCK ADDEND_OPERAND, [last] "m"(last))
BLOCKS(listed_singles, SINGLE_WORD_BYTES,
       FIND_WORD BEGIN_SINGLE_OF(FIRST_LISTED) SINGLE_LISTED END_SINGLE,
       const int32_t *const last = offsets + j->words + 1;
       const int32_t *list; const char *b2; uint32_t entry;
       const char *b3, [list] "=&r"(list), [b2] "=&r"(b2), [b3] "=&r"(b3), [entry] "=&m"(entry)
       : GIVEN_TO_BLOCK ADDEND_OPERAND, [last] "m"(last))
BLOCKS(pairs_of_runs, 0, BEGIN_PAIR_OF(FIRST_RUN) PAIR_RUNS END_PAIR, const int32_t *runs;
       int32_t end; uint32_t q, [q] "=&r"(q), [end] "=&r"(end), [runs] "=&m"(runs)
       : GIVEN_TO_BLOCK ADDEND_OPERAND)
BLOCKS(singles_of_runs, 0, BEGIN_SINGLE_OF(FIRST_RUN) SINGLE_RUNS END_SINGLE, const int32_t *runs;
       int32_t end; const char *b2;
       const char *b3, [end] "=&r"(end), [b2] "=&r"(b2), [b3] "=&r"(b3), [runs] "=&m"(runs)
       : GIVEN_TO_BLOCK ADDEND_OPERAND)

#endif

/* Of both channels of the pair the sums of the window at x. */
static inline void window_sums(const direct_job *j, const char *x, int32_t *sums) {
    const window_words own = {x, j->list, j->words, j->runs};
    sums[0] = (int32_t)j->piece[0];
    sums[1] = (int32_t)j->piece[1];
    sum_window(&own, j->piece + PIECE_ENDS, sums);
}

static inline element limited(int32_t x, int32_t lowest) {
    return (element)dpl_clamp(x, lowest, HIGHEST);
}

static element ended(const direct_job *j, int32_t sum, int32_t second) {
    const int32_t multiplier = (int32_t)j->piece[PIECE_ENDS + j->words + second];
    return limited(scale_high(sum, multiplier, j->addend), j->ending == RELU ? 0 : LOWEST);
}

/* So many channels of one window, pair after pair, whose pieces lie one behind the other. */
static __attribute__((noinline)) void window_pairs(const direct_job *j, int32_t channels) {
    const window_words own = {j->x, j->list, j->words, j->runs};
    const int32_t lowest = j->ending == RELU ? 0 : LOWEST;
    const uint32_t *w = j->piece;
    for (element *out = j->out; channels > 0; channels -= 2, out += 2, w += PIECE_ENDS) {
        int32_t sums[2] = {(int32_t)w[0], (int32_t)w[1]};
        sum_window(&own, w + PIECE_ENDS, sums);
        w += PIECE_ENDS + j->words;
        out[0] = limited(scale_high(sums[0], (int32_t)w[0], j->addend), lowest);
        if (channels > 1) {
            out[1] = limited(scale_high(sums[1], (int32_t)w[1], j->addend), lowest);
        }
    }
}

/* The only channel of one window, or of two next to each other. */
static __attribute__((noinline)) void single_windows(const direct_job *j, int32_t windows) {
    const window_words own = {j->x, j->list, j->words, j->runs};
    const int32_t lowest = j->ending == RELU ? 0 : LOWEST;
    const uint32_t *w = j->piece;
    const int32_t multiplier = (int32_t)w[PIECE_ENDS + j->words];
    int32_t sums[2] = {(int32_t)w[0], (int32_t)w[0]};
    if (windows > 1) {
        sum_two_windows(&own, j->step, w + PIECE_ENDS, sums);
        j->out[j->apart / (int32_t)sizeof *j->out] =
            limited(scale_high(sums[1], multiplier, j->addend), lowest);
    } else {
        sum_single(&own, w + PIECE_ENDS, sums);
    }
    j->out[0] = limited(scale_high(sums[0], multiplier, j->addend), lowest);
}

/* One window alone, of one channel or of both. */
static __attribute__((noinline)) void one_window(direct_job *j, int32_t channels) {
    int32_t sums[2];
    window_sums(j, j->x, sums);
    for (int32_t n = 0; n < channels; n++) {
        if (j->ending == SUMS) {
            *j->sums++ = sums[n];
        } else {
            j->out[n] = ended(j, sums[n], n);
        }
    }
}

#if defined(__ARM_FEATURE_DSP)

static inline void run_blocks(const direct_job *j, int is_pair) {
    if (is_pair) {
        (j->runs ? pairs_of_runs : listed_pairs)(j);
    } else {
        (j->runs ? singles_of_runs : listed_singles)(j);
    }
}

#else

static inline void run_block(direct_job *j, int is_pair) {
    const int32_t windows = is_pair ? PAIR_WINDOWS : SINGLE_WINDOWS;
    for (int32_t n = 0; n < BLOCK_SUMS; n++) {
        const int32_t second = n / windows, window = n % windows;
        int32_t sums[2];
        window_sums(j, j->x + window * j->step, sums);
        if (j->ending == SUMS) {
            *j->sums++ = sums[second];
        } else {
            j->out[window * j->apart / (int32_t)sizeof *j->out + second] =
                ended(j, sums[second], second);
        }
    }
}

static inline void run_blocks(const direct_job *j, int is_pair) {
    direct_job each = *j;
    for (int32_t i = 0; i < j->blocks; i++) {
        run_block(&each, is_pair);
        each.x += each.steps[i].x;
        each.out += each.steps[i].out / (int32_t)sizeof *each.out;
        each.piece += each.ahead;
    }
}

#endif

#endif
