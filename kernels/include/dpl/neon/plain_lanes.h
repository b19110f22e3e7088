/* Vector instructions that exchange lanes, and views of vectors as others, in plain C. Only plain.h
 * includes this. */
#ifndef DPL_NEON_PLAIN_LANES_H
#define DPL_NEON_PLAIN_LANES_H

typedef struct {
    int8x8_t val[2];
} int8x8x2_t;

typedef struct {
    int16x4_t val[2];
} int16x4x2_t;

typedef struct {
    int32x2_t val[2];
} int32x2x2_t;

#define vreinterpret_s16_s8(A) ((int16x4_t)(A))
#define vreinterpret_s32_s16(A) ((int32x2_t)(A))
#define vreinterpret_s32_s8(A) ((int32x2_t)(A))
#define vreinterpret_s8_s16(A) ((int8x8_t)(A))
#define vreinterpret_s8_s32(A) ((int8x8_t)(A))
#define vreinterpret_s16_s32(A) ((int16x4_t)(A))
#define vreinterpretq_s32_s8(A) ((int32x4_t)(A))
#define vget_lane_s8(A, LANE) ((A)[LANE])

/* Lanes `odd`, 2 + `odd`, ... of both by turns. */
static inline int8x8_t plain_trn_s8(int8x8_t a, int8x8_t b, int odd) {
    LANES(int8x8_t, 8, (i % 2 ? b : a)[i - i % 2 + odd]);
}
static inline int8x8x2_t vtrn_s8(int8x8_t a, int8x8_t b) {
    const int8x8x2_t both = {{plain_trn_s8(a, b, 0), plain_trn_s8(a, b, 1)}};
    return both;
}
static inline int16x4_t plain_trn_s16(int16x4_t a, int16x4_t b, int odd) {
    LANES(int16x4_t, 4, (i % 2 ? b : a)[i - i % 2 + odd]);
}
static inline int16x4x2_t vtrn_s16(int16x4_t a, int16x4_t b) {
    const int16x4x2_t both = {{plain_trn_s16(a, b, 0), plain_trn_s16(a, b, 1)}};
    return both;
}
static inline int32x2x2_t vtrn_s32(int32x2_t a, int32x2_t b) {
    const int32x2x2_t both = {{{a[0], b[0]}, {a[1], b[1]}}};
    return both;
}
static inline int8x8_t vpmax_s8(int8x8_t a, int8x8_t b) {
    const int8x8_t even = {a[0], a[2], a[4], a[6], b[0], b[2], b[4], b[6]};
    const int8x8_t odd = {a[1], a[3], a[5], a[7], b[1], b[3], b[5], b[7]};
    return vmax_s8(even, odd);
}

#endif
