/* Elements of int8 from four channels of a pixel, and to up to four channels of eight pixels. */
#ifndef DPL_NEON_PLANE_ELEMENTS_S8_H
#define DPL_NEON_PLANE_ELEMENTS_S8_H

#include "dpl/neon/blocking.h"
#include "dpl/neon/simd.h"

#define ELEMENT_BYTES 1
#define PLANE_LANES 8

static inline int16x4_t four_channels(const int8_t *from) {
    int32_t word;
    __builtin_memcpy(&word, from, sizeof word);
    return vget_low_s16(vmovl_s8(vreinterpret_s8_s32(vget_low_s32(vdupq_n_s32(word)))));
}

static inline int16x8_t eight_cells(const int8_t *from) {
    return vmovl_s8(vld1_s8(from));
}

static inline int16_t one_value(const int8_t *from) {
    return *from;
}

#define STORE_1(P, V, LANE) vst1q_lane_s8(P, V, LANE)
#define STORE_2(P, V, LANE) vst1q_lane_s16((int16_t *)(void *)(P), vreinterpretq_s16_s8(V), LANE)
#define STORE_4(P, V, LANE) vst1q_lane_s32((int32_t *)(void *)(P), vreinterpretq_s32_s8(V), LANE)

INLINED int8x16_t bytes_of(int16x8_t outputs) {
    const int8x8_t bytes = vmovn_s16(outputs);
    return vcombine_s8(bytes, bytes);
}

INLINED void store_one(const int16x8_t *o, int8_t *const *to) {
    const int8x16_t all = bytes_of(o[0]);
    STORE_1(to[7], all, 7);
    STORE_1(to[6], all, 6);
    STORE_1(to[5], all, 5);
    STORE_1(to[4], all, 4);
    STORE_1(to[3], all, 3);
    STORE_1(to[2], all, 2);
    STORE_1(to[1], all, 1);
    STORE_1(to[0], all, 0);
}

INLINED void store_two(const int16x8_t *o, int8_t *const *to) {
    const int8x16_t both = vzipq_s8(bytes_of(o[0]), bytes_of(o[1])).val[0];
    STORE_2(to[7], both, 7);
    STORE_2(to[6], both, 6);
    STORE_2(to[5], both, 5);
    STORE_2(to[4], both, 4);
    STORE_2(to[3], both, 3);
    STORE_2(to[2], both, 2);
    STORE_2(to[1], both, 1);
    STORE_2(to[0], both, 0);
}

/* A pixel of three channels or four, of four pixels. */
#define STORE_PIXEL(V, LANE)                                                                       \
    if (channels == 4) {                                                                           \
        STORE_4(to[LANE], V, LANE);                                                                \
    } else {                                                                                       \
        STORE_2(to[LANE], V, 2 * (LANE));                                                          \
        STORE_1(to[LANE] + 2, V, 4 * (LANE) + 2);                                                  \
    }

INLINED void store_quad(int8x16_t four, int channels, int8_t *const *to){
    STORE_PIXEL(four, 3) STORE_PIXEL(four, 2) STORE_PIXEL(four, 1) STORE_PIXEL(four, 0)}

INLINED void store_four(const int16x8_t *o, int channels, int8_t *const *to) {
    const int8x16_t even = vzipq_s8(bytes_of(o[0]), bytes_of(o[2])).val[0];
    const int8x16_t odd = vzipq_s8(bytes_of(o[1]), bytes_of(o[channels > 3 ? 3 : 1])).val[0];
    const int8x16x2_t all = vzipq_s8(even, odd);
    store_quad(all.val[1], channels, to + 4);
    store_quad(all.val[0], channels, to);
}

#endif
