/* Sums of int16 windows where they lie: two output channels by two windows, or one by four.
 *
 * A word of weights meets two values of a window that lie next to each other. Where these are, a
 * list says, in bytes from the window's beginning, so that no columns are made: either every
 * word's, or the runs of words. Weights are pieces of pairs of channels (layout
 * "x2c4_taps_ordered"), an even number of words in each; a channel alone leaves its partner's
 * bytes unused.
 *
 * Two words of a pair take 11 cycles for 16 products: each of their cycles has a product or an
 * extension as the older instruction, a load as the younger. Two words of a single channel take 13
 * for 16. What a block needs beside them is on the stack. */
#ifndef DPL_CORTEX_M_DIRECT_BLOCK_H
#define DPL_CORTEX_M_DIRECT_BLOCK_H

#include "dpl/cortex_m/code_bytes.h"
#include "dpl/cortex_m/simd.h"

/* How sums end: ReLU or the whole type by the high-word rule, or as they are, in `sums`. */
typedef enum { WHOLE_TYPE = -1, RELU = 0, SUMS = 1 } direct_ending;

typedef struct {
    const uint32_t *piece; /* two biases, words of weights, two multipliers */
    const int32_t *list;   /* of words, and one more, or begins and ends of runs, the last empty:
                            * bytes from the first word */
    int32_t words;         /* of weights, even */
    int32_t runs;          /* of the list, 0 where it is one of words */
    const char *x;         /* the first window's first word, `step` bytes from the next window's */
    int32_t step;
    int16_t *out; /* of the first window, `apart` bytes from that of the next */
    int32_t apart, blocks;
    direct_ending ending;
    int32_t *sums; /* four a block */
} direct_job;

enum { PAIR_WINDOWS = 2, SINGLE_WINDOWS = 4, BLOCK_SUMS = 4, PIECE_ENDS = 2 };

#if defined(__ARM_FEATURE_DSP)

#define PAIR_WORD(NEXT, CHECK)                                                                     \
    "sxtb16 %[p], %[q]\n ldr %[x1], [%[b1], %[off]]\n"                                             \
    "sxtb16 %[q], %[q], ror #8\n smlad %[s0], %[p], %[x0], %[s0]\n"                                \
    "smlad %[s2], %[q], %[x0], %[s2]\n " NEXT "smlad %[s3], %[q], %[x1], %[s3]\n"                  \
    "ldr %[q], [%[w]], #4\n" CHECK                                                                 \
    "smlad %[s1], %[p], %[x1], %[s1]\n ldr %[x0], [%[b0], %[off]]\n"

#define SINGLE_WORD(NEXT)                                                                          \
    "sxtb16 %[p], %[p]\n ldr %[x1], [%[b1], %[off]]\n"                                             \
    "smlad %[s0], %[p], %[x0], %[s0]\n ldr %[x0], [%[b2], %[off]]\n"                               \
    "smlad %[s1], %[p], %[x1], %[s1]\n ldr %[x1], [%[b3], %[off]]\n"                               \
    "smlad %[s2], %[p], %[x0], %[s2]\n " NEXT                                                      \
    "smlad %[s3], %[p], %[x1], %[s3]\n ldr %[p], [%[w]], #4\n"                                     \
    "ldr %[x0], [%[b0], %[off]]\n"

/* Offsets from the list of words, or one after the other in a run. The list's next run is in
 * memory; behind the last is an empty one, whose beginning may be read. */
#define LISTED "ldr %[off], [%[list]], #4\n"
#define IN_RUN "add %[off], %[off], #4\n"
#define NEXT_RUN                                                                                   \
    "ldr %[x1], %[runs]\n ldrd %[off], %[end], [%[x1]], #8\n str %[x1], %[runs]\n"                 \
    "cmp %[off], %[end]\n ldr %[x0], [%[b0], %[off]]\n"
#define FIRST_RUN "ldr %[x1], %[offsets]\n ldrd %[off], %[end], [%[x1]], #8\n str %[x1], %[runs]\n"
#define FIRST_LISTED "ldr %[list], %[offsets]\n ldr %[off], [%[list]], #4\n"

#define PAIR_LISTED                                                                                \
    "1:\n" PAIR_WORD(LISTED, "") PAIR_WORD(LISTED, "cmp %[list], %[end]\n") "bne 1b\n"
#define PAIR_RUNS                                                                                  \
    "1:\n" PAIR_WORD(IN_RUN, "") PAIR_WORD(IN_RUN, "cmp %[off], %[end]\n") "bne 1b\n" NEXT_RUN     \
                                                                           "bne 1b\n"
#define SINGLE_LISTED                                                                              \
    "1:\n" SINGLE_WORD(LISTED)                                                                     \
        SINGLE_WORD(LISTED) "ldr %[x1], %[last]\n cmp %[list], %[x1]\n bne 1b\n"
#define SINGLE_RUNS                                                                                \
    "1:\n" SINGLE_WORD(IN_RUN) SINGLE_WORD(IN_RUN) "cmp %[off], %[end]\n bne 1b\n" NEXT_RUN        \
                                                   "bne 1b\n"

/* The first word is where the window begins. */
#define BEGIN_PAIR(FIRST)                                                                          \
    "4:\n ldr %[b0], %[x]\n ldr %[q], %[step]\n"                                                   \
    "ldr %[w], %[piece]\n " FIRST "add %[b1], %[b0], %[q]\n ldr %[x0], [%[b0]]\n"                  \
    "add %[x1], %[b0], %[q], lsl #1\n ldrd %[s0], %[s2], [%[w]], #8\n"                             \
    "str %[x1], %[x]\n ldr %[q], [%[w]], #4\n"                                                     \
    "mov %[s1], %[s0]\n mov %[s3], %[s2]\n"
#define BEGIN_SINGLE(FIRST)                                                                        \
    "4:\n ldr %[b0], %[x]\n ldr %[p], %[step]\n"                                                   \
    "ldr %[w], %[piece]\n " FIRST "add %[b1], %[b0], %[p]\n ldr %[x0], [%[b0]]\n"                  \
    "add %[b2], %[b0], %[p], lsl #1\n ldr %[s0], [%[w]], #8\n"                                     \
    "add %[b3], %[b1], %[p], lsl #1\n add %[x1], %[b0], %[p], lsl #2\n"                            \
    "ldr %[p], [%[w]], #4\n str %[x1], %[x]\n"                                                     \
    "mov %[s1], %[s0]\n mov %[s2], %[s0]\n mov %[s3], %[s0]\n"

/* The loop has left the first multiplier in q or p. Products stand beside loads, limits beside
 * stores. */
#define AS_TYPE(S) "ssat %[" S "], #16, %[" S "]\n"
#define AS_RELU(S) "usat %[" S "], #15, %[" S "]\n"
#define BY_ENDING(T, END) "cmp %[" T "], #0\n bgt 6f\n bmi 5f\n" END(AS_RELU) "5:\n" END(AS_TYPE)
#define HIGH_WORD(S, M) "smmulr %[" S "], %[" S "], %[" M "]\n"
#define FROM(X, NAME) "ldr %[" X "], %[" NAME "]\n"
#define KEEP(X, NAME) "str %[" X "], %[" NAME "]\n"
#define PUT(S, AT) "strh %[" S "], [" AT "]\n"
#define MOVED(X, Y, SHIFT) "add %[" X "], %[" Y "], %[x1]" SHIFT "\n"
#define COUNT_DOWN "subs %[b1], %[b1], #1\n"
#define AGAIN "bne 4b\n b 8f\n"
#define PAIR_AS(LIMIT)                                                                             \
    HIGH_WORD("s0", "q")                                                                           \
    FROM("x1", "apart")                                                                            \
    HIGH_WORD("s2", "p")                                                                           \
    FROM("b1", "blocks")                                                                           \
    HIGH_WORD("s1", "q")                                                                           \
    MOVED("x0", "off", ", lsl #1")                                                                 \
    LIMIT("s0")                                                                                    \
    HIGH_WORD("s3", "p")                                                                           \
    LIMIT("s2")                                                                                    \
    KEEP("x0", "out")                                                                              \
    LIMIT("s1")                                                                                    \
    PUT("s0", "%[off]")                                                                            \
    LIMIT("s3")                                                                                    \
    COUNT_DOWN                                                                                     \
    PUT("s2", "%[off], #2")                                                                        \
    MOVED("off", "off", "")                                                                        \
    KEEP("b1", "blocks")                                                                           \
    PUT("s1", "%[off]")                                                                            \
    PUT("s3", "%[off], #2")                                                                        \
    AGAIN
#define SINGLE_AS(LIMIT)                                                                           \
    HIGH_WORD("s0", "p")                                                                           \
    FROM("x1", "apart")                                                                            \
    HIGH_WORD("s1", "p")                                                                           \
    FROM("b1", "blocks")                                                                           \
    HIGH_WORD("s2", "p")                                                                           \
    MOVED("x0", "off", ", lsl #2")                                                                 \
    LIMIT("s0")                                                                                    \
    HIGH_WORD("s3", "p")                                                                           \
    LIMIT("s1")                                                                                    \
    KEEP("x0", "out")                                                                              \
    LIMIT("s2")                                                                                    \
    PUT("s0", "%[off]")                                                                            \
    LIMIT("s3")                                                                                    \
    MOVED("b0", "off", ", lsl #1")                                                                 \
    PUT("s1", "%[off], %[x1]")                                                                     \
    COUNT_DOWN                                                                                     \
    PUT("s2", "%[b0]")                                                                             \
    KEEP("b1", "blocks")                                                                           \
    PUT("s3", "%[b0], %[x1]")                                                                      \
    AGAIN
#define AS_SUMS                                                                                    \
    "6: ldr %[x0], %[sums]\n ldr %[b1], %[blocks]\n str %[s0], [%[x0]], #4\n"                      \
    "str %[s1], [%[x0]], #4\n subs %[b1], %[b1], #1\n str %[s2], [%[x0]], #4\n"                    \
    "str %[b1], %[blocks]\n str %[s3], [%[x0]], #4\n str %[x0], %[sums]\n bne 4b\n8:\n"
#define END_PAIR                                                                                   \
    "ldr %[b1], %[ending]\n ldr %[p], [%[w]]\n ldr %[off], %[out]\n" BY_ENDING("b1", PAIR_AS)      \
        AS_SUMS
#define END_SINGLE "ldr %[b1], %[ending]\n ldr %[off], %[out]\n" BY_ENDING("b1", SINGLE_AS) AS_SUMS

#define OF_BLOCK                                                                                   \
    [s0] "=&r"(s0), [s1] "=&r"(s1), [s2] "=&r"(s2), [s3] "=&r"(s3), [w] "=&r"(w), [p] "=&r"(p),    \
        [off] "=&r"(off), [x0] "=&r"(x0), [x1] "=&r"(x1), [b0] "=&r"(b0), [b1] "=&r"(b1),          \
        [x] "+m"(x), [out] "+m"(out), [blocks] "+m"(blocks), [sums] "+m"(sums)
#define GIVEN_TO_BLOCK                                                                             \
    [piece] "m"(piece), [offsets] "m"(offsets), [step] "m"(step), [apart] "m"(apart),              \
        [ending] "m"(ending)

/* All blocks of a job. What the inner loop does not need lies on the stack. */
#define BLOCKS(NAME, BODY, BESIDE, ...)                                                            \
    static __attribute__((noinline)) void NAME(const direct_job *j) {                              \
        const uint32_t *const piece = j->piece, *w;                                                \
        const int32_t *const offsets = j->list;                                                    \
        const int32_t step = j->step, apart = j->apart, ending = j->ending;                        \
        const char *x = j->x, *b0, *b1;                                                            \
        int32_t blocks = j->blocks, *sums = j->sums, s0, s1, s2, s3, off;                          \
        int16_t *out = j->out;                                                                     \
        uint32_t p, x0, x1;                                                                        \
        BESIDE;                                                                                    \
        __asm__ volatile(BODY : OF_BLOCK, __VA_ARGS__ : "cc", "memory");                           \
    }

BLOCKS(listed_pairs, BEGIN_PAIR(FIRST_LISTED) "ldr %[end], %[last]\n" PAIR_LISTED END_PAIR,
       const int32_t *const last = offsets + j->words + 1;
       const int32_t *list; const int32_t *end;
       uint32_t q, [q] "=&r"(q), [list] "=&r"(list), [end] "=&r"(end)
       : GIVEN_TO_BLOCK, [last] "m"(last))
BLOCKS(listed_singles, BEGIN_SINGLE(FIRST_LISTED) SINGLE_LISTED END_SINGLE,
       const int32_t *const last = offsets + j->words + 1;
       const int32_t *list; const char *b2;
       const char *b3, [list] "=&r"(list), [b2] "=&r"(b2), [b3] "=&r"(b3)
       : GIVEN_TO_BLOCK, [last] "m"(last))
BLOCKS(pairs_of_runs, BEGIN_PAIR(FIRST_RUN) PAIR_RUNS END_PAIR, const int32_t *runs; int32_t end;
       uint32_t q, [q] "=&r"(q), [end] "=&r"(end), [runs] "=&m"(runs)
       : GIVEN_TO_BLOCK)
BLOCKS(singles_of_runs, BEGIN_SINGLE(FIRST_RUN) SINGLE_RUNS END_SINGLE, const int32_t *runs;
       int32_t end; const char *b2;
       const char *b3, [end] "=&r"(end), [b2] "=&r"(b2), [b3] "=&r"(b3), [runs] "=&m"(runs)
       : GIVEN_TO_BLOCK)

#endif

/* Of a channel of the pair, 0 or 1, the sum of the window at x. */
static int32_t window_sum(const direct_job *j, const char *x, int32_t second) {
    const uint32_t *w = j->piece;
    int32_t sum = (int32_t)w[second], at = 0, end = 0;
    const int32_t *list = j->list;
    w += PIECE_ENDS;
    for (int32_t i = 0; i < j->words; i++, at += 4) {
        if (at == end) {
            at = *list++;
            end = j->runs ? *list++ : at + 4;
        }
        const uint32_t word = *w++;
        sum = dual_mac(second ? odd_bytes(word) : even_bytes(word), load_word(x + at), sum);
    }
    return sum;
}

static int16_t ended(const direct_job *j, int32_t sum, int32_t second) {
    const int32_t multiplier = (int32_t)j->piece[PIECE_ENDS + j->words + second];
    const int32_t least = j->ending == RELU ? 0 : INT16_MIN;
    return (int16_t)dpl_clamp(scale_high(sum, multiplier, 0), least, INT16_MAX);
}

/* One window alone, of one channel or of both. */
static __attribute__((noinline)) void one_window(direct_job *j, int32_t channels) {
    for (int32_t n = 0; n < channels; n++) {
        const int32_t sum = window_sum(j, j->x, n);
        if (j->ending == SUMS) {
            *j->sums++ = sum;
        } else {
            j->out[n] = ended(j, sum, n);
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

static inline void run_blocks(const direct_job *j, int is_pair) {
    const int32_t windows = is_pair ? PAIR_WINDOWS : SINGLE_WINDOWS;
    direct_job each = *j;
    for (int32_t i = 0; i < j->blocks; i++) {
        int32_t *const sums = each.sums;
        for (int32_t n = 0; n < BLOCK_SUMS; n++) {
            const int32_t second = n / windows, window = n % windows;
            const int32_t sum = window_sum(j, each.x + window * j->step, second);
            if (j->ending == SUMS) {
                sums[n] = sum;
                each.sums++;
            } else {
                each.out[window * j->apart / (int32_t)sizeof *each.out + second] =
                    ended(j, sum, second);
            }
        }
        each.x += windows * j->step;
        each.out += windows * j->apart / (int32_t)sizeof *each.out;
    }
}

#endif

#endif
