/* Pixels of eight groups or four as cells of planes. Included behind the elements of a type. */
#ifndef DPL_NEON_GROUPS_FILL_H
#define DPL_NEON_GROUPS_FILL_H

#include "dpl/neon/plane_blocks.h"

#if ELEMENT_BYTES == 1
#define ELEMENTS(P) (P)
#define LOAD_2(P) vld2_s8(P)
#define LOAD_3(P) vld3_s8(P)
#define LOAD_4(P) vld4_s8(P)
#define CELLS(V) vmovl_s8(V)
#else
#define ELEMENTS(P) ((const int16_t *)(const void *)(P))
#define LOAD_2(P) vld2q_s16(ELEMENTS(P))
#define LOAD_3(P) vld3q_s16(ELEMENTS(P))
#define LOAD_4(P) vld4q_s16(ELEMENTS(P))
#define CELLS(V) (V)
#endif
#define LANES_OF_GROUPS DPL_GROUP_LANES

/* Channels of groups lie by turns: a load takes 4, 7 or 9 cycles to part two, three or four. Two
 * pixels at a time hide each other's. */
#define STORE_CELLS(TO, V, DEPTH)                                                                  \
    UNROLLED for (int c = 0; c < (DEPTH); c++) {                                                   \
        vst1q_s16((TO) + c * apart, CELLS((V).val[c]));                                            \
    }
#define FILL_BY_TURNS(DEPTH)                                                                       \
    for (; count > 1; count -= 2, from += 2 * step, to += 2 * LANES_OF_GROUPS) {                   \
        const __typeof__(LOAD_##DEPTH(from)) v = LOAD_##DEPTH(from);                               \
        const __typeof__(LOAD_##DEPTH(from)) w = LOAD_##DEPTH(from + step);                        \
        STORE_CELLS(to, v, DEPTH)                                                                  \
        STORE_CELLS(to + LANES_OF_GROUPS, w, DEPTH)                                                \
    }                                                                                              \
    if (count > 0) {                                                                               \
        const __typeof__(LOAD_##DEPTH(from)) v = LOAD_##DEPTH(from);                               \
        STORE_CELLS(to, v, DEPTH)                                                                  \
    }

/* The last two channels of a row's pixels, where eight would overlap those before by six. */
static inline void fill_last_two(const plane_row *row, int32_t depth) {
    const int64_t step = (int64_t)depth * ELEMENT_BYTES, apart = row->apart;
    const int8_t *from = row->from + step - 2 * ELEMENT_BYTES;
    int16_t *to = row->to + (depth - 2) * apart;
    for (int32_t i = 0; i < row->count; i++, from += row->step, to += LANES_OF_GROUPS) {
        const int16x8x2_t two = two_of_eight(from, step);
        vst1q_s16(to, two.val[0]);
        vst1q_s16(to + apart, two.val[1]);
    }
}

/* A row of pixels of eight channels or more: blocks of as many groups as channels; the last
 * channels overlap those before. */
static inline void fill_by_eights(const plane_row *row, int32_t depth) {
    const int64_t step = (int64_t)depth * ELEMENT_BYTES, apart = row->apart;
    const int32_t left = depth % EIGHT, few = left == 1 || left == 2;
    if (few) {
        fill_last_two(row, depth);
    }
    for (int32_t c = 0; c < (few ? depth - left : depth); c += EIGHT) {
        const int32_t first = c < depth - EIGHT ? c : depth - EIGHT;
        const int8_t *from = row->from + first * ELEMENT_BYTES;
        int16_t *to = row->to + first * apart;
        for (int32_t i = 0; i < row->count; i++, from += row->step, to += LANES_OF_GROUPS) {
            transpose_eight(from, step, to, apart);
        }
    }
}

/* Of fewer channels, four at least. */
static inline void fill_by_fours(const plane_row *row, int32_t depth) {
    const int64_t step = (int64_t)depth * ELEMENT_BYTES, apart = row->apart;
    for (int32_t c = 0; c < depth; c += FOUR) {
        const int32_t first = c < depth - FOUR ? c : depth - FOUR;
        const int8_t *from = row->from + first * ELEMENT_BYTES;
        int16_t *to = row->to + first * apart;
        for (int32_t i = 0; i < row->count; i++, from += row->step, to += LANES_OF_GROUPS) {
            transpose_four(from, step, to, apart, FOUR);
            transpose_four(from + FOUR * step, step, to + FOUR, apart, FOUR);
        }
    }
}

/* The cells of a row, `depth` channels of each group. */
static __attribute__((noinline)) void fill_pixels(const plane_row *row, int32_t depth) {
    const int8_t *from = row->from;
    const int64_t step = row->step, apart = row->apart;
    int32_t count = row->count;
    int16_t *to = row->to;
    switch (depth) {
    case 1:
        for (; count > 0; count--, from += step, to += LANES_OF_GROUPS) {
            vst1q_s16(to, eight_cells(from));
        }
        break;
    case 2: FILL_BY_TURNS(2) break;
    case 3: FILL_BY_TURNS(3) break;
    case 4: FILL_BY_TURNS(4) break;
    default:
        if (depth >= EIGHT) {
            fill_by_eights(row, depth);
        } else {
            fill_by_fours(row, depth);
        }
    }
}

/* Twelve elements of a pixel, widened. */
INLINED void widen_twelve(const int8_t *from, int16_t *to) {
    vst1q_s16(to, eight_cells(from));
    vst1_s16(to + EIGHT, four_channels(from + EIGHT * ELEMENT_BYTES));
}

/* Two channels of two pixels, `step` bytes apart. */
INLINED int16x8x2_t part_two(const int8_t *from, int64_t step) {
    return vuzpq_s16(eight_cells(from), eight_cells(from + step));
}

INLINED void store_parts(int16x8x2_t two, int16_t *to, int64_t apart) {
    vst1q_s16(to, two.val[0]);
    vst1q_s16(to + apart, two.val[1]);
}

/* The cells of two pixels of four groups of up to three channels. */
INLINED void fill_two_pixels(const int8_t *from, int64_t step, int16_t *to, int64_t apart,
                             int depth) {
    if (depth == 1) {
        vst1q_s16(to, vcombine_s16(four_channels(from), four_channels(from + step)));
    } else if (depth == 2) {
        store_parts(part_two(from, step), to, apart);
    } else {
        int16_t both[2 * 3 * FOUR];
        widen_twelve(from, both);
        widen_twelve(from + step, both + 3 * FOUR);
        const int16x8x3_t three = vld3q_s16(both);
        store_parts((int16x8x2_t){{three.val[0], three.val[1]}}, to, apart);
        vst1q_s16(to + 2 * apart, three.val[2]);
    }
}

/* Of two channels four pixels at a time hide each other's latencies; returns how many are done. */
static inline int64_t fill_pixels_of_two(const plane_row *row) {
    const int64_t step = row->step, apart = row->apart;
    int64_t i = 0;
    for (; i + FOUR <= row->count; i += FOUR) {
        const int8_t *from = row->from + i * step;
        int16_t *to = row->to + i * FOUR;
        const int16x8x2_t first = part_two(from, step), last = part_two(from + 2 * step, step);
        store_parts(first, to, apart);
        store_parts(last, to + EIGHT, apart);
    }
    return i;
}

/* A row of them: the last two overlap those before. */
INLINED void fill_few_channels(const plane_row *row, int depth) {
    const int64_t step = row->step, apart = row->apart, last = row->count - 2;
    for (int64_t i = depth == 2 ? fill_pixels_of_two(row) : 0; i < last; i += 2) {
        fill_two_pixels(row->from + i * step, step, row->to + i * FOUR, apart, depth);
    }
    if (last >= 0) {
        fill_two_pixels(row->from + last * step, step, row->to + last * FOUR, apart, depth);
    } else if (row->count == 1) {
        int16_t cells[3 * EIGHT];
        fill_two_pixels(row->from, 0, cells, EIGHT, depth);
        for (int c = 0; c < depth; c++) {
            vst1_s16(row->to + c * apart, vld1_s16(cells + c * EIGHT));
        }
    }
}

/* The cells of a row of pixels of four groups of four channels or more. */
static inline void fill_fours(const plane_row *row, int32_t depth) {
    const int64_t apart = row->apart, step = (int64_t)depth * ELEMENT_BYTES;
    const int8_t *from = row->from;
    int16_t *to = row->to;
    for (int32_t i = 0; i < row->count; i++, from += row->step, to += FOUR) {
        for (int32_t c = 0; c < depth; c += FOUR) {
            const int32_t first = c < depth - FOUR ? c : depth - FOUR;
            transpose_four(from + first * ELEMENT_BYTES, step, to + first * apart, apart, FOUR);
        }
    }
}

/* The cells of a row, `depth` channels of each of four groups. Where pixels follow one another and
 * have no more, two of them lie as one of eight groups would. */
static inline void fill_fours_of_groups(const plane_row *row, int32_t depth) {
    plane_row own = *row;
    if (row->step == 4 * depth * ELEMENT_BYTES) {
        const plane_row pairs = {row->from, row->to, 2 * row->step, row->apart, row->count / 2};
        fill_pixels(&pairs, depth);
        own.from += pairs.count * pairs.step;
        own.to += pairs.count * LANES_OF_GROUPS;
        own.count %= 2;
    }
    switch (depth) {
    case 1: fill_few_channels(&own, 1); break;
    case 2: fill_few_channels(&own, 2); break;
    case 3: fill_few_channels(&own, 3); break;
    default: fill_fours(&own, depth);
    }
}

#endif
