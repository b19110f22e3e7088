/* Tiles of the input, transformed into records. */
#ifndef DPL_CORTEX_M_WINOGRAD_INPUT_H
#define DPL_CORTEX_M_WINOGRAD_INPUT_H

#include "dpl/cortex_m/winograd.h"

/* `outside`: a pixel of the input's zero point. `columns`: room for four columns of a row of tiles,
 * transformed downwards, 8 bytes a channel each; a tile leaves its right two to the next. */
typedef struct {
    const dpl_tensor_s8 *input;
    dpl_pads pads;
    const int8_t *outside;
    uint32_t *columns;
} tile_source;

/* The four rows of a tile; a row beyond the input is null. */
typedef struct {
    const int8_t *at[SIDE];
} tile_rows;

static inline int32_t column_words(const tile_source *s) {
    return filled_channels(s->input->channels) / 2 * SIDE;
}

static inline tile_rows rows_of_tile(const tile_source *s, int32_t y) {
    tile_rows rows;
    for (int32_t i = 0; i < SIDE; i++) {
        const int32_t row = y + i - s->pads.top;
        const int inside = row >= 0 && row < s->input->height;
        rows.at[i] = inside ? dpl_row_s8(s->input, row) : 0;
    }
    return rows;
}

/* Two channels of a column, downwards. */
static inline void transform_down(uint32_t *to, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    to[0] = sub_halves(a, c);
    to[1] = add_halves(b, c);
    to[2] = sub_halves(c, b);
    to[3] = sub_halves(b, d);
}

static __attribute__((noinline)) void make_tile_column(const tile_source *s, const tile_rows *rows,
                                                       int32_t x, uint32_t *to) {
    const int inside = x >= 0 && x < s->input->width;
    const int32_t skipped = x * s->input->pixel_pitch;
    const int8_t *at[SIDE];
#pragma GCC unroll 4
    for (int32_t i = 0; i < SIDE; i++) {
        at[i] = inside && rows->at[i] ? rows->at[i] + skipped : s->outside;
    }
    const int8_t *a = at[0], *b = at[1], *c = at[2], *d = at[3];
    const int8_t *end = a + (s->input->channels & -4);
    for (int32_t rest = s->input->channels & 3;; rest = 0) {
        for (; a != end; a += 4, b += 4, c += 4, d += 4, to += 2 * SIDE) {
            const uint32_t p = load_word(a), q = load_word(b), r = load_word(c), t = load_word(d);
            transform_down(to, even_bytes(p), even_bytes(q), even_bytes(r), even_bytes(t));
            transform_down(to + SIDE, odd_bytes(p), odd_bytes(q), odd_bytes(r), odd_bytes(t));
        }
        if (rest == 0) {
            return;
        }
        a += rest - 4, b += rest - 4, c += rest - 4, d += rest - 4;
        end += rest;
    }
}

/* Four columns into a lane of a record. */
static __attribute__((noinline)) void transform_across(const uint32_t *left, const uint32_t *right,
                                                       int32_t words, uint32_t *to) {
    const uint32_t *const end = left + words;
    for (; left != end; left += SIDE, right += SIDE, to += PAIR_WORDS) {
#pragma GCC unroll 4
        for (int32_t i = 0; i < SIDE; i++) {
            const uint32_t a = left[i], b = left[i + words], c = right[i], d = right[i + words];
            uint32_t *const row = to + i * SIDE * LANES;
            row[0] = sub_halves(a, c);
            row[LANES] = add_halves(b, c);
            row[2 * LANES] = sub_halves(c, b);
            row[3 * LANES] = sub_halves(b, d);
        }
    }
}

static inline uint32_t *lane_of(uint32_t *records, int32_t words, int32_t tile) {
    return records + tile / LANES * words + tile % LANES;
}

/* `count` tiles of output row y from column x on, as tiles `first`... of the records. */
static inline void transform_tiles(const tile_source *s, int32_t y, int32_t x, int32_t count,
                                   uint32_t *records, int32_t first) {
    const tile_rows rows = rows_of_tile(s, y);
    const int32_t words = column_words(s),
                  record = record_words(filled_channels(s->input->channels));
    uint32_t *left = s->columns, *right = left + 2 * words;
    x -= s->pads.left;
    make_tile_column(s, &rows, x, left);
    make_tile_column(s, &rows, x + 1, left + words);
    for (int32_t i = 0; i < count; i++) {
        uint32_t *const old = left;
        x += 2;
        make_tile_column(s, &rows, x, right);
        make_tile_column(s, &rows, x + 1, right + words);
        transform_across(left, right, words, lane_of(records, record, first + i));
        left = right;
        right = old;
    }
}

#endif
