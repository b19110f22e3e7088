/* Depthwise 3x3 with two taps a product: two input rows of one channel in one word.
 *
 * Channels share nothing, so what a multiplier of two halfwords can add at once are two taps of one
 * channel. Rows r and r + 1 are therefore packed: a plane holds, for each column and each of four
 * channels, the word (row r, row r + 1). A word serves three columns of windows and two output
 * rows; with W01 = (w0, w1) and W12 = (w1, w2) of a column of weights and the words P = (r0, r1),
 * Q = (r2, r3), two output rows at stride 1 take four products of a column:
 *
 *     first  += P * W01 (smlad)                + low(Q) * high(W12)  (smlabt)
 *     second += high(P) * low(W01) (smlatb)    + Q * W12 (smlad)
 *
 * and at stride 2, with R = (r4, r5): first += P * W01 + low(Q) * high(W12), second += Q * W01 +
 * low(R) * high(W12). 12 instructions for 18 products, loads beside them: 14 cycles a column, 0.78
 * a product (pipeline model of the Cortex-M7), where one product an instruction takes 1.75.
 *
 * A column of a plane has three slots of 16 bytes (four channels), one for each pair of rows that
 * is alive, so that all of a window lies at constant distances from one pointer. At stride 1 two
 * are alive. The sums of an output column go where pairs of rows are no longer needed: the first
 * row's into P's slot, the second row's into the free one or, at stride 2, Q's. */
#ifndef DPL_CORTEX_M_TAPS_H
#define DPL_CORTEX_M_TAPS_H

#include "dpl/cortex_m/blocking.h"
#include "dpl/cortex_m/pack.h"

enum {
    TAP_CHANNELS = DPL_TAP_CHANNELS,
    SLOT_WORDS = DPL_TAP_SLOT_BYTES / 4,
    SLOTS = DPL_TAP_SLOTS,
    COLUMN_WORDS = SLOTS * SLOT_WORDS
};
_Static_assert(DPL_TAP_SLOT_BYTES == 16 && SLOTS == 3, "the loops walk by 16 and by 48 bytes");
enum { TAP_WORDS = 6 }; /* of weights a channel */

/* taps_stride_1 and taps_stride_2: four channels, the output columns whose windows begin in `words`
 * words from `columns` on, weights W01 and W12 of the three columns of taps a channel. `first` is
 * P's slot, the ones after it in turn are Q's and R's (or the free one). Not inlined: gcc then
 * finds the registers. */
#if defined(__ARM_FEATURE_DSP)

#define LOAD(X, COLUMN, SLOT) "ldr %[" X "], [%[at], #" COLUMN "*48+" SLOT "*16]\n"
#define STORE(X, STEP, SLOT) "str %[" X "], [%[at], #" SLOT "*16-" STEP "]\n"

#define BEGIN(OPERATION, S, X, W) OPERATION " %[" S "], %[" X "], %[" W "], %[bias]\n"
#define ADD(OPERATION, S, X, W) OPERATION " %[" S "], %[" X "], %[" W "], %[" S "]\n"
#define STEP_BY(BYTES) "add %[at], %[at], #" BYTES "\n"
#define COMPARE "cmp %[at], %[end]\n"

#define COLUMN_STRIDE_1(P, Q, FREE)                                                                \
    BEGIN("smlad", "s0", "x", "a0")                                                                \
    BEGIN("smlatb", "s1", "x", "a0")                                                               \
    LOAD("x", "1", P)                                                                              \
    ADD("smlabt", "s0", "y", "b0")                                                                 \
    ADD("smlad", "s1", "y", "b0")                                                                  \
    LOAD("y", "1", Q)                                                                              \
    ADD("smlad", "s0", "x", "a1")                                                                  \
    ADD("smlatb", "s1", "x", "a1")                                                                 \
    LOAD("x", "2", P)                                                                              \
    ADD("smlabt", "s0", "y", "b1")                                                                 \
    ADD("smlad", "s1", "y", "b1")                                                                  \
    LOAD("y", "2", Q)                                                                              \
    ADD("smlad", "s0", "x", "a2")                                                                  \
    STEP_BY("48")                                                                                  \
    ADD("smlatb", "s1", "x", "a2")                                                                 \
    LOAD("x", "0", P)                                                                              \
    ADD("smlabt", "s0", "y", "b2")                                                                 \
    COMPARE                                                                                        \
    ADD("smlad", "s1", "y", "b2")                                                                  \
    LOAD("y", "0", Q)                                                                              \
    STORE("s0", "48", P)                                                                           \
    STORE("s1", "48", FREE)

#define COLUMN_STRIDE_2(P, Q, R)                                                                   \
    BEGIN("smlad", "s0", "x", "a0")                                                                \
    LOAD("x", "0", R)                                                                              \
    ADD("smlabt", "s0", "y", "b0")                                                                 \
    BEGIN("smlad", "s1", "y", "a0")                                                                \
    LOAD("y", "1", P)                                                                              \
    ADD("smlabt", "s1", "x", "b0")                                                                 \
    LOAD("x", "1", Q)                                                                              \
    ADD("smlad", "s0", "y", "a1")                                                                  \
    LOAD("y", "1", R)                                                                              \
    ADD("smlabt", "s0", "x", "b1")                                                                 \
    ADD("smlad", "s1", "x", "a1")                                                                  \
    LOAD("x", "2", P)                                                                              \
    ADD("smlabt", "s1", "y", "b1")                                                                 \
    LOAD("y", "2", Q)                                                                              \
    ADD("smlad", "s0", "x", "a2")                                                                  \
    LOAD("x", "2", R)                                                                              \
    STEP_BY("96")                                                                                  \
    ADD("smlabt", "s0", "y", "b2")                                                                 \
    COMPARE                                                                                        \
    ADD("smlad", "s1", "y", "a2")                                                                  \
    LOAD("y", "0", Q)                                                                              \
    ADD("smlabt", "s1", "x", "b2")                                                                 \
    LOAD("x", "0", P)                                                                              \
    STORE("s0", "96", P)                                                                           \
    STORE("s1", "96", Q)

#define COLUMNS_FROM(P, Q, COLUMN) LOAD("x", "0", P) LOAD("y", "0", Q) "1:\n" COLUMN "bne 1b\n"
#define TAPS_STRIDE_1(P, Q, FREE) COLUMNS_FROM(P, Q, COLUMN_STRIDE_1(P, Q, FREE))
#define TAPS_STRIDE_2(P, Q, R) COLUMNS_FROM(P, Q, COLUMN_STRIDE_2(P, Q, R))

#define RUN_TAPS(BODY)                                                                             \
    __asm__ volatile(BODY                                                                          \
                     : [at] "+r"(at), [s0] "=&r"(s0), [s1] "=&r"(s1), [x] "=&r"(x), [y] "=&r"(y)   \
                     : [a0] "r"(w[0]), [b0] "r"(w[1]), [a1] "r"(w[2]), [b1] "r"(w[3]),             \
                       [a2] "r"(w[4]), [b2] "r"(w[5]), [bias] "r"(bias), [end] "r"(end)            \
                     : "cc", "memory")

/* Four channels, one after the other. */
#define RUN_FOUR(BODY)                                                                             \
    for (int32_t c = 0; c < TAP_CHANNELS; c++, w += TAP_WORDS) {                                   \
        uint32_t *at = columns + c, *end = at + words;                                             \
        const int32_t bias = biases[c];                                                            \
        int32_t s0, s1;                                                                            \
        uint32_t x, y;                                                                             \
        RUN_TAPS(BODY);                                                                            \
    }

#define RUN_FROM(FIRST, BODY)                                                                      \
    if (FIRST == 0) {                                                                              \
        RUN_FOUR(BODY("0", "1", "2"))                                                              \
    } else if (FIRST == 1) {                                                                       \
        RUN_FOUR(BODY("1", "2", "0"))                                                              \
    } else {                                                                                       \
        RUN_FOUR(BODY("2", "0", "1"))                                                              \
    }

static __attribute__((noinline)) void taps_stride_1(const uint32_t *w, const int32_t *biases,
                                                    uint32_t *columns, int32_t words,
                                                    int32_t first) {
    RUN_FROM(first, TAPS_STRIDE_1)
}

static __attribute__((noinline)) void taps_stride_2(const uint32_t *w, const int32_t *biases,
                                                    uint32_t *columns, int32_t words,
                                                    int32_t first) {
    RUN_FROM(first, TAPS_STRIDE_2)
}

#else

static inline int32_t low_of(uint32_t x) {
    return (int16_t)x;
}

static inline int32_t high_of(uint32_t x) {
    return (int16_t)(x >> 16);
}

/* Words of the slots of P, Q and the third in a column. */
typedef struct {
    int32_t p, q, r;
} slots;

static slots slots_from(int32_t first) {
    return (slots){first * SLOT_WORDS, (first + 1) % SLOTS * SLOT_WORDS,
                   (first + 2) % SLOTS * SLOT_WORDS};
}

static void sum_1(const uint32_t *w, int32_t bias, uint32_t *at, slots at_slot) {
    int32_t s0 = bias, s1 = bias;
    const uint32_t *p = at + at_slot.p, *q = at + at_slot.q;
    for (int32_t k = 0; k < 6; k += 2, p += COLUMN_WORDS, q += COLUMN_WORDS) {
        s0 = dual_mac(*p, w[k], s0) + low_of(*q) * high_of(w[k + 1]);
        s1 = dual_mac(*q, w[k + 1], s1) + high_of(*p) * low_of(w[k]);
    }
    at[at_slot.p] = (uint32_t)s0;
    at[at_slot.r] = (uint32_t)s1;
}

static void sum_2(const uint32_t *w, int32_t bias, uint32_t *at, slots at_slot) {
    int32_t s0 = bias, s1 = bias;
    const uint32_t *p = at + at_slot.p, *q = at + at_slot.q, *r = at + at_slot.r;
    for (int32_t k = 0; k < 6; k += 2) {
        s0 = dual_mac(*p, w[k], s0) + low_of(*q) * high_of(w[k + 1]);
        s1 = dual_mac(*q, w[k], s1) + low_of(*r) * high_of(w[k + 1]);
        p += COLUMN_WORDS, q += COLUMN_WORDS, r += COLUMN_WORDS;
    }
    at[at_slot.p] = (uint32_t)s0;
    at[at_slot.q] = (uint32_t)s1;
}

static void taps_stride_1(const uint32_t *w, const int32_t *biases, uint32_t *columns,
                          int32_t words, int32_t first) {
    for (int32_t c = 0; c < TAP_CHANNELS; c++, w += TAP_WORDS, columns++) {
        for (int32_t at = 0; at < words; at += COLUMN_WORDS) {
            sum_1(w, biases[c], columns + at, slots_from(first));
        }
    }
}

static void taps_stride_2(const uint32_t *w, const int32_t *biases, uint32_t *columns,
                          int32_t words, int32_t first) {
    for (int32_t c = 0; c < TAP_CHANNELS; c++, w += TAP_WORDS, columns++) {
        for (int32_t at = 0; at < words; at += 2 * COLUMN_WORDS) {
            sum_2(w, biases[c], columns + at, slots_from(first));
        }
    }
}

#endif

#endif
