/* Elements of int16 from four channels of a pixel, and to up to four channels of eight pixels. */
#ifndef DPL_NEON_PLANE_ELEMENTS_S16_H
#define DPL_NEON_PLANE_ELEMENTS_S16_H

#include "dpl/neon/of_eight.h"
#include "dpl/neon/plane_bounds.h"
#include "dpl/neon/simd.h"

#define ELEMENT_BYTES 2
#define PLANE_LANES 8

static inline int16x4_t four_channels(const int8_t *from) {
    return vld1_s16((const int16_t *)(const void *)from);
}

static inline int16x8_t eight_cells(const int8_t *from) {
    return vld1q_s16((const int16_t *)(const void *)from);
}

static inline int16_t one_value(const int8_t *from) {
    return *(const int16_t *)(const void *)from;
}

/* Channel C of the pixels from LANE to lane, four or two at a time, or one. */
#define STORE_1(P, V, LANE) vst1q_lane_s16((int16_t *)(void *)(P), V, LANE)
#define STORE_2(P, V, LANE) vst1q_lane_s32((int32_t *)(void *)(P), vreinterpretq_s32_s16(V), LANE)
#ifdef __aarch64__
#ifdef __aarch64__
#define STORE_4(P, V, LANE) vst1q_lane_s64((int64_t *)(void *)(P), vreinterpretq_s64_s16(V), LANE)
#else /* in 32 bits a lane of 64 is stored as one that is aligned */
#define STORE_4(P, V, LANE)                                                                        \
    vst1_s16((int16_t *)(void *)(P), (LANE) == 0 ? vget_low_s16(V) : vget_high_s16(V))
#endif
#else /* where a store of 64-bit lanes takes multiples of eight bytes alone */
#define STORE_4(P, V, LANE)                                                                        \
    vst1_s16((int16_t *)(void *)(P), (LANE) == 0 ? vget_low_s16(V) : vget_high_s16(V))
#endif

INLINED int16x8_t limited(int16x8_t outputs, plane_bounds within) {
    return vminq_s16(vmaxq_s16(outputs, vdupq_n_s16(within.low)), vdupq_n_s16(within.high));
}

/* Limits of the type itself are those of the narrowing to it. */
INLINED void limit_all(int16x8_t *outputs, int count, plane_bounds within) {
    if (within.high - within.low < UINT16_MAX) {
        UNROLLED for (int i = 0; i < count; i++) {
            outputs[i] = limited(outputs[i], within);
        }
    }
}

/* What stores take is limited already. */
INLINED void store_one(const int16x8_t *o, plane_bounds within, int8_t *const *to) {
    const int16x8_t all = o[0];
    (void)within;
    OF_EIGHT(STORE_1_OF, all, to, 0)
}

INLINED void store_two(const int16x8_t *o, plane_bounds within, int8_t *const *to) {
    const int16x8x2_t both = vzipq_s16(o[0], o[1]);
    (void)within;
    STORE_2(to[7], both.val[1], 3);
    STORE_2(to[6], both.val[1], 2);
    STORE_2(to[5], both.val[1], 1);
    STORE_2(to[4], both.val[1], 0);
    STORE_2(to[3], both.val[0], 3);
    STORE_2(to[2], both.val[0], 2);
    STORE_2(to[1], both.val[0], 1);
    STORE_2(to[0], both.val[0], 0);
}

/* Sixteen pixels, eight of them behind the others, as are their outputs. */
INLINED void store_one_wide(const int16x8_t *o, plane_bounds within, int8_t *const *to,
                            int8_t *const *behind) {
    store_one(o + 1, within, behind);
    store_one(o, within, to);
}

INLINED void store_two_wide(const int16x8_t *o, plane_bounds within, int8_t *const *to,
                            int8_t *const *behind) {
    store_two(o + 2, within, behind);
    store_two(o, within, to);
}

/* Two pixels of three channels or four. */
INLINED void store_pair(int16x8_t two, int channels, int8_t *first, int8_t *last) {
    if (channels == 4) {
        STORE_4(last, two, 1);
        STORE_4(first, two, 0);
        return;
    }
    STORE_2(last, two, 2);
    STORE_1(last + 4, two, 6);
    STORE_2(first, two, 0);
    STORE_1(first + 4, two, 2);
}

INLINED void store_four(const int16x8_t *o, plane_bounds within, int channels, int8_t *const *to) {
    (void)within;
    const int16x8x2_t even = vzipq_s16(o[0], o[2]);
    const int16x8x2_t odd = vzipq_s16(o[1], o[channels > 3 ? 3 : 1]);
    const int16x8x2_t low = vzipq_s16(even.val[0], odd.val[0]);
    const int16x8x2_t high = vzipq_s16(even.val[1], odd.val[1]);
    store_pair(high.val[1], channels, to[6], to[7]);
    store_pair(high.val[0], channels, to[4], to[5]);
    store_pair(low.val[1], channels, to[2], to[3]);
    store_pair(low.val[0], channels, to[0], to[1]);
}

#endif
