/* Copies of pixels as halfwords, four values at a time, wherever they lie: element by element,
 * since a word that crosses a boundary takes 3 or 4 cycles more to load. Four values take 5 cycles,
 * each load beside a packing or a store. Included behind direct_plan.h by a file that names
 * LOAD_VALUE. */
#ifndef DPL_CORTEX_M_DIRECT_FOURS_H
#define DPL_CORTEX_M_DIRECT_FOURS_H

#include "dpl/cortex_m/code_bytes.h"

/* So many pixels of so many fours, one at least: four values more are read behind each. Bytes from
 * behind a pixel's fours to the next one, and of its copy. */
typedef struct {
    const element *from;
    int16_t *to;
    int32_t fours, pixels, next_from, next_to;
} copied_pixels;

#if defined(__ARM_FEATURE_DSP)

#define VALUE(X, AT) LOAD_VALUE " %[" X "], [%[from], #" AT "*" ELEMENT_BYTES "]\n"
#define TWO_HALVES(A, B) "pkhbt %[w], %[" A "], %[" B "], lsl #16\n"

static __attribute__((noinline)) void copy_fours(const copied_pixels *c) {
    const element *from = c->from;
    int16_t *to = c->to;
    int32_t left = c->pixels, n, e, f, g, h;
    uint32_t w;
    __asm__ volatile(
        "1:\n" VALUE("e", "0") "mov %[n], %[fours]\n" VALUE("f", "1") VALUE("g", "2")
            VALUE("h", "3") "2:\n" TWO_HALVES("e", "f") LOAD_VALUE
        " %[e], [%[from], #4*" ELEMENT_BYTES "]!\n"
        "str %[w], [%[to]], #8\n" VALUE("f", "1") TWO_HALVES("g", "h")
            VALUE("g", "2") "str %[w], [%[to], #-4]\n" VALUE(
                "h", "3") "subs %[n], %[n], #1\n bne 2b\n"
                          "subs %[left], %[left], #1\n add %[from], %[from], %[next_from]\n"
                          "add %[to], %[to], %[next_to]\n bne 1b\n"
        : [from] "+r"(from), [to] "+r"(to), [left] "+r"(left), [n] "=&r"(n), [e] "=&r"(e),
          [f] "=&r"(f), [g] "=&r"(g), [h] "=&r"(h), [w] "=&r"(w)
        : [fours] "r"(c->fours), [next_from] "r"(c->next_from), [next_to] "r"(c->next_to)
        : "cc", "memory");
}

#define FEW_FOURS 8   /* of the loop that a jump enters */
#define FOUR_BYTES 32 /* of its instructions, for each */
#define FOUR                                                                                       \
    TWO_HALVES("e", "f")                                                                           \
    LOAD_VALUE " %[e], [%[from], #4*" ELEMENT_BYTES "]!\n"                                         \
               "str %[w], [%[to]], #8\n" VALUE("f", "1") TWO_HALVES("g", "h")                      \
                   VALUE("g", "2") "str %[w], [%[to], #-4]\n" VALUE("h", "3")

/* The same of up to so many fours, which no branch ends: it would be mispredicted for each pixel.
 * A four takes 4 cycles. */
static __attribute__((noinline)) void copy_few_fours(const copied_pixels *c) {
    const element *from = c->from;
    int16_t *to = c->to;
    int32_t left = c->pixels, e, f, g, h;
    uint32_t w, entry = (uint32_t)(FEW_FOURS - c->fours) * FOUR_BYTES;
    __asm__ volatile(
        "adr.w %[w], 1f\n add %[entry], %[entry], %[w]\n orr %[entry], %[entry], #1\n"
        "2:\n" VALUE("e", "0") VALUE("f", "1") VALUE("g", "2") VALUE(
            "h",
            "3") "bx %[entry]\n"
                 ".p2align 2\n1:\n .rept " TEXT_OF(FEW_FOURS) "\n" FOUR ".endr\n" ENDS_AT(TEXT_OF(
                     FEW_FOURS) " * " TEXT_OF(FOUR_BYTES)) "subs %[left], %[left], #1\n add "
                                                           "%[from], %[from], %[next_from]\n"
                                                           "add %[to], %[to], %[next_to]\n bne 2b\n"
        : [from] "+r"(from), [to] "+r"(to), [left] "+r"(left), [e] "=&r"(e), [f] "=&r"(f),
          [g] "=&r"(g), [h] "=&r"(h), [w] "=&r"(w), [entry] "+r"(entry)
        : [next_from] "r"(c->next_from), [next_to] "r"(c->next_to)
        : "cc", "memory");
}

/* The same of pixels of one four: the next pixel's values are loaded beside it, 7 cycles each.
 * Those behind the last one are read. */
static __attribute__((noinline)) void copy_single_fours(const copied_pixels *c) {
    const element *from = c->from;
    int16_t *to = c->to;
    const int32_t next_from = c->next_from + 4 * (int32_t)sizeof *from;
    const int32_t next_to = c->next_to + 4 * (int32_t)sizeof *to;
    int32_t left = c->pixels, e, f, g, h;
    uint32_t w;
    __asm__ volatile(
        VALUE("e", "0") VALUE("f", "1") VALUE("g", "2") VALUE("h", "3") "1:\n" TWO_HALVES(
            "e", "f") "add %[from], %[from], %[next_from]\n"
                      "str %[w], [%[to]]\n" VALUE("e", "0") TWO_HALVES("g", "h")
                          VALUE("f", "1") "str %[w], [%[to], #4]\n" VALUE(
                              "g",
                              "2") "subs %[left], %[left], #1\n" VALUE("h",
                                                                       "3") "add %[to], %[to], "
                                                                            "%[next_to]\n bne 1b\n"
        : [from] "+r"(from), [to] "+r"(to), [left] "+r"(left), [e] "=&r"(e), [f] "=&r"(f),
          [g] "=&r"(g), [h] "=&r"(h), [w] "=&r"(w)
        : [next_from] "r"(next_from), [next_to] "r"(next_to)
        : "cc", "memory");
}

#else

static inline void copy_fours(const copied_pixels *c) {
    const element *from = c->from;
    int16_t *to = c->to;
    for (int32_t x = 0; x < c->pixels; x++) {
        for (int32_t i = 2 * c->fours; i > 0; i--, from += 2, to += 2) {
            store_word(to, low_halves((uint32_t)from[0], (uint32_t)from[1]));
        }
        from += c->next_from / (int32_t)sizeof *from;
        to += c->next_to / (int32_t)sizeof *to;
    }
}

#define FEW_FOURS 1

static inline void copy_few_fours(const copied_pixels *c) {
    copy_fours(c);
}

static inline void copy_single_fours(const copied_pixels *c) {
    copy_fours(c);
}

#endif

#endif
