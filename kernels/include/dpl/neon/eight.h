/* Eight elements of either type, widened to int16. */
#ifndef DPL_NEON_EIGHT_H
#define DPL_NEON_EIGHT_H

#include "dpl/neon/simd.h"

enum { EIGHT = 8 };

static inline int16x8_t load_eight_s8(const int8_t *p) {
    return vmovl_s8(vld1_s8(p));
}
static inline int16x8_t load_eight_s16(const int16_t *p) {
    return vld1q_s16(p);
}
static inline void store_eight_s8(int8_t *p, int16x8_t x) {
    vst1_s8(p, vqmovn_s16(x));
}
static inline void store_eight_s16(int16_t *p, int16x8_t x) {
    vst1q_s16(p, x);
}

/* The first `count` < 8 of eight; others are zero. */
static inline int16x8_t load_few_s8(const int8_t *p, int32_t count) {
    int8x8_t x = vdup_n_s8(0);
    switch (count) {
    case 7: x = vld1_lane_s8(p + 6, x, 6); /* fall through */
    case 6: x = vld1_lane_s8(p + 5, x, 5); /* fall through */
    case 5: x = vld1_lane_s8(p + 4, x, 4); /* fall through */
    case 4: x = vld1_lane_s8(p + 3, x, 3); /* fall through */
    case 3: x = vld1_lane_s8(p + 2, x, 2); /* fall through */
    case 2: x = vld1_lane_s8(p + 1, x, 1); /* fall through */
    case 1: x = vld1_lane_s8(p, x, 0);     /* fall through */
    default: break;
    }
    return vmovl_s8(x);
}

static inline int16x8_t load_few_s16(const int16_t *p, int32_t count) {
    int16x8_t x = vdupq_n_s16(0);
    switch (count) {
    case 7: x = vld1q_lane_s16(p + 6, x, 6); /* fall through */
    case 6: x = vld1q_lane_s16(p + 5, x, 5); /* fall through */
    case 5: x = vld1q_lane_s16(p + 4, x, 4); /* fall through */
    case 4: x = vld1q_lane_s16(p + 3, x, 3); /* fall through */
    case 3: x = vld1q_lane_s16(p + 2, x, 2); /* fall through */
    case 2: x = vld1q_lane_s16(p + 1, x, 1); /* fall through */
    case 1: x = vld1q_lane_s16(p, x, 0);     /* fall through */
    default: break;
    }
    return x;
}

static inline void store_few_s8(int8_t *p, int16x8_t wide, int32_t count) {
    const int8x8_t x = vqmovn_s16(wide);
    switch (count) {
    case 7: vst1_lane_s8(p + 6, x, 6); /* fall through */
    case 6: vst1_lane_s8(p + 5, x, 5); /* fall through */
    case 5: vst1_lane_s8(p + 4, x, 4); /* fall through */
    case 4: vst1_lane_s8(p + 3, x, 3); /* fall through */
    case 3: vst1_lane_s8(p + 2, x, 2); /* fall through */
    case 2: vst1_lane_s8(p + 1, x, 1); /* fall through */
    case 1: vst1_lane_s8(p, x, 0);     /* fall through */
    default: break;
    }
}

static inline void store_few_s16(int16_t *p, int16x8_t x, int32_t count) {
    switch (count) {
    case 7: vst1q_lane_s16(p + 6, x, 6); /* fall through */
    case 6: vst1q_lane_s16(p + 5, x, 5); /* fall through */
    case 5: vst1q_lane_s16(p + 4, x, 4); /* fall through */
    case 4: vst1q_lane_s16(p + 3, x, 3); /* fall through */
    case 3: vst1q_lane_s16(p + 2, x, 2); /* fall through */
    case 2: vst1q_lane_s16(p + 1, x, 1); /* fall through */
    case 1: vst1q_lane_s16(p, x, 0);     /* fall through */
    default: break;
    }
}

#define OF_TYPE(NAME, P)                                                                           \
    _Generic((P),                                                                                  \
        int8_t *: NAME##_s8,                                                                       \
        const int8_t *: NAME##_s8,                                                                 \
        int16_t *: NAME##_s16,                                                                     \
        const int16_t *: NAME##_s16)
#define load_eight(P) OF_TYPE(load_eight, P)(P)
#define store_eight(P, X) OF_TYPE(store_eight, P)(P, X)
#define load_few(P, COUNT) OF_TYPE(load_few, P)(P, COUNT)
#define store_few(P, X, COUNT) OF_TYPE(store_few, P)(P, X, COUNT)

typedef struct {
    int16x8_t low, high;
} limits;

static inline limits limits_of(int32_t low, int32_t high) {
    const limits l = {vdupq_n_s16((int16_t)low), vdupq_n_s16((int16_t)high)};
    return l;
}

/* Eight outputs within their limits. */
static inline int16x8_t narrowed(int32x4_t first, int32x4_t last, const limits *within) {
    const int16x8_t x = vqmovn_high_s32(vqmovn_s32(first), last);
    return vminq_s16(vmaxq_s16(x, within->low), within->high);
}

#endif
