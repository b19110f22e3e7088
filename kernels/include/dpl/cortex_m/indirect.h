/* Depthwise sums of nine taps of four channels of one pixel after another, along the channels.
 *
 * A list states how far each tap of the pixel lies from the pixel's first channel; taps beyond the
 * input are in a pixel of zero points. Nothing is packed, so that a plane may be small, and strides
 * and dilations may be any. Of four channels a word holds 0 and 2 as halfwords and another 1 and 3
 * (sxtb16); the weights lie the same way, and a product takes one channel:
 *
 *     a tap: two extensions, four products and four loads, 5 cycles, by the pipeline model of the
 *     Cortex-M7, since an extension issues beside a product as the older one.
 *
 * Weights of four channels, as the layout "c4_taps" has them: four biases; for each tap the
 * halfwords (w0, w2) and (w1, w3); four multipliers. */
#ifndef DPL_CORTEX_M_INDIRECT_H
#define DPL_CORTEX_M_INDIRECT_H

#include "dpl/cortex_m/four.h"

enum { FOUR = 4, NINE = 9 };

/* The pixel, channels c to `end`: c4_taps from c on, and where taps and outputs of c are. */
typedef struct {
    const int32_t *w;
    const int8_t *at, *end;
    int8_t *out;
    int32_t zero;
} pixel_run;

#if defined(__ARM_FEATURE_DSP)

#define FIRST_TAP                                                                                  \
    "ldr %[x], [%[at], %[f]]\n ldr %[f], [%[list], #4]\n"                                          \
    "ldr %[s0], [%[w]]\n ldr %[s1], [%[w], #4]\n"                                                  \
    "ldr %[s2], [%[w], #8]\n ldr %[s3], [%[w], #12]\n"                                             \
    "sxtb16 %[e], %[x]\n ldr %[a], [%[w], #16]\n"                                                  \
    "sxtb16 %[o], %[x], ror #8\n ldr %[x], [%[at], %[f]]\n"

/* Tap N, whose halfwords are in e, o and a; those of the next come there. */
#define TAP_OF_NINE(B, A_NEXT, F_NEXT)                                                             \
    "smlabb %[s0], %[e], %[a], %[s0]\n ldr %[b], [%[w], #" B "]\n"                                 \
    "smlatt %[s2], %[e], %[a], %[s2]\n ldr %[f], [%[list], #" F_NEXT "]\n"                         \
    "sxtb16 %[e], %[x]\n smlabb %[s1], %[o], %[b], %[s1]\n"                                        \
    "smlatt %[s3], %[o], %[b], %[s3]\n ldr %[a], [%[w], #" A_NEXT "]\n"                            \
    "sxtb16 %[o], %[x], ror #8\n ldr %[x], [%[at], %[f]]\n"

/* The last tap and four sums to outputs. A limit takes its operand three cycles after the product,
 * a store takes the limit's two cycles later. */
#define LAST_TAP                                                                                   \
    "smlabb %[s0], %[e], %[a], %[s0]\n ldr %[b], [%[w], #84]\n"                                    \
    "smlatt %[s2], %[e], %[a], %[s2]\n ldr %[e], %[zero]\n"                                        \
    "smlabb %[s1], %[o], %[b], %[s1]\n ldr %[a], [%[w], #88]\n"                                    \
    "smlatt %[s3], %[o], %[b], %[s3]\n ldr %[x], [%[w], #92]\n"                                    \
    "smmlar %[s0], %[s0], %[a], %[e]\n ldr %[b], [%[w], #96]\n"                                    \
    "smmlar %[s1], %[s1], %[x], %[e]\n ldr %[o], [%[w], #100]\n"                                   \
    "smmlar %[s2], %[s2], %[b], %[e]\n ldr %[f], [%[list]]\n"                                      \
    "ssat %[s0], #8, %[s0]\n smmlar %[s3], %[s3], %[o], %[e]\n"                                    \
    "ssat %[s1], #8, %[s1]\n ldr %[e], %[end]\n"                                                   \
    "ssat %[s2], #8, %[s2]\n strb %[s0], [%[out]], #4\n"                                           \
    "add %[at], %[at], #4\n strb %[s1], [%[out], #-3]\n"                                           \
    "ssat %[s3], #8, %[s3]\n strb %[s2], [%[out], #-2]\n"                                          \
    "cmp %[at], %[e]\n add %[w], %[w], #104\n"                                                     \
    "strb %[s3], [%[out], #-1]\n"

#define PIXEL_WALK                                                                                 \
    [s0] "=&r"(s0), [s1] "=&r"(s1), [s2] "=&r"(s2), [s3] "=&r"(s3), [e] "=&r"(e), [o] "=&r"(o),    \
        [x] "=&r"(x), [f] "=&r"(f), [a] "=&r"(a), [b] "=&r"(b), [w] "+r"(w), [at] "+r"(at),        \
        [out] "+r"(out)

/* All taps in a row. */
static __attribute__((noinline)) void run_nine(const pixel_run *r, const int32_t *list) {
    const int32_t *w = r->w, zero = r->zero;
    const int8_t *at = r->at, *const end = r->end;
    int8_t *out = r->out;
    int32_t s0, s1, s2, s3;
    uint32_t e, o, x, f, a, b;
    __asm__ volatile("ldr %[f], [%[list]]\n"
                     "1:\n" FIRST_TAP TAP_OF_NINE("20", "24", "8") TAP_OF_NINE("28", "32", "12")
                         TAP_OF_NINE("36", "40", "16") TAP_OF_NINE("44", "48", "20")
                             TAP_OF_NINE("52", "56", "24") TAP_OF_NINE("60", "64", "28")
                                 TAP_OF_NINE("68", "72", "32") TAP_OF_NINE("76", "80", "32")
                                     LAST_TAP "bne 1b\n"
                     : PIXEL_WALK
                     : [list] "r"(list), [zero] "m"(zero), [end] "m"(end)
                     : "cc", "memory");
}

#endif

#endif
