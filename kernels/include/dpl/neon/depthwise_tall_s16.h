/* What a type adds to depthwise_tall.h: weights, copies and outputs of int16. */
#ifndef DPL_NEON_DEPTHWISE_TALL_S16_H
#define DPL_NEON_DEPTHWISE_TALL_S16_H

#include "dpl/neon/depthwise_s16.h"

/* behind the type of an element */
#include "dpl/neon/depthwise_rows.h"

static inline int16x8_t wide_weights(const int8_t *piece, int32_t tap) {
    return vld1q_s16((const int16_t *)(const void *)piece + tap * WIDTH);
}

static inline void copy_wide(strided_run at, int32_t channels, int32_t count) {
    copy_pixels(at, channels, count);
}

#ifdef __aarch64__
#define is_tall_usual(Q, TABLES) ((Q)->rule == DPL_Q32 && (TABLES)->rounding[0] == 0)
typedef usual_outputs tall_limits;
#define tall_limits_of usual_of
#define TALL_LIMITS(BY) [lowest] "w"((BY).lowest), [highest] "w"((BY).highest)

/* Nine taps of eight, then the tables of the first and the last four. */
#define TALL_WEIGHTS                                                                               \
    "ldr q6, [%[w]]\n ldr q7, [%[w], #16]\n ldr q8, [%[w], #32]\n ldr q9, [%[w], #48]\n"           \
    "ldr q10, [%[w], #64]\n ldr q11, [%[w], #80]\n ldr q12, [%[w], #96]\n"                         \
    "ldr q13, [%[w], #112]\n ldr q14, [%[w], #128]\n ldr q27, [%[w], #144]\n"                      \
    "ldr q15, [%[w], #160]\n ldr q28, [%[w], #208]\n ldr q24, [%[w], #224]\n"

#define TALL_STORED                                                                                \
    "smax v30.8h, v30.8h, %[lowest].8h\n smax v31.8h, v31.8h, %[lowest].8h\n"                      \
    "smax v18.8h, v18.8h, %[lowest].8h\n smax v19.8h, v19.8h, %[lowest].8h\n"                      \
    "smin v30.8h, v30.8h, %[highest].8h\n smin v31.8h, v31.8h, %[highest].8h\n"                    \
    "smin v18.8h, v18.8h, %[highest].8h\n smin v19.8h, v19.8h, %[highest].8h\n"                    \
    "str q30, [%[to0], %[at]]\n str q31, [%[to1], %[at]]\n"                                        \
    "mov v21.16b, v28.16b\n str q18, [%[to2], %[at]]\n"                                            \
    "mov v22.16b, v28.16b\n str q19, [%[to3], %[at]]\n"                                            \
    "mov v23.16b, v28.16b\n"
#endif

#endif
