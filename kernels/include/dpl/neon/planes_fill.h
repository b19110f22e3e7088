/* Channels of the input as planes of int16. Included behind the elements of a type, planes_s8.h or
 * planes_s16.h. */
#ifndef DPL_NEON_PLANES_FILL_H
#define DPL_NEON_PLANES_FILL_H

#include "dpl/neon/planes_shape.h"
#include "dpl/neon/simd.h"

/* Of one row: pixels `step` bytes apart, planes `apart` cells. */
typedef struct {
    const int8_t *from;
    int16_t *to;
    int32_t step, apart, count; /* cells */
} plane_row;

#ifdef __aarch64__
#include "dpl/neon/planes_fill_a64.h"
#else
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

#endif

/* Any number of channels, cell by cell. */
static inline void copy_cells(const plane_row *row, int32_t channels) {
    for (int32_t c = 0; c < channels; c++) {
        const int8_t *from = row->from + c * ELEMENT_BYTES;
        int16_t *to = row->to + c * row->apart;
        for (int32_t i = 0; i < row->count; i++, from += row->step) {
            to[i] = one_value(from);
        }
    }
}

/* Cells that follow each other, eight at least: the last eight overlap those before. */
static inline void copy_line(const plane_row *row) {
    const int32_t last = row->count - PIXELS;
    for (int32_t i = 0; i < last; i += PIXELS) {
        vst1q_s16(row->to + i, eight_cells(row->from + i * ELEMENT_BYTES));
    }
    vst1q_s16(row->to + last, eight_cells(row->from + last * ELEMENT_BYTES));
}

/* Four cells at least, `channels` of four that are read: the last four cells overlap those before.
 */
static inline void fill_some(const plane_row *row, int channels) {
#ifdef __aarch64__
    fill_some_a53(row, channels);
#else
    const int64_t step = row->step, apart = row->apart, last = row->count - FOUR;
    for (int64_t i = 0; i < last; i += FOUR) {
        transpose_four(row->from + i * step, step, row->to + i, apart, channels);
    }
    transpose_four(row->from + last * step, step, row->to + last, apart, channels);
#endif
}

/* Two channels at least: the last four overlap those before. */
static inline void fill_fours(const plane_row *row, int32_t channels) {
    const int32_t some = channels < FOUR ? channels : FOUR;
    for (int32_t c = 0; c < channels; c += FOUR) {
        const int32_t first = c < channels - some ? c : channels - some;
        const plane_row four = {row->from + first * ELEMENT_BYTES, row->to + first * row->apart,
                                row->step, row->apart, row->count};
        fill_some(&four, some);
    }
}

/* `readable`: channels of a pixel from the first one on. */
static __attribute__((noinline)) void fill_row(const plane_row *row, int32_t channels,
                                               int32_t readable) {
    if (channels == 1 && row->step == ELEMENT_BYTES && row->count >= PIXELS) {
        copy_line(row);
    } else if (row->count < FOUR || channels < 2 || readable < FOUR) {
        copy_cells(row, channels);
    } else {
        fill_fours(row, channels);
    }
}

static inline void pad_cells(int16_t *to, int16_t value, int32_t count) {
    int32_t i = 0;
    for (; i + 8 <= count; i += 8) {
        vst1q_s16(to + i, vdupq_n_s16(value));
    }
    for (; i < count; i++) {
        to[i] = value;
    }
}

#endif
