/* Depthwise sums of four channels of a pixel after another, along the channels, and their outputs.
 * The body of a kernel of int8 or int16; its file names `element`, its BITS and its STORE.
 *
 * A list states how far each tap of the pixel lies from the pixel's first channel; taps beyond the
 * input are in a pixel of zero points. A product takes one channel, so that nothing is packed and
 * strides, dilations and planes may be any. Weights of four channels, as the layouts "c4_taps" and
 * "c4_taps_ordered" have them: four biases, two words for each tap, four multipliers.
 *
 * Two taps an iteration: 11 cycles for int8, whose halfwords (0 and 2, 1 and 3) are extended beside
 * products, 10 for int16. Nine, the most common number, lie in a row. */
#ifndef DPL_CORTEX_M_CHANNEL_TAPS_H
#define DPL_CORTEX_M_CHANNEL_TAPS_H

#include "dpl/cortex_m/simd.h"

enum { FOUR = 4, NINE = 9 };

/* Bytes from behind a stretch of channels to the next one: of elements, of outputs and of weights.
 * So many bytes of elements has that. */
typedef struct stretch {
    int32_t at, out, w, length;
    const struct stretch *next; /* what follows it */
} stretch;

/* Channels of pixels from `at` to `end`, where their first output goes, and what follows them:
 * `count` stretches in all. */
typedef struct {
    const int32_t *w;
    const int32_t *list; /* of bytes from `at` to the pixel's taps, the last of them twice more */
    const element *at, *end;
    char *out;
    int32_t taps, zero, step; /* `step`: bytes from an output to the next */
    int32_t count;
    const stretch *next;
} channel_run;

typedef void (*channel_loop)(const channel_run *r);

#if defined(__ARM_FEATURE_DSP)

#if BITS == 8
#include "dpl/cortex_m/channel_taps_s8.h"
#else
#include "dpl/cortex_m/channel_taps_s16.h"
#endif

/* Taps at any address, elements by themselves, since a word that crosses a boundary takes 3 or 4
 * cycles more: 6 cycles a tap. The list has steps: `at` is where the next tap lies. Elements of the
 * next tap are loaded beside the products of one. */
#define ELEMENT_OF(X, I) LOAD "%[" X "], [%[at], #" I "]\n"
#define BEGIN_ELEMENTS(NEXT)                                                                       \
    ELEMENT_OF("e", ELEMENT_0)                                                                     \
    "ldr %[s0], [%[w], #16]\n" ELEMENT_OF("o", ELEMENT_1) "ldr %[s1], [%[w], #20]\n" ELEMENT_OF(   \
        "x",                                                                                       \
        ELEMENT_2) "ldr %[s2], [%[w], #24]\n" ELEMENT_OF("count",                                  \
                                                         ELEMENT_3) "ldr %[s3], [%[w], #28]\n"     \
                                                                    "add %[at], %[at], %[f]\n "    \
                                                                    "ldr %[a], [%[w], #32]!\n"     \
                                                                    "ldr %[f], [%[list], #4]" NEXT \
                                                                    "\n ldr %[b], [%[w], #4]\n"
#define PRODUCTS_OF_ELEMENTS                                                                       \
    FIRST_PRODUCTS(ELEMENT_OF("e", ELEMENT_0), SECOND_ELEMENT)                                     \
    SECOND_PRODUCTS(THIRD_ELEMENT, ELEMENT_OF("count", ELEMENT_3))                                 \
    "ldr %[b], [%[w], #12]\n ldr %[a], [%[w], #8]!\n add %[at], %[at], %[f]\n"
#define ONE_ELEMENT(NEXT) PRODUCTS_OF_ELEMENTS "ldr %[f], [%[list], #" NEXT "\n"
#define NINE_ELEMENTS                                                                              \
    BEGIN_ELEMENTS("")                                                                             \
    ONE_ELEMENT("8]")                                                                              \
    ONE_ELEMENT("12]")                                                                             \
    ONE_ELEMENT("16]")                                                                             \
    ONE_ELEMENT("20]")                                                                             \
    ONE_ELEMENT("24]") ONE_ELEMENT("28]") ONE_ELEMENT("32]") PRODUCTS_OF_ELEMENTS LAST_ELEMENTS

/* Two taps an iteration; an odd number of them begins with its second half. */
#define SOME_ELEMENTS                                                                              \
    BEGIN_ELEMENTS("!")                                                                            \
    "ldr %[f], %[more]\n lsls %[f], %[f], #31\n ldr %[f], [%[list]]\n beq 3f\n"                    \
    "2:\n" ONE_ELEMENT("4]!") "3:\n" PRODUCTS_OF_ELEMENTS                                          \
                              "ldr %[f], %[last]\n cmp %[list], %[f]\n ldr %[f], [%[list], "       \
                              "#4]!\n bne 2b\n" AFTER_ELEMENTS

/* Behind a stretch `count` is where the next output would go. */
#define NEXT_STRETCH                                                                               \
    "ldr %[x], %[left]\n ldr %[o], %[next]\n subs %[x], %[x], #1\n beq 9f\n"                       \
    "ldr %[a], [%[o]]\n str %[x], %[left]\n ldr %[b], [%[o], #4]\n ldr %[e], [%[o], #8]\n"         \
    "add %[at], %[at], %[a]\n ldr %[x], [%[o], #12]\n add %[count], %[count], %[b]\n"              \
    "ldr %[o], [%[o], #16]\n add %[w], %[w], %[e]\n str %[count], %[to]\n"                         \
    "add %[x], %[at], %[x]\n str %[o], %[next]\n str %[x], %[end]\n b 1b\n"                        \
    "9:\n"

#define LIST_AGAIN "ldr %[list], %[begin]\n"
#define CHANNEL_LOOP(NAME, TAPS, AGAIN, BOUND)                                                     \
    static __attribute__((noinline)) void NAME(const channel_run *r) {                             \
        const int32_t *w = r->w - FOUR, *list = r->list, *const begin = list, more = r->taps + 1;  \
        const int32_t *const last = list + r->taps;                                                \
        const int32_t zero = r->zero, step = r->step;                                              \
        const element *at = r->at, *end = r->end;                                                  \
        const stretch *next = r->next;                                                             \
        int32_t left = r->count;                                                                   \
        char *to = r->out;                                                                         \
        int32_t s0, s1, s2, s3;                                                                    \
        uint32_t e, o, x, f, a, b, count;                                                          \
        __asm__ volatile(                                                                          \
            "ldr %[f], [%[list]]\n"                                                                \
            "1:\n" TAPS FOUR_OUTPUTS(AGAIN, BOUND) "bne 1b\n" NEXT_STRETCH                         \
            : [s0] "=&r"(s0), [s1] "=&r"(s1), [s2] "=&r"(s2), [s3] "=&r"(s3), [e] "=&r"(e),        \
              [o] "=&r"(o), [x] "=&r"(x), [f] "=&r"(f), [a] "=&r"(a), [b] "=&r"(b),                \
              [count] "=&r"(count), [w] "+r"(w), [at] "+r"(at), [list] "+r"(list), [to] "+m"(to),  \
              [left] "+m"(left), [next] "+m"(next), [end] "+m"(end)                                \
            : [more] "m"(more), [begin] "m"(begin), [zero] "m"(zero), [step] "m"(step),            \
              [last] "m"(last)                                                                     \
            : "cc", "memory");                                                                     \
    }

CHANNEL_LOOP(run_nine, NINE_TAPS, "", LIMIT)
CHANNEL_LOOP(run_some, SOME_TAPS, LIST_AGAIN, LIMIT)
CHANNEL_LOOP(nine_elements, NINE_ELEMENTS, "", LIMIT)
CHANNEL_LOOP(some_elements, SOME_ELEMENTS, LIST_AGAIN, LIMIT)
#if BITS == 16
CHANNEL_LOOP(run_positive, SOME_TAPS, LIST_AGAIN, NOT_BELOW_ZERO)
CHANNEL_LOOP(positive_elements, SOME_ELEMENTS, LIST_AGAIN, NOT_BELOW_ZERO)
#endif

#endif

#endif
