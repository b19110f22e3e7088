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

/* The pixel, channels from `at` to `end`, and where their first output goes. */
typedef struct {
    const int32_t *w;
    const int32_t *list; /* of bytes from `at` to the pixel's taps, the last of them twice more */
    const element *at, *end;
    char *out;
    int32_t taps, zero, step; /* `step`: bytes from an output to the next */
} channel_run;

typedef void (*channel_loop)(const channel_run *r);

#if defined(__ARM_FEATURE_DSP)

#if BITS == 8
#include "dpl/cortex_m/channel_taps_s8.h"
#else
#include "dpl/cortex_m/channel_taps_s16.h"
#endif

#define CHANNEL_LOOP(NAME, TAPS, BOUND)                                                            \
    static __attribute__((noinline)) void NAME(const channel_run *r) {                             \
        const int32_t *w = r->w, *list = r->list, *const begin = list, more = r->taps + 1;         \
        const int32_t zero = r->zero, step = r->step;                                              \
        const element *at = r->at, *const end = r->end;                                            \
        char *to = r->out;                                                                         \
        int32_t s0, s1, s2, s3;                                                                    \
        uint32_t e, o, x, f, a, b, count;                                                          \
        __asm__ volatile(                                                                          \
            "ldr %[f], [%[list]]\n"                                                                \
            "1:\n" TAPS FOUR_OUTPUTS(BOUND) "bne 1b\n"                                             \
            : [s0] "=&r"(s0), [s1] "=&r"(s1), [s2] "=&r"(s2), [s3] "=&r"(s3), [e] "=&r"(e),        \
              [o] "=&r"(o), [x] "=&r"(x), [f] "=&r"(f), [a] "=&r"(a), [b] "=&r"(b),                \
              [count] "=&r"(count), [w] "+r"(w), [at] "+r"(at), [list] "+r"(list), [to] "+m"(to)   \
            : [more] "m"(more), [begin] "m"(begin), [zero] "m"(zero), [end] "m"(end),              \
              [step] "m"(step)                                                                     \
            : "cc", "memory");                                                                     \
    }

CHANNEL_LOOP(run_nine, NINE_TAPS, LIMIT)
CHANNEL_LOOP(run_some, SOME_TAPS, LIMIT)
#if BITS == 16
CHANNEL_LOOP(run_positive, SOME_TAPS, NOT_BELOW_ZERO)
#endif

#endif

#endif
