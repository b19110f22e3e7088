/* Sums of one output channel for three windows of bytes where they lie.
 *
 * An entry of a list says where words of three windows are; a channel reads so many words from
 * there, that begin where its group's channels do. Its weights lie in words as those of the windows
 * (layout "x1c4_taps"), zero where a word has another group's channels.
 *
 * A word meets four values of three windows: four loads, eight extensions, six products. Each of
 * 9 cycles has an extension as the older instruction or a load, a product as the younger; an entry
 * takes 6 more. 0.75 cycles a product, where a pair of channels of which one has only zeros takes
 * as long for two and the columns that it reads must be made. Of a window alone a word takes 5. */
#ifndef DPL_CORTEX_M_SINGLE_WINDOWS_H
#define DPL_CORTEX_M_SINGLE_WINDOWS_H

#include "dpl/cortex_m/blocking.h"
#include "dpl/cortex_m/simd.h"

enum { WINDOWS = 3, MOST_ENTRY_WORDS = DPL_SINGLE_WORDS };

typedef struct {
    const int8_t *at[WINDOWS];
} three_bytes;

typedef struct {
    const three_bytes *list, *end; /* of the first and behind the last */
    int32_t first;                 /* bytes from there to a channel's first word */
    int32_t words;                 /* of an entry */
    const int8_t *weights;
    int32_t sums[WINDOWS]; /* bias before, sums afterwards */
} single_job;

typedef void (*single_sums_of)(single_job *);

/* By the words of an entry, of three windows and of one. */
typedef struct {
    single_sums_of three, one;
} single_loops;

#if defined(__ARM_FEATURE_DSP)

/* q has the word of weights, which gives way to the second window's. */
#define SINGLE_BYTES(AT, NEXT)                                                                     \
    "sxtb16 %[e], %[q]\n ldr %[p], [%[x0], #" AT "]\n"                                             \
    "sxtb16 %[o], %[q], ror #8\n ldr %[q], [%[x1], #" AT "]\n"                                     \
    "sxtb16 %[t], %[p]\n ldr %[r], [%[x2], #" AT "]\n"                                             \
    "sxtb16 %[p], %[p], ror #8\n smlad %[s0], %[t], %[e], %[s0]\n"                                 \
    "sxtb16 %[t], %[q]\n smlad %[s0], %[p], %[o], %[s0]\n"                                         \
    "sxtb16 %[q], %[q], ror #8\n smlad %[s1], %[t], %[e], %[s1]\n"                                 \
    "sxtb16 %[t], %[r]\n smlad %[s1], %[q], %[o], %[s1]\n"                                         \
    "sxtb16 %[r], %[r], ror #8\n smlad %[s2], %[t], %[e], %[s2]\n" NEXT                            \
    "smlad %[s2], %[r], %[o], %[s2]\n"
#define NEXT_WEIGHTS "ldr %[q], [%[w]], #4\n"
#define ENTRY_END "ldr %[q], %[end]\n"

#define SINGLE_WORDS_1 SINGLE_BYTES("0", ENTRY_END)
#define SINGLE_WORDS_2 SINGLE_BYTES("0", NEXT_WEIGHTS) SINGLE_BYTES("4", ENTRY_END)
#define SINGLE_WORDS_3                                                                             \
    SINGLE_BYTES("0", NEXT_WEIGHTS) SINGLE_BYTES("4", NEXT_WEIGHTS) SINGLE_BYTES("8", ENTRY_END)
#define SINGLE_WORDS_4                                                                             \
    SINGLE_BYTES("0", NEXT_WEIGHTS)                                                                \
    SINGLE_BYTES("4", NEXT_WEIGHTS) SINGLE_BYTES("8", NEXT_WEIGHTS) SINGLE_BYTES("12", ENTRY_END)

#define SINGLE_SUMS(NAME, WORDS)                                                                   \
    static __attribute__((noinline)) void NAME(single_job *j) {                                    \
        const three_bytes *list = j->list, *const end = j->end;                                    \
        const int32_t first = j->first;                                                            \
        const int8_t *w = j->weights;                                                              \
        int32_t s0 = j->sums[0], s1 = s0, s2 = s0;                                                 \
        uint32_t x0, x1, x2, e, o, p, q, r, t;                                                     \
        __asm__ volatile(                                                                          \
            "1:\n"                                                                                 \
            "ldr %[t], %[first]\n ldr %[x0], [%[list]]\n"                                          \
            "ldr %[x1], [%[list], #4]\n ldr %[x2], [%[list], #8]\n"                                \
            "ldr %[q], [%[w]], #4\n add %[list], %[list], #12\n"                                   \
            "add %[x0], %[x0], %[t]\n add %[x1], %[x1], %[t]\n"                                    \
            "add %[x2], %[x2], %[t]\n" WORDS "cmp %[list], %[q]\n bne 1b\n"                        \
            : [list] "+r"(list), [w] "+r"(w), [s0] "+r"(s0), [s1] "+r"(s1), [s2] "+r"(s2),         \
              [x0] "=&r"(x0), [x1] "=&r"(x1), [x2] "=&r"(x2), [e] "=&r"(e), [o] "=&r"(o),          \
              [p] "=&r"(p), [q] "=&r"(q), [r] "=&r"(r), [t] "=&r"(t)                               \
            : [first] "m"(first), [end] "m"(end)                                                   \
            : "cc", "memory");                                                                     \
        j->sums[0] = s0;                                                                           \
        j->sums[1] = s1;                                                                           \
        j->sums[2] = s2;                                                                           \
    }

SINGLE_SUMS(single_sums_1, SINGLE_WORDS_1)
SINGLE_SUMS(single_sums_2, SINGLE_WORDS_2)
SINGLE_SUMS(single_sums_3, SINGLE_WORDS_3)
SINGLE_SUMS(single_sums_4, SINGLE_WORDS_4)

#define WINDOW_BYTES(AT, NEXT)                                                                     \
    "sxtb16 %[e], %[q]\n ldr %[p], [%[x0], #" AT "]\n"                                             \
    "sxtb16 %[o], %[q], ror #8\n"                                                                  \
    "sxtb16 %[t], %[p]\n"                                                                          \
    "sxtb16 %[p], %[p], ror #8\n smlad %[s0], %[t], %[e], %[s0]\n" NEXT                            \
    "smlad %[s0], %[p], %[o], %[s0]\n"
#define WINDOW_WORDS_1 WINDOW_BYTES("0", ENTRY_END)
#define WINDOW_WORDS_2 WINDOW_BYTES("0", NEXT_WEIGHTS) WINDOW_BYTES("4", ENTRY_END)
#define WINDOW_WORDS_3                                                                             \
    WINDOW_BYTES("0", NEXT_WEIGHTS) WINDOW_BYTES("4", NEXT_WEIGHTS) WINDOW_BYTES("8", ENTRY_END)
#define WINDOW_WORDS_4                                                                             \
    WINDOW_BYTES("0", NEXT_WEIGHTS)                                                                \
    WINDOW_BYTES("4", NEXT_WEIGHTS) WINDOW_BYTES("8", NEXT_WEIGHTS) WINDOW_BYTES("12", ENTRY_END)

#define WINDOW_SUMS(NAME, WORDS)                                                                   \
    static __attribute__((noinline)) void NAME(single_job *j) {                                    \
        const three_bytes *list = j->list, *const end = j->end;                                    \
        const int32_t first = j->first;                                                            \
        const int8_t *w = j->weights;                                                              \
        int32_t s0 = j->sums[0];                                                                   \
        uint32_t x0, e, o, p, q, t;                                                                \
        __asm__ volatile("1:\n ldr %[x0], [%[list]]\n ldr %[q], [%[w]], #4\n"                      \
                         "add %[list], %[list], #12\n add %[x0], %[x0], %[first]\n" WORDS          \
                         "cmp %[list], %[q]\n bne 1b\n"                                            \
                         : [list] "+r"(list), [w] "+r"(w), [s0] "+r"(s0), [x0] "=&r"(x0),          \
                           [e] "=&r"(e), [o] "=&r"(o), [p] "=&r"(p), [q] "=&r"(q), [t] "=&r"(t)    \
                         : [first] "r"(first), [end] "m"(end)                                      \
                         : "cc", "memory");                                                        \
        j->sums[0] = j->sums[1] = j->sums[2] = s0;                                                 \
    }

WINDOW_SUMS(window_sums_1, WINDOW_WORDS_1)
WINDOW_SUMS(window_sums_2, WINDOW_WORDS_2)
WINDOW_SUMS(window_sums_3, WINDOW_WORDS_3)
WINDOW_SUMS(window_sums_4, WINDOW_WORDS_4)

static inline single_loops loops_of(int32_t words) {
    static const single_loops every[MOST_ENTRY_WORDS] = {{single_sums_1, window_sums_1},
                                                         {single_sums_2, window_sums_2},
                                                         {single_sums_3, window_sums_3},
                                                         {single_sums_4, window_sums_4}};
    return every[words - 1];
}

#else

static int32_t sum_in_c(const single_job *j, int32_t bias, int32_t window) {
    const int32_t bytes = 4 * j->words;
    const int8_t *w = j->weights;
    int32_t sum = bias;
    for (const three_bytes *entry = j->list; entry < j->end; entry++, w += bytes) {
        for (int32_t n = 0; n < bytes; n++) {
            sum += w[n] * entry->at[window][j->first + n];
        }
    }
    return sum;
}

static void three_in_c(single_job *j) {
    const int32_t bias = j->sums[0];
    for (int32_t i = 0; i < WINDOWS; i++) {
        j->sums[i] = sum_in_c(j, bias, i);
    }
}

static void one_in_c(single_job *j) {
    j->sums[0] = j->sums[1] = j->sums[2] = sum_in_c(j, j->sums[0], 0);
}

static inline single_loops loops_of(int32_t words) {
    (void)words;
    return (single_loops){three_in_c, one_in_c};
}

#endif

#endif
