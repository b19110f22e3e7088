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

#if ELEMENT_BYTES == 1
#define TWO_CHANNEL_CELLS int8x8x2_t
#define THREE_CHANNEL_CELLS int8x8x3_t
#define TWO_BY_TURNS(P) vld2_s8(P)
#define THREE_BY_TURNS(P) vld3_s8(P)
#define AS_CELLS(V) vmovl_s8(V)
#else
#define TWO_CHANNEL_CELLS int16x8x2_t
#define THREE_CHANNEL_CELLS int16x8x3_t
#define TWO_BY_TURNS(P) vld2q_s16((const int16_t *)(const void *)(P))
#define THREE_BY_TURNS(P) vld3q_s16((const int16_t *)(const void *)(P))
#define AS_CELLS(V) (V)
#endif

/* Eight pixels of two channels or three, a constant, that follow each other: a load by turns takes
 * up to seven cycles, where a channel's cells take three each one by one. */
INLINED void part_channels(const int8_t *from, int16_t *to, int64_t apart, int channels) {
    if (channels == 2) {
        const TWO_CHANNEL_CELLS two = TWO_BY_TURNS(from);
        vst1q_s16(to, AS_CELLS(two.val[0]));
        vst1q_s16(to + apart, AS_CELLS(two.val[1]));
    } else {
        const THREE_CHANNEL_CELLS three = THREE_BY_TURNS(from);
        vst1q_s16(to, AS_CELLS(three.val[0]));
        vst1q_s16(to + apart, AS_CELLS(three.val[1]));
        vst1q_s16(to + 2 * apart, AS_CELLS(three.val[2]));
    }
}

/* A row of them, eight at least: the last eight overlap those before. */
INLINED void part_row(const plane_row *row, int channels) {
    const int64_t step = row->step, apart = row->apart, last = row->count - PIXELS;
    for (int64_t i = 0; i < last; i += PIXELS) {
        part_channels(row->from + i * step, row->to + i, apart, channels);
    }
    part_channels(row->from + last * step, row->to + last, apart, channels);
}

/* Four cells at least, `channels` of four that are read: the last four cells overlap those before.
 */
static inline void fill_some(const plane_row *row, int channels) {
#if defined(__aarch64__) && ELEMENT_BYTES == 2
    if (row->count >= EIGHT) {
        fill_eight_a53(row, channels);
        return;
    }
#endif
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

/* Whether eight channels take no longer as twice four. */
#if defined(__aarch64__) && ELEMENT_BYTES == 2
#define FOURS_SUFFICE 1
#else
#define FOURS_SUFFICE 0
#endif

/* From channel `first` on. */
static inline plane_row row_from(const plane_row *row, int32_t first) {
    const plane_row own = {row->from + first * ELEMENT_BYTES, row->to + first * row->apart,
                           row->step, row->apart, row->count};
    return own;
}

/* Two channels of eight cells at least, the last eight overlap those before: 14 cycles, where
 * blocks of four channels take 18 for four of int8, 27 for eight of int16. */
static inline void fill_two(const plane_row *row) {
#ifdef __aarch64__
    fill_two_a53(row);
#else
    const int64_t step = row->step, last = row->count - EIGHT;
    for (int64_t i = 0; i < last + EIGHT; i += EIGHT) {
        const int64_t at = i < last ? i : last;
        const int16x8x2_t two = two_of_eight(row->from + at * step, step);
        vst1q_s16(row->to + at, two.val[0]);
        vst1q_s16(row->to + at + row->apart, two.val[1]);
    }
#endif
}

/* Channels of which whole eights are filled, or eights and one more that overlaps where more than
 * four are left; returns how many are done. */
static inline int32_t fill_eights(const plane_row *row, int32_t channels) {
    const int32_t left = channels % EIGHT, end = left > FOUR ? channels : channels - left;
    if (row->count < EIGHT || channels < EIGHT || FOURS_SUFFICE) {
        return 0;
    }
    for (int32_t c = 0; c < end; c += EIGHT) {
        const plane_row eight = row_from(row, c < end - EIGHT ? c : end - EIGHT);
        fill_eight(&eight);
    }
    return end;
}

/* Two channels at least: the last four overlap those before, of one or two behind whole fours the
 * last two. */
static inline void fill_fours(const plane_row *row, int32_t channels) {
    const int32_t some = channels < FOUR ? channels : FOUR;
    for (int32_t c = fill_eights(row, channels); c < channels; c += FOUR) {
        const int32_t left = channels - c;
        const int two = left <= 2 && row->count >= EIGHT;
        const int32_t most = channels - (two ? 2 : some);
        const plane_row own = row_from(row, c < most ? c : most);
        if (two) {
            fill_two(&own);
        } else {
            fill_some(&own, some);
        }
    }
}

/* `readable`: channels of a pixel from the first one on. */
static __attribute__((noinline)) void fill_row(const plane_row *row, int32_t channels,
                                               int32_t readable) {
    if (channels == 1 && row->step == ELEMENT_BYTES && row->count >= PIXELS) {
        copy_line(row);
    } else if (channels == 2 && row->step == 2 * ELEMENT_BYTES && row->count >= PIXELS) {
        part_row(row, 2);
    } else if (channels == 3 && row->step == 3 * ELEMENT_BYTES && row->count >= PIXELS) {
        part_row(row, 3);
    } else if (channels == 2 && row->count >= EIGHT) {
        fill_two(row);
    } else if (row->count < FOUR || channels < 2 || readable < FOUR) {
        copy_cells(row, channels);
    } else {
        fill_fours(row, channels);
    }
}

#endif
