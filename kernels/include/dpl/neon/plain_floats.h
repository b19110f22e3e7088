/* Vector instructions on floats in plain C. Only plain.h includes this. */
#ifndef DPL_NEON_PLAIN_FLOATS_H
#define DPL_NEON_PLAIN_FLOATS_H

static inline float32x4_t vld1q_f32(const float *p) {
    LANES(float32x4_t, 4, p[i]);
}
static inline float32x4_t vld1q_dup_f32(const float *p) {
    LANES(float32x4_t, 4, *p);
}
static inline void vst1q_f32(float *p, float32x4_t a) {
    for (int i = 0; i < 4; i++) {
        p[i] = a[i];
    }
}
/* Rounded once. */
static inline float32x4_t vfmaq_f32(float32x4_t sum, float32x4_t a, float32x4_t b) {
    LANES(float32x4_t, 4, __builtin_fmaf(a[i], b[i], sum[i]));
}
#define vfmaq_laneq_f32(SUM, A, B, LANE) vfmaq_f32(SUM, A, vdupq_n_f32((B)[LANE]))

/* NaN of either stays, and 0 is above -0. */
static inline float32x4_t vmaxq_f32(float32x4_t a, float32x4_t b) {
    LANES(float32x4_t, 4, a[i] <= b[i] ? b[i] : a[i]);
}
static inline float32x4_t vminq_f32(float32x4_t a, float32x4_t b) {
    LANES(float32x4_t, 4, a[i] >= b[i] ? b[i] : a[i]);
}

#endif
