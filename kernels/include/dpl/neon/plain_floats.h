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
static inline void vst1q_lane_f32(float *p, float32x4_t a, int lane) {
    *p = a[lane];
}
/* sum + a * b, rounded once, without the library's fmaf. A product of floats is exact as a double.
 * What its addition leaves out makes the last bit odd, so that rounding to a float sees it. */
static inline float plain_fused(float sum, float a, float b) {
    const double product = (double)a * (double)b;
    double total = product + (double)sum;
    const double added = total - product;
    const double rest = (product - (total - added)) + ((double)sum - added);
    int64_t bits;
    __builtin_memcpy(&bits, &total, sizeof bits);
    if ((rest < 0 || rest > 0) && bits % 2 == 0) {
        bits += (rest > 0) == (total > 0) ? 1 : -1;
        __builtin_memcpy(&total, &bits, sizeof bits);
    }
    return (float)total;
}
static inline float32x4_t vaddq_f32(float32x4_t a, float32x4_t b) {
    LANES(float32x4_t, 4, a[i] + b[i]);
}
static inline float32x4_t vsubq_f32(float32x4_t a, float32x4_t b) {
    LANES(float32x4_t, 4, a[i] - b[i]);
}
static inline float32x4_t vdivq_f32(float32x4_t a, float32x4_t b) {
    LANES(float32x4_t, 4, a[i] / b[i]);
}
static inline float32x4_t vabsq_f32(float32x4_t a) {
    LANES(float32x4_t, 4, a[i] < 0 ? -a[i] : a[i]);
}
static inline float32x4_t vnegq_f32(float32x4_t a) {
    LANES(float32x4_t, 4, -a[i]);
}
static inline uint32x4_t vcltq_f32(float32x4_t a, float32x4_t b) {
    LANES(uint32x4_t, 4, a[i] < b[i] ? UINT32_MAX : 0);
}
static inline uint32x4_t vcgtq_f32(float32x4_t a, float32x4_t b) {
    return vcltq_f32(b, a);
}
static inline float32x4_t vreinterpretq_f32_s32(int32x4_t a) {
    return (float32x4_t)a;
}
static inline float32x4_t vbslq_f32(uint32x4_t mask, float32x4_t a, float32x4_t b) {
    return (float32x4_t)((mask & (uint32x4_t)a) | (~mask & (uint32x4_t)b));
}
static inline float32x4_t vfmaq_f32(float32x4_t sum, float32x4_t a, float32x4_t b) {
    LANES(float32x4_t, 4, plain_fused(sum[i], a[i], b[i]));
}
#define vfmaq_laneq_f32(SUM, A, B, LANE) vfmaq_f32(SUM, A, vdupq_n_f32((B)[LANE]))

static inline float32x4_t vfmsq_f32(float32x4_t sum, float32x4_t a, float32x4_t b) {
    return vfmaq_f32(sum, vnegq_f32(a), b);
}

/* NaN of either stays, and 0 is above -0. */
static inline float32x4_t vmaxq_f32(float32x4_t a, float32x4_t b) {
    LANES(float32x4_t, 4, a[i] <= b[i] ? b[i] : a[i]);
}
static inline float32x4_t vminq_f32(float32x4_t a, float32x4_t b) {
    LANES(float32x4_t, 4, a[i] >= b[i] ? b[i] : a[i]);
}

#endif
