/* Depthwise sums of four channels of a pixel after another, along the channels, and their outputs.
 * The body of a kernel of int8 or int16; its file names `element`, its BITS and its STORE.
 *
 * A list states how far each tap of the pixel lies from the pixel's first channel; taps beyond the
 * input are in a pixel of zero points. A product takes one channel, so that nothing is packed and
 * strides, dilations and planes may be any. Weights of four channels, as the layouts "c4_taps" and
 * "c4_taps_ordered" have them: four biases, two words for each tap, four multipliers.
 *
 * Two taps an iteration: 11 cycles for int8, whose halfwords (0 and 2, 1 and 3) are extended beside
 * products, 10 for int16. An odd number of taps begins with the second half. Nine, the most common
 * number, lie in a row. */
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

#define BIASES                                                                                     \
    "ldr %[f], [%[list], #4]!\n ldr %[s0], [%[w]]\n ldr %[s1], [%[w], #4]\n"                       \
    "ldr %[s2], [%[w], #8]\n ldr %[s3], [%[w], #12]\n"
#define COUNT "subs %[count], %[count], #1\n"

/* Before a tap its elements are in e and o, its first word of weights in a; of the next tap int8
 * has the elements in x, int16 f. */
#if BITS == 8
#define ELEMENTS "4"
#define FIRST_TAP                                                                                  \
    "ldr %[x], [%[at], %[f]]\n" BIASES "ldr %[a], [%[w], #16]\n add %[w], %[w], #24\n"             \
    "sxtb16 %[e], %[x]\n sxtb16 %[o], %[x], ror #8\n ldr %[x], [%[at], %[f]]\n"
#define ONE_TAP                                                                                    \
    "smlabb %[s0], %[e], %[a], %[s0]\n ldr %[b], [%[w], #-4]\n"                                    \
    "smlatt %[s2], %[e], %[a], %[s2]\n ldr %[f], [%[list], #4]!\n"                                 \
    "sxtb16 %[e], %[x]\n smlabb %[s1], %[o], %[b], %[s1]\n"                                        \
    "smlatt %[s3], %[o], %[b], %[s3]\n ldr %[a], [%[w]], #8\n"                                     \
    "sxtb16 %[o], %[x], ror #8\n ldr %[x], [%[at], %[f]]\n"
#define LAST_TAP LAST_OF("s0", "s2", "s1", "s3")
#define LIMIT(S) "ssat %[" S "], #8, %[" S "]\n"
#else
#define ELEMENTS "8"
#define FIRST_TAP                                                                                  \
    "add %[x], %[at], #4\n ldr %[e], [%[at], %[f]]\n ldr %[o], [%[x], %[f]]\n" BIASES              \
    "ldr %[a], [%[w], #16]\n add %[w], %[w], #24\n"
#define ONE_TAP                                                                                    \
    "smlabb %[s0], %[e], %[a], %[s0]\n ldr %[b], [%[w], #-4]\n"                                    \
    "smlatt %[s1], %[e], %[a], %[s1]\n ldr %[e], [%[at], %[f]]\n"                                  \
    "smlabb %[s2], %[o], %[b], %[s2]\n ldr %[a], [%[w]], #8\n"                                     \
    "smlatt %[s3], %[o], %[b], %[s3]\n ldr %[o], [%[x], %[f]]\n"                                   \
    "ldr %[f], [%[list], #4]!\n"
#define LAST_TAP LAST_OF("s0", "s1", "s2", "s3")
#define LIMIT(S) "ssat %[" S "], #16, %[" S "]\n"
#endif
#define NOT_BELOW_ZERO(S) "usat %[" S "], #15, %[" S "]\n"

/* Behind the taps: the first two multipliers are in a and x, the zero point in e. */
#define LAST_OF(S0, S1, S2, S3)                                                                    \
    "smlabb %[" S0 "], %[e], %[a], %[" S0 "]\n ldr %[b], [%[w], #-4]\n"                            \
    "smlatt %[" S1 "], %[e], %[a], %[" S1 "]\n ldr %[x], [%[w], #4]\n"                             \
    "smlabb %[" S2 "], %[o], %[b], %[" S2 "]\n ldr %[a], [%[w]]\n"                                 \
    "smlatt %[" S3 "], %[o], %[b], %[" S3 "]\n ldr %[e], %[zero]\n"

#define FOUR_TAPS ONE_TAP ONE_TAP ONE_TAP ONE_TAP
#define NINE_TAPS FIRST_TAP FOUR_TAPS FOUR_TAPS LAST_TAP
#define SOME_TAPS                                                                                  \
    "ldr %[count], %[more]\n" FIRST_TAP "lsrs %[count], %[count], #1\n bcc 3f\n"                   \
    "2:\n" ONE_TAP "3:\n" ONE_TAP COUNT "bne 2b\n"                                                 \
    "ldr %[a], [%[w], #-8]!\n ldr %[x], [%[w], #4]\n ldr %[e], %[zero]\n"

/* Four sums to outputs; the list begins anew. */
#define FOUR_OUTPUTS(BOUND)                                                                        \
    "ldr %[b], [%[w], #8]\n ldr %[o], [%[w], #12]\n ldr %[f], %[back]\n"                           \
    "smmlar %[s0], %[s0], %[a], %[e]\n ldr %[count], %[to]\n"                                      \
    "smmlar %[s1], %[s1], %[x], %[e]\n ldr %[a], %[step]\n"                                        \
    "smmlar %[s2], %[s2], %[b], %[e]\n sub %[list], %[list], %[f]\n" BOUND(                        \
        "s0") "smmlar %[s3], %[s3], %[o], %[e]\n" BOUND("s1") "ldr %[f], [%[list]]\n" BOUND("s2")  \
        STORE " %[s0], [%[count]]\n" BOUND("s3") STORE                                             \
        " %[s1], [%[count], %[a]]\n"                                                               \
        "add %[x], %[count], %[a], lsl #1\n add %[at], %[at], #" ELEMENTS "\n"                     \
        "ldr %[e], %[end]\n add %[count], %[x], %[a], lsl #1\n" STORE                              \
        " %[s2], [%[x]]\n add %[w], %[w], #16\n" STORE " %[s3], [%[x], %[a]]\n"                    \
        "cmp %[at], %[e]\n str %[count], %[to]\n"

#define CHANNEL_LOOP(NAME, TAPS, WALKED, BOUND)                                                    \
    static __attribute__((noinline)) void NAME(const channel_run *r) {                             \
        const int32_t *w = r->w, *list = r->list, more = r->taps + 1, back = 4 * (WALKED);         \
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
            :                                                                                      \
            [more] "m"(more), [back] "m"(back), [zero] "m"(zero), [end] "m"(end), [step] "m"(step) \
            : "cc", "memory");                                                                     \
    }

CHANNEL_LOOP(run_nine, NINE_TAPS, NINE, LIMIT)
CHANNEL_LOOP(run_some, SOME_TAPS, more, LIMIT)
#if BITS == 16
CHANNEL_LOOP(run_positive, SOME_TAPS, more, NOT_BELOW_ZERO)
#endif

#endif

#endif
