/* Depthwise sums of four channels of a pixel after another, along the channels, and their outputs.
 * The body of a kernel of int8 or int16; its file names `element`, its BITS and its STORE.
 *
 * A list states how far each tap of the pixel lies from the pixel's first channel; taps beyond the
 * input are in a pixel of zero points. A product takes one channel, so that nothing is packed and
 * strides, dilations and planes may be any. Weights of four channels, as the layouts "c4_taps" and
 * "c4_taps_ordered" have them: four biases, two words for each tap, four multipliers.
 *
 * Two taps an iteration: 11 cycles for int8, whose halfwords (0 and 2, 1 and 3) are extended beside
 * products, 10 for int16. Nine, the most common number, lie in a row. Where SHARES, the four are
 * outputs of one or two channels (dpl/cortex_m/channel_taps_several.h). */
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
    int32_t ahead;            /* bytes from four outputs to the next four */
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

#define ELEMENT_OF(X, I) LOAD "%[" X "], [%[at], #" I "]\n"
#if SHARES
#include "dpl/cortex_m/channel_taps_several.h"
#else
#include "dpl/cortex_m/channel_taps_elements.h"
#endif

/* Behind a stretch `count` is where the next output would go. */
#define NEXT_STRETCH                                                                               \
    "ldr %[x], %[left]\n ldr %[o], %[next]\n subs %[x], %[x], #1\n beq 9f\n"                       \
    "ldr %[a], [%[o]]\n str %[x], %[left]\n ldr %[b], [%[o], #4]\n ldr %[e], [%[o], #8]\n"         \
    "add %[at], %[at], %[a]\n ldr %[x], [%[o], #12]\n add %[count], %[count], %[b]\n"              \
    "ldr %[o], [%[o], #16]\n add %[w], %[w], %[e]\n str %[count], %[to]\n"                         \
    "add %[x], %[at], %[x]\n str %[o], %[next]\n str %[x], %[end]\n b 1b\n"                        \
    "9:\n"

/* What one kind of loop needs: how far the next four lie, or where the list of taps ends. */
#if SHARES
#define OTHER r->ahead
#define OUTPUTS FOUR_OUTPUTS_SHARED
#else
#define OTHER (int32_t)(list + r->taps)
#define OUTPUTS FOUR_OUTPUTS
#endif
#define LIST_AGAIN "ldr %[list], %[begin]\n"
#define CHANNEL_LOOP(NAME, TAPS, LANES, AGAIN, BOUND)                                              \
    static __attribute__((noinline)) void NAME(const channel_run *r) {                             \
        const int32_t *w = r->w - FOUR, *list = r->list, *const begin = list, more = r->taps + 1;  \
        const int32_t other = OTHER;                                                               \
        const int32_t zero = r->zero, step = r->step;                                              \
        const element *at = r->at, *end = r->end;                                                  \
        const stretch *next = r->next;                                                             \
        int32_t left = r->count;                                                                   \
        char *to = r->out;                                                                         \
        int32_t s0, s1, s2, s3;                                                                    \
        uint32_t e, o, x, f, a, b, count;                                                          \
        __asm__ volatile(                                                                          \
            "ldr %[f], [%[list]]\n"                                                                \
            "1:\n" TAPS OUTPUTS(LANES, AGAIN, BOUND) "bne 1b\n" NEXT_STRETCH                       \
            : [s0] "=&r"(s0), [s1] "=&r"(s1), [s2] "=&r"(s2), [s3] "=&r"(s3), [e] "=&r"(e),        \
              [o] "=&r"(o), [x] "=&r"(x), [f] "=&r"(f), [a] "=&r"(a), [b] "=&r"(b),                \
              [count] "=&r"(count), [w] "+r"(w), [at] "+r"(at), [list] "+r"(list), [to] "+m"(to),  \
              [left] "+m"(left), [next] "+m"(next), [end] "+m"(end)                                \
            : [more] "m"(more), [begin] "m"(begin), [zero] "m"(zero), [step] "m"(step),            \
              [other] "m"(other)                                                                   \
            : "cc", "memory");                                                                     \
    }

#if SHARES
CHANNEL_LOOP(nine_of_two, NINE_OF_TWO, 2, "", LIMIT)
CHANNEL_LOOP(some_of_two, SOME_OF_TWO, 2, LIST_AGAIN, LIMIT)
CHANNEL_LOOP(nine_of_one, NINE_OF_ONE, 1, "", LIMIT)
CHANNEL_LOOP(some_of_one, SOME_OF_ONE, 1, LIST_AGAIN, LIMIT)
#if BITS == 16
CHANNEL_LOOP(nine_of_word, NINE_OF_WORD, 2, "", LIMIT)
CHANNEL_LOOP(nine_positive_of_word, NINE_OF_WORD, 2, "", NOT_BELOW_ZERO)
CHANNEL_LOOP(nine_positive_of_two, NINE_OF_TWO, 2, "", NOT_BELOW_ZERO)
CHANNEL_LOOP(nine_positive_of_one, NINE_OF_ONE, 1, "", NOT_BELOW_ZERO)
CHANNEL_LOOP(two_positive, SOME_OF_TWO, 2, LIST_AGAIN, NOT_BELOW_ZERO)
CHANNEL_LOOP(one_positive, SOME_OF_ONE, 1, LIST_AGAIN, NOT_BELOW_ZERO)
#endif
#else
CHANNEL_LOOP(run_nine, NINE_TAPS, 4, "", LIMIT)
CHANNEL_LOOP(run_some, SOME_TAPS, 4, LIST_AGAIN, LIMIT)
CHANNEL_LOOP(nine_elements, NINE_ELEMENTS, 4, "", LIMIT)
CHANNEL_LOOP(some_elements, SOME_ELEMENTS, 4, LIST_AGAIN, LIMIT)
#if BITS == 16
CHANNEL_LOOP(nine_positive, NINE_TAPS, 4, "", NOT_BELOW_ZERO)
CHANNEL_LOOP(nine_positive_elements, NINE_ELEMENTS, 4, "", NOT_BELOW_ZERO)
CHANNEL_LOOP(run_positive, SOME_TAPS, 4, LIST_AGAIN, NOT_BELOW_ZERO)
CHANNEL_LOOP(positive_elements, SOME_ELEMENTS, 4, LIST_AGAIN, NOT_BELOW_ZERO)
#endif
#endif

#endif

#endif
