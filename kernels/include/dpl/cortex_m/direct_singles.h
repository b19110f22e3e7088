/* Sums of one channel of one window or of two (direct_block.h): of a group's only output, where a
 * row has fewer windows than a block. The partner's bytes in the weights are passed over.
 *
 * A word takes 4 cycles for 4 products of two windows, and 3 for 2 of one: none of its loads stands
 * beside another, whose bank may be the same. */
#ifndef DPL_CORTEX_M_DIRECT_SINGLES_H
#define DPL_CORTEX_M_DIRECT_SINGLES_H

#include "dpl/cortex_m/direct_window.h"

#if defined(__ARM_FEATURE_DSP)

/* The word of weights is in q, and the next one is brought. CHECK looks at the list before NEXT
 * moves on in it. */
#define ONE_WORD(X, Y, NEXT, CHECK, END)                                                           \
    "sxtb16 %[p], %[q]\n ldr %[x], " X CHECK NEXT "smlad %[s0], %[p], %[x], %[s0]\n"               \
    "ldr %[q], [%[w]], #4\n" END
#define TWO_WORD(X, Y, NEXT, CHECK, END)                                                           \
    "sxtb16 %[p], %[q]\n ldr %[x], " X "ldr %[y], " Y CHECK                                        \
    "smlad %[s0], %[p], %[x], %[s0]\n" NEXT                                                        \
    "smlad %[s1], %[p], %[y], %[s1]\n ldr %[q], [%[w]], #4\n" END
#define FIRST_LISTED_WORD "[%[from], %[off]]\n", "[%[second], %[off]]\n"
#define LISTED_NEXT "ldr %[off], [%[list]], #4\n"
#define FIRST_OF_RUN "[%[from]], #4\n", "[%[from], %[second]]\n"
#define LISTED_TURNS(WORD)                                                                         \
    WORD(FIRST_LISTED_WORD, LISTED_NEXT, "", "")                                                   \
    WORD(FIRST_LISTED_WORD, LISTED_NEXT, "cmp %[list], %[end]\n", "bne 1b\n")
#define RUN_TURNS(WORD)                                                                            \
    WORD(FIRST_OF_RUN, "", "", "")                                                                 \
    WORD(FIRST_OF_RUN, "", "cmp %[from], %[end]\n", "bne 1b\n")
#define ONE_OF(...) ONE_WORD(__VA_ARGS__)
#define TWO_OF(...) TWO_WORD(__VA_ARGS__)

/* `second`: bytes from the window to the other. */
#define SUMS_FROM_LIST(NAME, WORD)                                                                 \
    static inline void NAME(const window_words *o, int32_t second, const uint32_t *w,              \
                            int32_t *sums) {                                                       \
        const int32_t *list = o->list, *const end = list + o->words;                               \
        const char *const other = o->x + second;                                                   \
        int32_t s0 = sums[0], s1 = sums[1], off;                                                   \
        uint32_t p, q, x, y;                                                                       \
        __asm__("ldr %[off], [%[list]], #4\n ldr %[q], [%[w]], #4\n"                               \
                "1:\n" LISTED_TURNS(WORD)                                                          \
                : [s0] "+r"(s0), [s1] "+r"(s1), [list] "+r"(list), [w] "+r"(w), [off] "=&r"(off),  \
                  [p] "=&r"(p), [q] "=&r"(q), [x] "=&r"(x), [y] "=&r"(y)                           \
                : [from] "r"(o->x), [second] "r"(other), [end] "r"(end)                            \
                : "cc", "memory");                                                                 \
        sums[0] = s0;                                                                              \
        sums[1] = s1;                                                                              \
    }

#define SUMS_FROM_RUNS(NAME, WORD)                                                                 \
    static inline void NAME(const window_words *o, int32_t second, const uint32_t *w,              \
                            int32_t *sums) {                                                       \
        const int32_t *list = o->list, behind = second - 4;                                        \
        int32_t s0 = sums[0], s1 = sums[1];                                                        \
        const char *from, *end;                                                                    \
        uint32_t p, q, x, y;                                                                       \
        __asm__(                                                                                   \
            "ldrd %[from], %[end], [%[list]], #8\n ldr %[q], [%[w]], #4\n"                         \
            "2:\n add %[from], %[from], %[first]\n add %[end], %[end], %[first]\n"                 \
            "1:\n" RUN_TURNS(                                                                      \
                WORD) "ldrd %[from], %[end], [%[list]], #8\n cmp %[from], %[end]\n bne 2b\n"       \
            : [s0] "+r"(s0), [s1] "+r"(s1), [list] "+r"(list), [w] "+r"(w), [from] "=&r"(from),    \
              [end] "=&r"(end), [p] "=&r"(p), [q] "=&r"(q), [x] "=&r"(x), [y] "=&r"(y)             \
            : [first] "r"(o->x), [second] "r"(behind)                                              \
            : "cc", "memory");                                                                     \
        sums[0] = s0;                                                                              \
        sums[1] = s1;                                                                              \
    }

SUMS_FROM_LIST(one_listed, ONE_OF)
SUMS_FROM_LIST(two_listed, TWO_OF)
SUMS_FROM_RUNS(one_of_runs, ONE_OF)
SUMS_FROM_RUNS(two_of_runs, TWO_OF)

/* Adds to the channel's sum of a window, or to those of two, the other `second` bytes away. */
static inline void sum_single(const window_words *o, const uint32_t *w, int32_t *sums) {
    (o->runs ? one_of_runs : one_listed)(o, 0, w, sums);
}

static inline void sum_two_windows(const window_words *o, int32_t second, const uint32_t *w,
                                   int32_t *sums) {
    (o->runs ? two_of_runs : two_listed)(o, second, w, sums);
}

#else

static inline void sum_single(const window_words *o, const uint32_t *w, int32_t *sums) {
    const int32_t other = sums[1];
    sum_window(o, w, sums);
    sums[1] = other;
}

static inline void sum_two_windows(const window_words *o, int32_t second, const uint32_t *w,
                                   int32_t *sums) {
    window_words other = *o;
    int32_t both[2] = {sums[1], 0};
    other.x += second;
    sum_single(o, w, sums);
    sum_single(&other, w, both);
    sums[1] = both[0];
}

#endif

#endif
