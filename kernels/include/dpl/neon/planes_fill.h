/* Channels of the input as planes of int16. Included behind the elements of a type, planes_s8.h or
 * planes_s16.h. */
#ifndef DPL_NEON_PLANES_FILL_H
#define DPL_NEON_PLANES_FILL_H

#include "dpl/neon/plane_blocks.h"
#include "dpl/neon/simd.h"

#ifdef __aarch64__
#include "dpl/neon/planes_fill_a64.h"
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

/* Eight cells at least, the last eight overlap those before. */
static inline void fill_eight(const plane_row *row) {
    const int64_t step = row->step, apart = row->apart, last = row->count - EIGHT;
    for (int64_t i = 0; i < last; i += EIGHT) {
        transpose_eight(row->from + i * step, step, row->to + i, apart);
    }
    transpose_eight(row->from + last * step, step, row->to + last, apart);
}

/* Channels of which whole eights are filled, or eights and one more that overlaps where more than
 * four are left; returns how many are done. */
static inline int32_t fill_eights(const plane_row *row, int32_t channels) {
    const int32_t left = channels % EIGHT, end = left > FOUR ? channels : channels - left;
    if (row->count < EIGHT || channels < EIGHT) {
        return 0;
    }
    for (int32_t c = 0; c < end; c += EIGHT) {
        const int32_t first = c < end - EIGHT ? c : end - EIGHT;
        const plane_row eight = {row->from + first * ELEMENT_BYTES, row->to + first * row->apart,
                                 row->step, row->apart, row->count};
        fill_eight(&eight);
    }
    return end;
}

/* Two channels at least: the last four overlap those before. */
static inline void fill_fours(const plane_row *row, int32_t channels) {
    const int32_t some = channels < FOUR ? channels : FOUR;
    for (int32_t c = fill_eights(row, channels); c < channels; c += FOUR) {
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

#endif
