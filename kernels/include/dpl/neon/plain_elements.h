/* More vector instructions in plain C, by the names of arm_neon.h: those of kernels that take
 * elements one by one. Only plain.h includes this. */
#ifndef DPL_NEON_PLAIN_ELEMENTS_H
#define DPL_NEON_PLAIN_ELEMENTS_H

typedef uint16_t uint16x8_t __attribute__((vector_size(16)));
typedef uint32_t uint32x4_t __attribute__((vector_size(16)));
typedef float float32x4_t __attribute__((vector_size(16)));

typedef struct {
    int8x16_t val[4];
} int8x16x4_t;

static inline int16x4_t vld1_s16(const int16_t *p) {
    LANES(int16x4_t, 4, p[i]);
}
static inline int32x2_t vld1_s32(const int32_t *p) {
    LANES(int32x2_t, 2, p[i]);
}
static inline void vst1_s16(int16_t *p, int16x4_t a) {
    for (int i = 0; i < 4; i++) {
        p[i] = a[i];
    }
}
static inline void vst1q_s32(int32_t *p, int32x4_t a) {
    for (int i = 0; i < 4; i++) {
        p[i] = a[i];
    }
}
static inline int8x8_t vdup_n_s8(int8_t x) {
    LANES(int8x8_t, 8, x);
}
static inline int16x4_t vdup_n_s16(int16_t x) {
    LANES(int16x4_t, 4, x);
}
static inline uint32x4_t vdupq_n_u32(uint32_t x) {
    LANES(uint32x4_t, 4, x);
}
static inline float32x4_t vdupq_n_f32(float x) {
    LANES(float32x4_t, 4, x);
}

static inline int8x8_t vld1_lane_s8(const int8_t *p, int8x8_t a, int lane) {
    a[lane] = *p;
    return a;
}
static inline int16x8_t vld1q_lane_s16(const int16_t *p, int16x8_t a, int lane) {
    int16_t half;
    __builtin_memcpy(&half, p, sizeof half);
    a[lane] = half;
    return a;
}
static inline int32x4_t vld1q_lane_s32(const int32_t *p, int32x4_t a, int lane) {
    int32_t word;
    __builtin_memcpy(&word, p, sizeof word);
    a[lane] = word;
    return a;
}
static inline void vst1_lane_s8(int8_t *p, int8x8_t a, int lane) {
    *p = a[lane];
}
static inline void vst1_lane_s32(int32_t *p, int32x2_t a, int lane) {
    const int32_t word = a[lane];
    __builtin_memcpy(p, &word, sizeof word);
}
static inline void vst1q_lane_s32(int32_t *p, int32x4_t a, int lane) {
    const int32_t word = a[lane];
    __builtin_memcpy(p, &word, sizeof word);
}
static inline void vst1q_lane_s16(int16_t *p, int16x8_t a, int lane) {
    const int16_t half = a[lane];
    __builtin_memcpy(p, &half, sizeof half);
}

static inline uint8x8_t vld1_u8(const uint8_t *p) {
    LANES(uint8x8_t, 8, p[i]);
}
static inline int16x8_t vreinterpretq_s16_u16(uint16x8_t a) {
    LANES(int16x8_t, 8, (int16_t)a[i]);
}
static inline int32x4_t vabsq_s32(int32x4_t a) {
    LANES(int32x4_t, 4, a[i] < 0 ? -a[i] : a[i]);
}
static inline int32x4_t vandq_s32(int32x4_t a, int32x4_t b) {
    LANES(int32x4_t, 4, a[i] & b[i]);
}
static inline int16x4_t vmovn_s32(int32x4_t a) {
    LANES(int16x4_t, 4, (int16_t)a[i]);
}
#define vshrq_n_s32(A, BY) ((A) >> (BY))
#define vshrq_n_s16(A, BY) ((A) >> (BY))
#define vshlq_n_s16(A, BY) ((int16x8_t)((uint16x8_t)(A) << (BY)))
#define vshlq_n_s32(A, BY) ((int32x4_t)((uint32x4_t)(A) << (BY)))
#define vrshrq_n_s32(A, BY) vrshlq_s32(A, vdupq_n_s32(-(BY)))

static inline int16x8_t vmovl_s8(int8x8_t a) {
    LANES(int16x8_t, 8, a[i]);
}
static inline int16x8_t vmovl_high_s8(int8x16_t a) {
    LANES(int16x8_t, 8, a[i + 8]);
}
static inline int32x4_t vmovl_s16(int16x4_t a) {
    LANES(int32x4_t, 4, a[i]);
}
static inline int32x4_t vmovl_high_s16(int16x8_t a) {
    LANES(int32x4_t, 4, a[i + 4]);
}
static inline uint16x8_t vmovl_u8(uint8x8_t a) {
    LANES(uint16x8_t, 8, a[i]);
}
static inline int16x8_t vaddl_s8(int8x8_t a, int8x8_t b) {
    LANES(int16x8_t, 8, (int16_t)(a[i] + b[i]));
}
static inline int16x8_t vsubl_s8(int8x8_t a, int8x8_t b) {
    LANES(int16x8_t, 8, (int16_t)(a[i] - b[i]));
}
static inline int16x8_t vaddw_s8(int16x8_t sum, int8x8_t a) {
    LANES(int16x8_t, 8, (int16_t)(sum[i] + a[i]));
}
static inline int16x8_t vaddw_high_s8(int16x8_t sum, int8x16_t a) {
    LANES(int16x8_t, 8, (int16_t)(sum[i] + a[i + 8]));
}
static inline int32x4_t vaddw_high_s16(int32x4_t sum, int16x8_t a) {
    LANES(int32x4_t, 4, plain_sum(sum[i], a[i + 4]));
}
static inline int32x4_t vmull_s16(int16x4_t a, int16x4_t b) {
    LANES(int32x4_t, 4, a[i] * b[i]);
}
static inline int32x4_t vmull_high_s16(int16x8_t a, int16x8_t b) {
    LANES(int32x4_t, 4, a[i + 4] * b[i + 4]);
}
static inline int32x4_t vmlal_high_s16(int32x4_t sum, int16x8_t a, int16x8_t b) {
    LANES(int32x4_t, 4, plain_sum(sum[i], a[i + 4] * b[i + 4]));
}
static inline int32x4_t vmlsq_s32(int32x4_t sum, int32x4_t a, int32x4_t b) {
    LANES(int32x4_t, 4, (int32_t)((uint32_t)sum[i] - (uint32_t)a[i] * (uint32_t)b[i]));
}
static inline int16x8_t vaddq_s16(int16x8_t a, int16x8_t b) {
    LANES(int16x8_t, 8, (int16_t)(a[i] + b[i]));
}
static inline int16x8_t vsubq_s16(int16x8_t a, int16x8_t b) {
    LANES(int16x8_t, 8, (int16_t)(a[i] - b[i]));
}
static inline int32x4_t vsubq_s32(int32x4_t a, int32x4_t b) {
    LANES(int32x4_t, 4, (int32_t)((uint32_t)a[i] - (uint32_t)b[i]));
}
static inline int16x8_t vrshlq_s16(int16x8_t a, int16x8_t by) {
    LANES(int16x8_t, 8, (int16_t)plain_rounded(a[i], by[i]));
}
static inline int32x4_t vrshlq_s32(int32x4_t a, int32x4_t by) {
    LANES(int32x4_t, 4, (int32_t)plain_rounded(a[i], by[i]));
}
static inline int16x8_t vqaddq_s16(int16x8_t a, int16x8_t b) {
    LANES(int16x8_t, 8, (int16_t)plain_limit(a[i] + b[i], INT16_MIN, INT16_MAX));
}
/* Twice the product's high word; no multiplier is -2^31. */
static inline int32x4_t vqdmulhq_s32(int32x4_t a, int32x4_t by) {
    LANES(int32x4_t, 4, (int32_t)((int64_t)a[i] * by[i] >> 31));
}
#define vqdmulhq_lane_s32(A, BY, LANE) vqdmulhq_s32(A, vdupq_n_s32((BY)[LANE]))
#define vqrshrn_n_s32(A, BY) vqmovn_s32(vrshrq_n_s32(A, BY))
#define vqrshrn_high_n_s32(LOW, A, BY) vcombine_s16(LOW, vqrshrn_n_s32(A, BY))
static inline int16x8_t vqmovn_high_s32(int16x4_t low, int32x4_t a) {
    LANES(int16x8_t, 8, i < 4 ? low[i] : (int16_t)plain_limit(a[i - 4], INT16_MIN, INT16_MAX));
}

static inline int8x8_t vmax_s8(int8x8_t a, int8x8_t b) {
    LANES(int8x8_t, 8, a[i] > b[i] ? a[i] : b[i]);
}
static inline int8x8_t vmin_s8(int8x8_t a, int8x8_t b) {
    LANES(int8x8_t, 8, a[i] < b[i] ? a[i] : b[i]);
}
static inline int16x4_t vmax_s16(int16x4_t a, int16x4_t b) {
    LANES(int16x4_t, 4, a[i] > b[i] ? a[i] : b[i]);
}
static inline int16x4_t vmin_s16(int16x4_t a, int16x4_t b) {
    LANES(int16x4_t, 4, a[i] < b[i] ? a[i] : b[i]);
}

static inline uint32x4_t vcltq_s32(int32x4_t a, int32x4_t b) {
    LANES(uint32x4_t, 4, a[i] < b[i] ? UINT32_MAX : 0);
}
static inline uint32x4_t vcgeq_s32(int32x4_t a, int32x4_t b) {
    LANES(uint32x4_t, 4, a[i] >= b[i] ? UINT32_MAX : 0);
}
static inline int32x4_t vreinterpretq_s32_u32(uint32x4_t a) {
    LANES(int32x4_t, 4, (int32_t)a[i]);
}
static inline int8x16_t vreinterpretq_s8_s32(int32x4_t a) {
    LANES(int8x16_t, 16, (int8_t)((uint32_t)a[i / 4] >> 8 * (i % 4)));
}
static inline int32x4_t vbslq_s32(uint32x4_t mask, int32x4_t a, int32x4_t b) {
    LANES(int32x4_t, 4, (int32_t)((mask[i] & (uint32_t)a[i]) | (~mask[i] & (uint32_t)b[i])));
}
static inline float32x4_t vcvtq_f32_s32(int32x4_t a) {
    LANES(float32x4_t, 4, (float)a[i]);
}
static inline float32x4_t vmulq_f32(float32x4_t a, float32x4_t b) {
    LANES(float32x4_t, 4, a[i] * b[i]);
}
/* To zero, and NaN is 0; what does not fit does not occur. */
static inline int32x4_t vcvtq_s32_f32(float32x4_t a) {
    LANES(int32x4_t, 4, a[i] < 0 || a[i] >= 0 ? (int32_t)a[i] : 0);
}

/* Entries 0 to 63 of 64; elsewhere what was there. */
static inline int8_t plain_entry(int8x16x4_t table, uint8_t at, int8_t otherwise) {
    return at < 64 ? table.val[at / 16][at % 16] : otherwise;
}
static inline int8x16_t vqtbx4q_s8(int8x16_t a, int8x16x4_t table, uint8x16_t at) {
    LANES(int8x16_t, 16, plain_entry(table, at[i], a[i]));
}
static inline uint8x16_t vreinterpretq_u8_s8(int8x16_t a) {
    LANES(uint8x16_t, 16, (uint8_t)a[i]);
}
static inline uint8x16_t vdupq_n_u8(uint8_t x) {
    LANES(uint8x16_t, 16, x);
}
static inline uint8x16_t veorq_u8(uint8x16_t a, uint8x16_t b) {
    LANES(uint8x16_t, 16, a[i] ^ b[i]);
}
static inline uint8x16_t vsubq_u8(uint8x16_t a, uint8x16_t b) {
    LANES(uint8x16_t, 16, (uint8_t)(a[i] - b[i]));
}

#endif
