/* Vector instructions in plain C, by the names of arm_neon.h. */
#ifndef DPL_NEON_PLAIN_H
#define DPL_NEON_PLAIN_H

#include <stdint.h>

typedef int8_t int8x8_t __attribute__((vector_size(8)));
typedef int8_t int8x16_t __attribute__((vector_size(16)));
typedef int16_t int16x4_t __attribute__((vector_size(8)));
typedef int16_t int16x8_t __attribute__((vector_size(16)));
typedef int32_t int32x2_t __attribute__((vector_size(8)));
typedef int32_t int32x4_t __attribute__((vector_size(16)));
typedef int64_t int64x2_t __attribute__((vector_size(16)));
typedef uint8_t uint8x8_t __attribute__((vector_size(8)));
typedef uint8_t uint8x16_t __attribute__((vector_size(16)));

/* Lane i of the result is VALUE. */
#define LANES(TYPE, COUNT, VALUE)                                                                  \
    TYPE result = {0};                                                                             \
    for (int i = 0; i < (COUNT); i++) {                                                            \
        result[i] = (VALUE);                                                                       \
    }                                                                                              \
    return result

static inline int64_t plain_limit(int64_t x, int64_t low, int64_t high) {
    return x < low ? low : x > high ? high : x;
}

/* Additions and products wrap, as the instructions do. */
static inline int32_t plain_sum(int32_t a, int32_t b) {
    return (int32_t)((uint32_t)a + (uint32_t)b);
}

/* x / 2^-by, rounded half up; by is at most 0 here. */
static inline int64_t plain_rounded(int64_t x, int64_t by) {
    return by < 0 ? ((x >> (-by - 1)) + 1) >> 1 : x;
}

static inline int8x16_t vld1q_s8(const int8_t *p) {
    LANES(int8x16_t, 16, p[i]);
}
static inline int8x8_t vld1_s8(const int8_t *p) {
    LANES(int8x8_t, 8, p[i]);
}
static inline void vst1_s8(int8_t *p, int8x8_t a) {
    for (int i = 0; i < 8; i++) {
        p[i] = a[i];
    }
}
static inline void vst1q_s8(int8_t *p, int8x16_t a) {
    for (int i = 0; i < 16; i++) {
        p[i] = a[i];
    }
}
static inline int32x4_t vld1q_s32(const int32_t *p) {
    LANES(int32x4_t, 4, p[i]);
}
static inline int8x16_t vdupq_n_s8(int8_t x) {
    LANES(int8x16_t, 16, x);
}
static inline int32x4_t vdupq_n_s32(int32_t x) {
    LANES(int32x4_t, 4, x);
}
static inline int8x8_t vget_low_s8(int8x16_t a) {
    LANES(int8x8_t, 8, a[i]);
}
static inline int8x8_t vget_high_s8(int8x16_t a) {
    LANES(int8x8_t, 8, a[i + 8]);
}
static inline int32x2_t vget_low_s32(int32x4_t a) {
    LANES(int32x2_t, 2, a[i]);
}
static inline int32x2_t vget_high_s32(int32x4_t a) {
    LANES(int32x2_t, 2, a[i + 2]);
}
static inline int32x4_t vcombine_s32(int32x2_t a, int32x2_t b) {
    LANES(int32x4_t, 4, i < 2 ? a[i] : b[i - 2]);
}
static inline int16x8_t vcombine_s16(int16x4_t a, int16x4_t b) {
    LANES(int16x8_t, 8, i < 4 ? a[i] : b[i - 4]);
}
static inline int8x16_t vcombine_s8(int8x8_t a, int8x8_t b) {
    LANES(int8x16_t, 16, i < 8 ? a[i] : b[i - 8]);
}
static inline int16x8_t vmull_s8(int8x8_t a, int8x8_t b) {
    LANES(int16x8_t, 8, (int16_t)(a[i] * b[i]));
}
static inline int16x8_t vmlal_s8(int16x8_t sum, int8x8_t a, int8x8_t b) {
    LANES(int16x8_t, 8, (int16_t)(sum[i] + a[i] * b[i]));
}
static inline int16x8_t vld1q_s16(const int16_t *p) {
    LANES(int16x8_t, 8, p[i]);
}
static inline void vst1q_s16(int16_t *p, int16x8_t a) {
    for (int i = 0; i < 8; i++) {
        p[i] = a[i];
    }
}
static inline int16x8_t vdupq_n_s16(int16_t x) {
    LANES(int16x8_t, 8, x);
}
static inline int16x8_t vmaxq_s16(int16x8_t a, int16x8_t b) {
    LANES(int16x8_t, 8, a[i] > b[i] ? a[i] : b[i]);
}
static inline int16x8_t vminq_s16(int16x8_t a, int16x8_t b) {
    LANES(int16x8_t, 8, a[i] < b[i] ? a[i] : b[i]);
}
static inline int32x4_t vmlal_s16(int32x4_t sum, int16x4_t a, int16x4_t b) {
    LANES(int32x4_t, 4, plain_sum(sum[i], a[i] * b[i]));
}
static inline int32x4_t plain_mlal(int32x4_t sum, int16x4_t a, int16_t b) {
    LANES(int32x4_t, 4, plain_sum(sum[i], a[i] * b));
}
#define vmull_lane_s16(A, B, LANE) plain_mlal(vdupq_n_s32(0), A, (B)[LANE])
#define vmlal_lane_s16(SUM, A, B, LANE) plain_mlal(SUM, A, (B)[LANE])
static inline int32x4_t vpadalq_s16(int32x4_t sum, int16x8_t a) {
    LANES(int32x4_t, 4, plain_sum(sum[i], a[2 * i] + a[2 * i + 1]));
}
static inline int32x4_t vpaddq_s32(int32x4_t a, int32x4_t b) {
    LANES(int32x4_t, 4,
          i < 2 ? plain_sum(a[2 * i], a[2 * i + 1]) : plain_sum(b[2 * i - 4], b[2 * i - 3]));
}
static inline int32x4_t vaddq_s32(int32x4_t a, int32x4_t b) {
    LANES(int32x4_t, 4, plain_sum(a[i], b[i]));
}
static inline int32x4_t vmulq_s32(int32x4_t a, int32x4_t b) {
    LANES(int32x4_t, 4, (int32_t)((uint32_t)a[i] * (uint32_t)b[i]));
}
/* To the right where `by` is negative, as here it always is, or zero. */
static inline int32x4_t vshlq_s32(int32x4_t a, int32x4_t by) {
    LANES(int32x4_t, 4, a[i] >> -by[i]);
}
static inline int32x4_t vmlaq_s32(int32x4_t sum, int32x4_t a, int32x4_t b) {
    LANES(int32x4_t, 4, plain_sum(sum[i], (int32_t)((uint32_t)a[i] * (uint32_t)b[i])));
}
static inline int16x4_t vget_low_s16(int16x8_t a) {
    LANES(int16x4_t, 4, a[i]);
}
static inline int16x4_t vget_high_s16(int16x8_t a) {
    LANES(int16x4_t, 4, a[i + 4]);
}
static inline int32x4_t vaddw_s16(int32x4_t sum, int16x4_t a) {
    LANES(int32x4_t, 4, plain_sum(sum[i], a[i]));
}
static inline int64x2_t vmull_s32(int32x2_t a, int32x2_t b) {
    LANES(int64x2_t, 2, (int64_t)a[i] * b[i]);
}
static inline int64x2_t vrshlq_s64(int64x2_t a, int64x2_t by) {
    LANES(int64x2_t, 2, plain_rounded(a[i], by[i]));
}
static inline int64x2_t vmovl_s32(int32x2_t a) {
    LANES(int64x2_t, 2, a[i]);
}
static inline int32x2_t vmovn_s64(int64x2_t a) {
    LANES(int32x2_t, 2, (int32_t)a[i]);
}
#define vshrn_n_s64(A, BY) vmovn_s64((A) >> (BY))
#define vrshrn_n_s64(A, BY) vmovn_s64((((A) >> ((BY)-1)) + 1) >> 1)
static inline int16x4_t vqmovn_s32(int32x4_t a) {
    LANES(int16x4_t, 4, (int16_t)plain_limit(a[i], INT16_MIN, INT16_MAX));
}
static inline int8x8_t vqmovn_s16(int16x8_t a) {
    LANES(int8x8_t, 8, (int8_t)plain_limit(a[i], INT8_MIN, INT8_MAX));
}
static inline int8x16_t vmaxq_s8(int8x16_t a, int8x16_t b) {
    LANES(int8x16_t, 16, a[i] > b[i] ? a[i] : b[i]);
}
static inline int8x16_t vminq_s8(int8x16_t a, int8x16_t b) {
    LANES(int8x16_t, 16, a[i] < b[i] ? a[i] : b[i]);
}

#include "dpl/neon/plain_elements.h"
#include "dpl/neon/plain_floats.h"
#include "dpl/neon/plain_lanes.h"
#include "dpl/neon/plain_stores.h"
#include "dpl/neon/plain_turns.h"

#endif
