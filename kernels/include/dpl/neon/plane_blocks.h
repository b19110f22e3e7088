/* Blocks of channels and pixels as cells of planes. Included behind the elements of a type. */
#ifndef DPL_NEON_PLANE_BLOCKS_H
#define DPL_NEON_PLANE_BLOCKS_H

#include "dpl/neon/eight_bytes.h"
#include "dpl/neon/planes_shape.h"
#include "dpl/neon/simd.h"

/* Of one row: pixels `step` bytes apart, planes `apart` cells. */
typedef struct {
    const int8_t *from;
    int16_t *to;
    int32_t step, apart, count; /* cells */
} plane_row;

/* How many rows of planes are filled as one: those of the input that follow one
 * another as these do. */
static inline int32_t rows_in_line(const convolution *v, const plane_row *row, int32_t y,
                                   int32_t rows) {
    const int32_t left = v->input.height - y, step = v->tall.stride * v->input.row_pitch;
    if (row->count != v->pitch || row->count * row->step != step || v->input.ring_height > 0) {
        return 1;
    }
    const int32_t there = (left + v->tall.stride - 1) / v->tall.stride;
    return rows < there ? rows : there;
}

/* Four cells of `channels` channels, of four that are read. */
INLINED void transpose_four(const int8_t *from, int64_t step, int16_t *to, int64_t apart,
                            int channels) {
    const int16x4x2_t a = vtrn_s16(four_channels(from), four_channels(from + step));
    const int16x4x2_t b = vtrn_s16(four_channels(from + 2 * step), four_channels(from + 3 * step));
    const int32x2x2_t even =
        vtrn_s32(vreinterpret_s32_s16(a.val[0]), vreinterpret_s32_s16(b.val[0]));
    const int32x2x2_t odd =
        vtrn_s32(vreinterpret_s32_s16(a.val[1]), vreinterpret_s32_s16(b.val[1]));
    vst1_s16(to, vreinterpret_s16_s32(even.val[0]));
    vst1_s16(to + apart, vreinterpret_s16_s32(odd.val[0]));
    if (channels > 2) {
        vst1_s16(to + 2 * apart, vreinterpret_s16_s32(even.val[1]));
    }
    if (channels > 3) {
        vst1_s16(to + 3 * apart, vreinterpret_s16_s32(odd.val[1]));
    }
}

#if ELEMENT_BYTES == 1
/* Eight cells of eight channels: 24 transpositions of half a cycle, eight loads beside some of
 * them, as many extensions and stores, 32 cycles for what blocks of four take 52 for. */
INLINED void transpose_eight(const int8_t *from, int64_t step, int16_t *to, int64_t apart) {
    eight_bytes v;
    UNROLLED for (int i = 0; i < EIGHT; i++) {
        v.at[i] = vld1_s8(from + i * step);
    }
    transpose_bytes(&v);
    UNROLLED for (int i = 0; i < EIGHT; i++) {
        vst1q_s16(to + i * apart, vmovl_s8(v.at[i]));
    }
}
#else
/* Eight cells of eight channels: three times halves of vectors by turns, 24 cycles, and as many for
 * loads and stores. */
INLINED void transpose_eight(const int8_t *from, int64_t step, int16_t *to, int64_t apart) {
    int16x8_t v[EIGHT], w[EIGHT];
    UNROLLED for (int i = 0; i < EIGHT; i++) {
        v[i] = eight_cells(from + i * step);
    }
    UNROLLED for (int turn = 0; turn < 3; turn++) {
        UNROLLED for (int i = 0; i < FOUR; i++) {
            const int16x8x2_t both = vzipq_s16(v[i], v[i + FOUR]);
            w[2 * i] = both.val[0], w[2 * i + 1] = both.val[1];
        }
        UNROLLED for (int i = 0; i < EIGHT; i++) {
            v[i] = w[i];
        }
    }
    UNROLLED for (int i = 0; i < EIGHT; i++) {
        vst1q_s16(to + i * apart, v[i]);
    }
}
#endif

/* Two channels of eight groups or pixels `step` bytes apart, in lanes: a load of a lane takes a
 * cycle. */
#if ELEMENT_BYTES == 1
#define PAIR_LANE(V, P, I) V = vld1q_lane_s16((const int16_t *)(const void *)(P), V, I)
INLINED int16x8x2_t two_of_eight(const int8_t *from, int64_t step) {
    int16x8_t v = vdupq_n_s16(0);
    PAIR_LANE(v, from, 0);
    PAIR_LANE(v, from + step, 1);
    PAIR_LANE(v, from + 2 * step, 2);
    PAIR_LANE(v, from + 3 * step, 3);
    PAIR_LANE(v, from + 4 * step, 4);
    PAIR_LANE(v, from + 5 * step, 5);
    PAIR_LANE(v, from + 6 * step, 6);
    PAIR_LANE(v, from + 7 * step, 7);
    const int16x8x2_t two = {{vshrq_n_s16(vshlq_n_s16(v, 8), 8), vshrq_n_s16(v, 8)}};
    return two;
}
#else
#define PAIR_LANE(V, P, I) V = vld1q_lane_s32((const int32_t *)(const void *)(P), V, I)
INLINED int32x4_t pairs_of_four(const int8_t *from, int64_t step) {
    int32x4_t v = vdupq_n_s32(0);
    PAIR_LANE(v, from, 0);
    PAIR_LANE(v, from + step, 1);
    PAIR_LANE(v, from + 2 * step, 2);
    PAIR_LANE(v, from + 3 * step, 3);
    return v;
}

INLINED int16x8x2_t two_of_eight(const int8_t *from, int64_t step) {
    const int32x4_t first = pairs_of_four(from, step), last = pairs_of_four(from + 4 * step, step);
    return vuzpq_s16(vreinterpretq_s16_s32(first), vreinterpretq_s16_s32(last));
}
#endif

static inline void pad_cells(int16_t *to, int16_t value, int32_t count) {
    int32_t i = 0;
    for (; i + 64 <= count; i += 64) { /* a store a cycle */
        UNROLLED for (int k = 0; k < 64; k += 8) {
            vst1q_s16(to + i + k, vdupq_n_s16(value));
        }
    }
    for (; i + 8 <= count; i += 8) {
        vst1q_s16(to + i, vdupq_n_s16(value));
    }
    for (; i < count; i++) {
        to[i] = value;
    }
}

#endif
