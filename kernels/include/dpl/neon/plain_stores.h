/* Vector instructions that put lanes side by side and store single ones, in plain C. Only plain.h
 * includes it. */
#ifndef DPL_NEON_PLAIN_STORES_H
#define DPL_NEON_PLAIN_STORES_H

typedef struct {
    int16x8_t val[2];
} int16x8x2_t;
typedef struct {
    int8x16_t val[2];
} int8x16x2_t;

typedef struct {
    int32x4_t val[2];
} int32x4x2_t;

#define vreinterpretq_s32_s16(A) ((int32x4_t)(A))
#define vreinterpretq_s16_s32(A) ((int16x8_t)(A))
#define vreinterpretq_s64_s16(A) ((int64x2_t)(A))
#define vreinterpretq_s16_s8(A) ((int16x8_t)(A))
#define vreinterpretq_s8_s16(A) ((int8x16_t)(A))

static inline int16x8_t plain_zip_s16(int16x8_t a, int16x8_t b, int first) {
    LANES(int16x8_t, 8, (i % 2 ? b : a)[first + i / 2]);
}
static inline int16x8x2_t vzipq_s16(int16x8_t a, int16x8_t b) {
    const int16x8x2_t both = {{plain_zip_s16(a, b, 0), plain_zip_s16(a, b, 4)}};
    return both;
}
static inline int16x8_t plain_uzp_s16(int16x8_t a, int16x8_t b, int odd) {
    LANES(int16x8_t, 8, (i < 4 ? a : b)[2 * (i % 4) + odd]);
}
static inline int16x8x2_t vuzpq_s16(int16x8_t a, int16x8_t b) {
    const int16x8x2_t both = {{plain_uzp_s16(a, b, 0), plain_uzp_s16(a, b, 1)}};
    return both;
}
static inline int32x4x2_t vzipq_s32(int32x4_t a, int32x4_t b) {
    const int32x4x2_t both = {{{a[0], b[0], a[1], b[1]}, {a[2], b[2], a[3], b[3]}}};
    return both;
}
static inline int16x4x2_t vzip_s16(int16x4_t a, int16x4_t b) {
    const int16x4x2_t both = {{{a[0], b[0], a[1], b[1]}, {a[2], b[2], a[3], b[3]}}};
    return both;
}
static inline int8x8_t plain_half_zip(int8x8_t a, int8x8_t b, int first) {
    LANES(int8x8_t, 8, (i % 2 ? b : a)[first + i / 2]);
}
static inline int8x8x2_t vzip_s8(int8x8_t a, int8x8_t b) {
    const int8x8x2_t both = {{plain_half_zip(a, b, 0), plain_half_zip(a, b, 4)}};
    return both;
}
static inline int8x16_t plain_zip_s8(int8x16_t a, int8x16_t b, int first) {
    LANES(int8x16_t, 16, (i % 2 ? b : a)[first + i / 2]);
}
static inline int8x16x2_t vzipq_s8(int8x16_t a, int8x16_t b) {
    const int8x16x2_t both = {{plain_zip_s8(a, b, 0), plain_zip_s8(a, b, 8)}};
    return both;
}
static inline void vst1q_lane_s8(int8_t *p, int8x16_t a, int lane) {
    *p = a[lane];
}
static inline void vst1q_lane_s64(int64_t *p, int64x2_t a, int lane) {
    const int64_t both = a[lane];
    __builtin_memcpy(p, &both, sizeof both);
}
static inline int8x8_t vmovn_s16(int16x8_t a) {
    LANES(int8x8_t, 8, (int8_t)a[i]);
}
static inline int64x2_t vdupq_n_s64(int64_t x) {
    LANES(int64x2_t, 2, x);
}
static inline int64x2_t vmlal_s32(int64x2_t sum, int32x2_t a, int32x2_t b) {
    LANES(int64x2_t, 2, sum[i] + (int64_t)a[i] * b[i]);
}

#endif
