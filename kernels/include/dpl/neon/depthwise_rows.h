/* Rows that a depthwise convolution copies, since its taps then lie at the same distances for all
 * pixels of a row, between the zero points that windows reach beyond the sides.
 *
 * Pixels of few channels go side by side: the channels of a group of them are the lanes of one.
 * Neighbours have to follow each other in the copies then, so that at a stride a row is copied as
 * so many, its phases, each of every so many-th column. */
#ifndef DPL_NEON_DEPTHWISE_ROWS_H
#define DPL_NEON_DEPTHWISE_ROWS_H

#include "dpl/neon/copies.h"

typedef struct {
    int32_t group;  /* pixels side by side */
    int32_t phases; /* of a row */
    int32_t pixel;  /* bytes */
    int32_t apart;  /* bytes from a pixel's taps to those of the next */
    int32_t phase_bytes, row_bytes, all_bytes;
    int32_t columns;        /* of the input before this one, windows reach */
    int32_t held;           /* rows, one after the other in a ring */
    int32_t done;           /* rows before this one are copied */
    int8_t *rows, *outside; /* the latter in place of rows above and below */
} row_copies;

/* Pixels side by side of which a fifth of the lanes are empty at most. The last eight lanes overlap
 * those before, so there are eight at least. */
static inline int32_t side_by_side(int32_t channels) {
    int32_t group = (WIDTH + channels - 1) / channels;
    while ((group * channels + WIDTH - 1) / WIDTH * WIDTH * 5 > group * channels * 6) {
        group++;
    }
    return group;
}

/* A pixel, or a row of them, of at least two vectors, of which the last overlap those before; a
 * vector is stored behind the load of the next one, which hides what it takes. */
static inline void copy_pixel(int8_t *to, const int8_t *from, int32_t bytes) {
    for (int32_t i = 0; i < bytes; i += 2 * RUN_BYTES) {
        const int32_t at = i + 2 * RUN_BYTES < bytes ? i : bytes - 2 * RUN_BYTES;
        const int8x16_t first = vld1q_s8(from + at), last = vld1q_s8(from + at + RUN_BYTES);
        vst1q_s8(to + at, first);
        vst1q_s8(to + at + RUN_BYTES, last);
    }
}

/* `count` pixels of `bytes`. */
static inline void copy_pixels(strided_run at, int32_t bytes, int32_t count) {
    if (at.from_step == bytes && at.to_step == bytes && count * bytes >= 2 * RUN_BYTES) {
        copy_pixel(at.to, at.from, count * bytes);
    } else if (bytes >= 2 * RUN_BYTES) {
        COPY_EACH(copy_pixel(at.to, at.from, bytes))
    } else if (bytes == ELEMENT_BYTES) {
        COPY_EACH(*(element *)(void *)at.to = *(const element *)(const void *)at.from)
    } else {
        copy_runs(at, bytes, count);
    }
}

/* The columns of a phase that windows cover. */
static inline void copy_phase(const row_copies *c, const dpl_tensor_s8 *input, int32_t left,
                              const int8_t *row, int8_t *to, int32_t phase) {
    const int32_t first = left > phase ? (left - phase + c->phases - 1) / c->phases : 0;
    const int32_t column = phase + first * c->phases - left;
    const int32_t count = column < c->columns ? (c->columns - 1 - column) / c->phases + 1 : 0;
    const int32_t bytes = input->channels, step = c->phases * input->pixel_pitch;
    const int8_t *from = row + column * input->pixel_pitch;
    int8_t *copy = to + phase * c->phase_bytes + first * c->pixel;
    const strided_run at = {copy, from, c->pixel, step};
    copy_pixels(at, bytes, count);
}

/* Of row `y`, which may be above the input. */
static inline int32_t place_in_ring(const row_copies *c, int32_t y) {
    const int32_t place = y % c->held;
    return place < 0 ? place + c->held : place;
}

static inline int8_t *copy_of_row(const row_copies *c, int32_t y) {
    return c->rows + y % c->held * c->row_bytes;
}

/* The rows of a window from row `first` on. */
static inline void copy_rows(row_copies *c, const dpl_tensor_s8 *input, int32_t left,
                             int32_t first) {
    const int32_t end = first + c->held < input->height ? first + c->held : input->height;
    int32_t y = c->done > first ? c->done : first < 0 ? 0 : first;
    for (; y < end; y++) {
        for (int32_t phase = 0; phase < c->phases; phase++) {
            copy_phase(c, input, left, dpl_row_s8(input, y), copy_of_row(c, y), phase);
        }
    }
    c->done = y;
}

/* Where the taps of a kernel row lie, from the first pixel of a row on; those of a block's pixels
 * are `step` apart, and as far as the `last` of them. */
static inline const int8_t **list_copied(const row_copies *c, const dpl_window *w,
                                         const int8_t *row, int64_t step, int32_t last,
                                         const int8_t **at) {
    const int32_t turns = w->dilation_width % c->phases;
    const int64_t moves = (int64_t)(w->dilation_width / c->phases) * c->pixel;
    const int64_t second = (last < 1 ? last : 1) * step, third = (last < 2 ? last : 2) * step;
    const int64_t fourth = (last < 3 ? last : 3) * step;
    int32_t phase = 0;
    for (int32_t k = 0; k < w->kernel_width; k++, at += PIXELS) {
        const int8_t *tap = row + phase * c->phase_bytes;
        at[0] = tap;
        at[1] = tap + second;
        at[2] = tap + third;
        at[3] = tap + fourth;
        row += moves;
        phase += turns;
        if (phase >= c->phases) {
            phase -= c->phases;
            row += c->pixel;
        }
    }
    return at;
}

#endif
