/* Pixels of eight groups as cells of planes. Included behind the elements of a type. */
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

/* A pixel of more channels, four at least: blocks of as many groups as channels; the last channels
 * overlap those before. */
INLINED void fill_deep(const int8_t *from, int16_t *to, int64_t apart, int32_t depth) {
    const int64_t step = (int64_t)depth * ELEMENT_BYTES;
    if (depth >= EIGHT) {
        for (int32_t c = 0; c < depth; c += EIGHT) {
            const int32_t first = c < depth - EIGHT ? c : depth - EIGHT;
            transpose_eight(from + first * ELEMENT_BYTES, step, to + first * apart, apart);
        }
        return;
    }
    for (int32_t c = 0; c < depth; c += FOUR) {
        const int32_t first = c < depth - FOUR ? c : depth - FOUR;
        const int8_t *own = from + (int64_t)first * ELEMENT_BYTES;
        transpose_four(own, step, to + first * apart, apart, FOUR);
        transpose_four(own + FOUR * step, step, to + first * apart + FOUR, apart, FOUR);
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
        for (; count > 0; count--, from += step, to += LANES_OF_GROUPS) {
            fill_deep(from, to, apart, depth);
        }
    }
}

#endif
