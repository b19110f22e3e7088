/* Elements of int8 from four channels of a pixel, and to up to four channels of eight pixels. */
#ifndef DPL_NEON_PLANE_ELEMENTS_S8_H
#define DPL_NEON_PLANE_ELEMENTS_S8_H

#include "dpl/neon/blocking.h"
#include "dpl/neon/of_eight.h"
#include "dpl/neon/plane_bounds.h"
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

/* Limits of int8 are those of a narrowing that saturates; narrower ones take half as long as bytes
 * as they would in 16 bits. */
INLINED int8x16_t bytes_of(int16x8_t first, int16x8_t last, plane_bounds within) {
    const int8x16_t both = vcombine_s8(vqmovn_s16(first), vqmovn_s16(last));
    return vminq_s8(vmaxq_s8(both, vdupq_n_s8((int8_t)within.low)),
                    vdupq_n_s8((int8_t)within.high));
}

/* The bytes are what is limited. */
INLINED void limit_all(int16x8_t *outputs, int count, plane_bounds within) {
    (void)outputs, (void)count, (void)within;
}

#define STORE_2_OF(V, TO, FROM, I) STORE_2((TO)[I], V, (FROM) + (I));
INLINED void store_one(const int16x8_t *o, plane_bounds within, int8_t *const *to) {
    const int8x16_t all = bytes_of(o[0], o[0], within);
    OF_EIGHT(STORE_1_OF, all, to, 0)
}

INLINED void store_two(const int16x8_t *o, plane_bounds within, int8_t *const *to) {
    const int8x16_t all = bytes_of(o[0], o[1], within);
    const int8x16_t both = vzipq_s8(all, vcombine_s8(vget_high_s8(all), vget_high_s8(all))).val[0];
    OF_EIGHT(STORE_2_OF, both, to, 0)
}

/* Sixteen pixels, eight of them behind the others, as are their outputs. */
INLINED void store_one_wide(const int16x8_t *o, plane_bounds within, int8_t *const *to,
                            int8_t *const *behind) {
    const int8x16_t all = bytes_of(o[0], o[1], within);
    OF_EIGHT(STORE_1_OF, all, behind, 8)
    OF_EIGHT(STORE_1_OF, all, to, 0)
}

INLINED void store_two_wide(const int16x8_t *o, plane_bounds within, int8_t *const *to,
                            int8_t *const *behind) {
    const int8x16x2_t both = vzipq_s8(bytes_of(o[0], o[2], within), bytes_of(o[1], o[3], within));
    OF_EIGHT(STORE_2_OF, both.val[1], behind, 0)
    OF_EIGHT(STORE_2_OF, both.val[0], to, 0)
}

/* A pixel of four channels, or two of one of three. */
#define STORE_MOST_OF(V, TO, FROM, I)                                                              \
    if (channels == 4) {                                                                           \
        STORE_4((TO)[I], V, (FROM) + (I));                                                         \
    } else {                                                                                       \
        STORE_2((TO)[I], V, 2 * ((FROM) + (I)));                                                   \
    }
#define STORE_THIRD_OF(V, TO, FROM, I) STORE_1((TO)[I] + 2, V, 4 * ((FROM) + (I)) + 2);
#define OF_FOUR(STORE, V, TO)                                                                      \
    STORE(V, TO, 0, 3) STORE(V, TO, 0, 2) STORE(V, TO, 0, 1) STORE(V, TO, 0, 0)

INLINED void store_four(const int16x8_t *o, plane_bounds within, int channels, int8_t *const *to) {
    const int8x16_t even = bytes_of(o[0], o[2], within);
    const int8x16_t odd = bytes_of(o[1], o[channels > 3 ? 3 : 1], within);
    const int8x16x2_t pairs = vzipq_s8(even, odd); /* channels 0 and 1, 2 and 3 */
    const int16x8x2_t all =
        vzipq_s16(vreinterpretq_s16_s8(pairs.val[0]), vreinterpretq_s16_s8(pairs.val[1]));
    const int8x16_t last = vreinterpretq_s8_s16(all.val[1]);
    const int8x16_t first = vreinterpretq_s8_s16(all.val[0]);
    OF_FOUR(STORE_MOST_OF, last, to + 4)
    OF_FOUR(STORE_MOST_OF, first, to)
    if (channels == 3) {
        OF_FOUR(STORE_THIRD_OF, last, to + 4)
        OF_FOUR(STORE_THIRD_OF, first, to)
    }
}

#endif
