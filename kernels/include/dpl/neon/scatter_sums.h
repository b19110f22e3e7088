/* Products of a transposed convolution, where the outputs that an input pixel reaches are lanes.
 *
 * A tile is up to four vectors of a kernel's outputs by four input pixels, one below the other: a
 * channel takes a load of each vector's weights and four products, 20 cycles for 64. Channels of
 * the pixels are lanes, loaded four at a time: 21 cycles a channel. Sums are loaded and stored once
 * a pixel, 48 cycles for all. */
#ifndef DPL_NEON_SCATTER_SUMS_H
#define DPL_NEON_SCATTER_SUMS_H

#include "dpl/neon/blocking.h"
#include "dpl/neon/simd.h"

#define FOUR 4
#define TILE DPL_SCATTER_VECTORS
#define ROWS DPL_SCATTER_ROWS

/* For `columns` pixels of a row and of those below: `x` their first channels, `x_row` and `pixel`
 * apart, `to` the first sum of the kernel's first row, `row` and `step` apart, `at` where the
 * vectors are behind it. */
typedef struct {
    const int16_t *x, *weights;
    int32_t *to;
    int64_t x_row, pixel, row, step;
    int64_t at[TILE];
    int32_t depth, columns;
} scatter_tile;

typedef struct {
    int32x4_t of[ROWS][TILE];
} tile_sums;

/* The products of channel LANE of `x` with the weights from `w` on, which go on. */
#define ADD_LANE(LANE)                                                                             \
    UNROLLED for (int v = 0; v < count; v++, w += FOUR) {                                          \
        const int16x4_t by = vld1_s16(w);                                                          \
        s->of[0][v] = vmlal_lane_s16(s->of[0][v], by, x0, LANE);                                   \
        s->of[1][v] = vmlal_lane_s16(s->of[1][v], by, x1, LANE);                                   \
        s->of[2][v] = vmlal_lane_s16(s->of[2][v], by, x2, LANE);                                   \
        s->of[3][v] = vmlal_lane_s16(s->of[3][v], by, x3, LANE);                                   \
    }

/* All channels; `count`: vectors, a constant. What is behind the last channel may be read. */
INLINED void add_channels(tile_sums *s, const scatter_tile *t, const int16_t *x, int count) {
    const int16_t *w = t->weights;
    for (int32_t left = t->depth; left > 0; left -= FOUR, x += FOUR) {
        const int16x4_t x0 = vld1_s16(x), x1 = vld1_s16(x + t->x_row);
        const int16x4_t x2 = vld1_s16(x + 2 * t->x_row), x3 = vld1_s16(x + 3 * t->x_row);
        ADD_LANE(0)
        if (left >= FOUR) {
            ADD_LANE(1)
            ADD_LANE(2)
            ADD_LANE(3)
            continue;
        }
        if (left > 1) {
            ADD_LANE(1)
        }
        if (left > 2) {
            ADD_LANE(2)
        }
    }
}

/* No two sums of a tile are one and the same, so all are loaded before any is stored. */
INLINED void run_columns(const scatter_tile *given, int count) {
    const scatter_tile t = *given; /* a store could change it */
    const int16_t *x = t.x;
    int32_t *to = t.to;
    for (int32_t i = t.columns; i > 0; i--, x += t.pixel, to += t.step) {
        tile_sums s;
        UNROLLED for (int v = 0; v < count; v++) {
            UNROLLED for (int j = 0; j < ROWS; j++) {
                s.of[j][v] = vld1q_s32(to + j * t.row + t.at[v]);
            }
        }
        add_channels(&s, &t, x, count);
        UNROLLED for (int v = 0; v < count; v++) {
            UNROLLED for (int j = 0; j < ROWS; j++) {
                vst1q_s32(to + j * t.row + t.at[v], s.of[j][v]);
            }
        }
    }
}

static void run_tile(const scatter_tile *t, int32_t count) {
    switch (count) {
    case 4: run_columns(t, 4); break;
    case 3: run_columns(t, 3); break;
    case 2: run_columns(t, 2); break;
    default: run_columns(t, 1); break;
    }
}

#undef ADD_LANE

#endif
