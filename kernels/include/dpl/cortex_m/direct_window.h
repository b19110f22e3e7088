/* Sums of one window of a pair of channels (direct_block.h): where a row has fewer windows than a
 * block, a block's others would be the same window again.
 *
 * A word of weights takes 4 cycles for 4 products, of which each has an extension or a product as
 * the older instruction; two words are a turn. A block takes 5.5 cycles a word for both of its
 * windows. */
#ifndef DPL_CORTEX_M_DIRECT_WINDOW_H
#define DPL_CORTEX_M_DIRECT_WINDOW_H

#include <stdint.h>

#include "dpl/cortex_m/simd.h"

/* A window's first word; the list, of words or of runs, as a job has it; words of weights. */
typedef struct {
    const char *x;
    const int32_t *list;
    int32_t words, runs;
} window_words;

#if defined(__ARM_FEATURE_DSP)

/* The word of weights is in q, and the next one is brought. */
#define WINDOW_WORD(X, NEXT, CHECK, END)                                                           \
    "sxtb16 %[p], %[q]\n ldr %[x], " X "sxtb16 %[q], %[q], ror #8\n" NEXT                          \
    "smlad %[s0], %[p], %[x], %[s0]\n" CHECK "smlad %[s1], %[q], %[x], %[s1]\n"                    \
    "ldr %[q], [%[w]], #4\n" END

/* From a list of words; an entry and a word of weights are read behind the last. */
static inline void sum_listed(const window_words *o, const uint32_t *w, int32_t *sums) {
    const int32_t *list = o->list, *const end = list + o->words + 1;
    int32_t s0 = sums[0], s1 = sums[1], off;
    uint32_t p, q, x;
    __asm__("ldr %[off], [%[list]], #4\n ldr %[q], [%[w]], #4\n"
            "1:\n" WINDOW_WORD("[%[from], %[off]]\n", "ldr %[off], [%[list]], #4\n", "", "")
                WINDOW_WORD("[%[from], %[off]]\n", "ldr %[off], [%[list]], #4\n",
                            "cmp %[list], %[end]\n", "bne 1b\n")
            : [s0] "+r"(s0), [s1] "+r"(s1), [list] "+r"(list), [w] "+r"(w), [off] "=&r"(off),
              [p] "=&r"(p), [q] "=&r"(q), [x] "=&r"(x)
            : [from] "r"(o->x), [end] "r"(end)
            : "cc", "memory");
    sums[0] = s0;
    sums[1] = s1;
}

/* From a list of begins and ends of runs of an even number of words, the last empty. */
static inline void sum_runs(const window_words *o, const uint32_t *w, int32_t *sums) {
    const int32_t *list = o->list;
    int32_t s0 = sums[0], s1 = sums[1];
    const char *from, *end;
    uint32_t p, q, x;
    __asm__("ldrd %[from], %[end], [%[list]], #8\n ldr %[q], [%[w]], #4\n"
            "2:\n add %[from], %[from], %[first]\n add %[end], %[end], %[first]\n"
            "1:\n" WINDOW_WORD("[%[from]], #4\n", "", "", "") WINDOW_WORD(
                "[%[from]], #4\n", "", "cmp %[from], %[end]\n",
                "bne 1b\n") "ldrd %[from], %[end], [%[list]], #8\n cmp %[from], %[end]\n bne 2b\n"
            : [s0] "+r"(s0), [s1] "+r"(s1), [list] "+r"(list), [w] "+r"(w), [from] "=&r"(from),
              [end] "=&r"(end), [p] "=&r"(p), [q] "=&r"(q), [x] "=&r"(x)
            : [first] "r"(o->x)
            : "cc", "memory");
    sums[0] = s0;
    sums[1] = s1;
}

#else

/* Adds the products of a word of a window to the sums of both channels. */
static inline void add_word(uint32_t word, uint32_t values, int32_t *sums) {
    sums[0] = dual_mac(even_bytes(word), values, sums[0]);
    sums[1] = dual_mac(odd_bytes(word), values, sums[1]);
}

static inline void sum_listed(const window_words *o, const uint32_t *w, int32_t *sums) {
    for (int32_t i = 0; i < o->words; i++) {
        add_word(w[i], load_word(o->x + o->list[i]), sums);
    }
}

static inline void sum_runs(const window_words *o, const uint32_t *w, int32_t *sums) {
    for (const int32_t *run = o->list; run[0] != run[1]; run += 2) {
        for (int32_t at = run[0]; at != run[1]; at += 4) {
            add_word(*w++, load_word(o->x + at), sums);
        }
    }
}

#endif

static inline void sum_window(const window_words *o, const uint32_t *w, int32_t *sums) {
    if (o->runs) {
        sum_runs(o, w, sums);
    } else {
        sum_listed(o, w, sums);
    }
}

#endif
