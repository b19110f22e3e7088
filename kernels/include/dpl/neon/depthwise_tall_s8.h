/* What a type adds to depthwise_tall.h: weights, copies and outputs of int8. */
#ifndef DPL_NEON_DEPTHWISE_TALL_S8_H
#define DPL_NEON_DEPTHWISE_TALL_S8_H

#include "dpl/neon/depthwise_s8.h"

static inline int16x8_t wide_weights(const int8_t *piece, int32_t tap) {
    return vmovl_s8(vld1_s8(piece + tap * WIDTH));
}

/* Eight channels or more; the last eight overlap those before. */
static inline void widen_run(int16_t *to, const int8_t *from, int32_t count) {
    const int32_t last = count - WIDTH;
    int32_t i = 0;
    for (; i < last - WIDTH; i += 2 * WIDTH) {
        const int8x16_t both = vld1q_s8(from + i);
        vst1q_s16(to + i, vmovl_s8(vget_low_s8(both)));
        vst1q_s16(to + i + WIDTH, vmovl_s8(vget_high_s8(both)));
    }
    if (i < last) {
        vst1q_s16(to + i, vmovl_s8(vld1_s8(from + i)));
    }
    vst1q_s16(to + last, vmovl_s8(vld1_s8(from + last)));
}

static inline void widen_few(int16_t *to, const int8_t *from, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        to[i] = from[i];
    }
}

static inline void copy_wide(strided_run at, int32_t channels, int32_t count) {
    if (at.from_step == channels && at.to_step == channels * (int32_t)sizeof(int16_t)) {
        channels *= count;
        count = 1;
    }
    if (channels >= WIDTH) {
        COPY_EACH(widen_run((int16_t *)(void *)at.to, at.from, channels))
    } else {
        COPY_EACH(widen_few((int16_t *)(void *)at.to, at.from, channels))
    }
}

#ifdef __aarch64__
#define is_tall_usual(Q, TABLES) ((Q)->rule == DPL_Q32)
typedef usual_outputs tall_limits;
#define tall_limits_of usual_of
#define TALL_LIMITS(BY)                                                                            \
    [lowest] "w"((BY).lowest), [highest] "w"((BY).highest), [zero] "w"((BY).zero)

/* Ten taps of eight, then the tables of the first and the last four. */
#define TALL_WEIGHTS                                                                               \
    "ldp d6, d7, [%[w]]\n ldp d8, d9, [%[w], #16]\n ldp d10, d11, [%[w], #32]\n"                   \
    "ldp d12, d13, [%[w], #48]\n ldr d14, [%[w], #64]\n ldr q27, [%[w], #80]\n"                    \
    "ldr q15, [%[w], #96]\n ldr q28, [%[w], #144]\n ldr q24, [%[w], #160]\n"                       \
    "sxtl v6.8h, v6.8b\n sxtl v7.8h, v7.8b\n sxtl v8.8h, v8.8b\n sxtl v9.8h, v9.8b\n"              \
    "sxtl v10.8h, v10.8b\n sxtl v11.8h, v11.8b\n sxtl v12.8h, v12.8b\n"                            \
    "sxtl v13.8h, v13.8b\n sxtl v14.8h, v14.8b\n"

#define TALL_STORED                                                                                \
    "sqadd v30.8h, v30.8h, %[zero].8h\n sqadd v31.8h, v31.8h, %[zero].8h\n"                        \
    "sqadd v18.8h, v18.8h, %[zero].8h\n sqadd v19.8h, v19.8h, %[zero].8h\n"                        \
    "sqxtn v30.8b, v30.8h\n sqxtn v31.8b, v31.8h\n"                                                \
    "mov v21.16b, v28.16b\n"                                                                       \
    "sqxtn v18.8b, v18.8h\n sqxtn v19.8b, v19.8h\n"                                                \
    "mov v22.16b, v28.16b\n"                                                                       \
    "smax v30.8b, v30.8b, %[lowest].8b\n smax v31.8b, v31.8b, %[lowest].8b\n"                      \
    "mov v23.16b, v28.16b\n"                                                                       \
    "smax v18.8b, v18.8b, %[lowest].8b\n smax v19.8b, v19.8b, %[lowest].8b\n"                      \
    "smin v30.8b, v30.8b, %[highest].8b\n smin v31.8b, v31.8b, %[highest].8b\n"                    \
    "smin v18.8b, v18.8b, %[highest].8b\n smin v19.8b, v19.8b, %[highest].8b\n"                    \
    "str d30, [%[to0], %[at]]\n str d31, [%[to1], %[at]]\n"                                        \
    "str d18, [%[to2], %[at]]\n str d19, [%[to3], %[at]]\n"
#endif

#endif
