/* Depthwise convolution: what all its pixels have in common, and blocks of four pixels whose taps
 * are listed, by any rule or by the usual one, whose outputs of one, two or four a channel stay in
 * registers. Included by depthwise.h. */
#ifndef DPL_NEON_DEPTHWISE_BLOCKS_H
#define DPL_NEON_DEPTHWISE_BLOCKS_H

#include "dpl/cores.h"
#include "dpl/neon/depthwise_rows.h"

/* A core's work. */
typedef struct {
    dpl_tensor_s8 input, output; /* channels and pitches in bytes */
    row_copies copies;
    int8_t *beside; /* a row of pixels side by side, on their way to the output */
    int8_t *held;   /* outputs of eight channels that have several each */
    int32_t lanes;  /* channels of a pixel, or of pixels side by side */
    int32_t multiplier;
    dpl_window window;
    const output_rule *requant; /* of floats the bounds */
    tap_list taps;
    int8_t *zeros;
    const int8_t *pieces;
    int32_t group; /* pixels whose channels a piece has side by side, as rows are copied */
    /* where a row of windows that are columns is one pixel: lanes after which pieces repeat, and
     * the piece of its last lanes where these are no eight; else 0 */
    int32_t period;
    const int8_t *tail;
} depthwise;

/* Up to PIXELS pixels; those that are missing repeat the last. Blocks that follow have taps and
 * outputs so many bytes further on. */
typedef struct {
    int8_t *to[PIXELS];
    int32_t count;
    int32_t y, x;   /* of the first */
    int32_t moved;  /* bytes from the taps in the list to those of the block */
    int32_t listed; /* whether the list serves pixels of this row further on */
    int32_t blocks, tap_step, to_step;
    int32_t slide; /* bytes from a tap to the next and from a pixel's to the next one's; 0 where
                    * these differ, or where the sums are not made for it */
} pixel_block;

/* Outputs of eight channels that have several each: those of `held` by turns. */
static inline void store_turns(const depthwise *d, const pixel_block *b, int32_t from) {
    for (int32_t i = 0; i < b->count; i++) {
        int8_t *to = b->to[i] + from * d->multiplier;
        store_in_turn((element *)(void *)to, (const element *)(const void *)d->held + i * WIDTH,
                      d->multiplier);
    }
}

/* All channels of a block, the last eight from the end: of each eight the first outputs, then the
 * second ones. */
INLINED void run_any(const depthwise *d, const pixel_block *b) {
    const int32_t lanes = d->lanes, last = lanes - WIDTH, multiplier = d->multiplier;
    const output_rule q = *d->requant; /* a store could change these */
    const tap_list taps = d->taps;
    const int8_t *piece = d->pieces;
    int8_t *to[PIXELS];
    for (int32_t i = 0; i < PIXELS; i++) {
        to[i] = multiplier == 1 ? b->to[i] : d->held + i * WIDTH * ELEMENT_BYTES;
    }
    for (int32_t c = 0; c < lanes; c += WIDTH) {
        const int32_t from = (c < last ? c : last) * ELEMENT_BYTES;
        for (int32_t j = 0; j < multiplier; j++) {
            const four_tables *tables = tables_of(&taps, piece, WEIGHT_BYTES);
            const block_sums sums = sum_taps(&taps, from + b->moved, piece, tables);
            const int32_t at = multiplier == 1 ? from : j * PIXELS * WIDTH * ELEMENT_BYTES;
            store_block(&q, tables, sums, to, at, b->count);
            piece = (const int8_t *)(tables + 2);
        }
        if (multiplier != 1) {
            store_turns(d, b, from);
        }
    }
}

#ifdef USUAL_RULE
/* The same of all blocks of four pixels whose channels have one output each, by that rule. `slide`
 * is that of the block and `width` that of the kernel, constants where they decide how it sums. */
INLINED void run_usual(const depthwise *d, const pixel_block *b, int64_t slide, int32_t width) {
    const int32_t lanes = d->lanes, last = lanes - WIDTH;
    const int64_t step = b->to_step;
    const tap_list taps = d->taps;
    const usual_outputs by = usual_of(d->requant, tables_of(&taps, d->pieces, WEIGHT_BYTES));
    int8_t *to0 = b->to[0], *to1 = b->to[1], *to2 = b->to[2], *to3 = b->to[3];
    int32_t moved = b->moved;
    for (int32_t i = b->blocks; i > 0; i--, moved += b->tap_step) {
        const int8_t *piece = d->pieces;
        for (int32_t c = 0; c < lanes; c += WIDTH) {
            const int32_t from = (c < last ? c : last) * ELEMENT_BYTES;
            const four_tables *tables = tables_of(&taps, piece, WEIGHT_BYTES);
            const block_sums sums = sum_usual(&taps, from + moved, piece, tables, slide, width);
            const block_vectors all = outputs_by(&by, tables, sums);
            store_vector(to0 + from, all.p0);
            store_vector(to1 + from, all.p1);
            store_vector(to2 + from, all.p2);
            store_vector(to3 + from, all.p3);
            piece = (const int8_t *)(tables + 2);
        }
        to0 += step, to1 += step, to2 += step, to3 += step;
    }
}

static inline void run_by_width(const depthwise *d, const pixel_block *b) {
    const int32_t width = d->window.kernel_width;
#ifdef LEAST_SLIDING
    if (b->slide != 0 && width == LEAST_SLIDING) {
        run_usual(d, b, b->slide, LEAST_SLIDING);
        return;
    }
#endif
    if (b->slide != 0) {
        run_usual(d, b, b->slide, width);
        return;
    }
    run_usual(d, b, 0, 0);
}
#endif

#ifdef USUAL_RULE
/* The same of blocks whose channels have `multiplier` outputs each, 2 or 4, a constant: those of a
 * pixel are stored by turns. */
INLINED void run_several(const depthwise *d, const pixel_block *b, int multiplier) {
    const int32_t lanes = d->lanes, last = lanes - WIDTH, width = d->window.kernel_width;
    const int64_t step = b->to_step, slide = b->slide;
    const tap_list taps = d->taps;
    const usual_outputs by = usual_of(d->requant, tables_of(&taps, d->pieces, WEIGHT_BYTES));
    int8_t *to0 = b->to[0], *to1 = b->to[1], *to2 = b->to[2], *to3 = b->to[3];
    int32_t moved = b->moved;
    for (int32_t i = b->blocks; i > 0; i--, moved += b->tap_step) {
        const int8_t *piece = d->pieces;
        for (int32_t c = 0; c < lanes; c += WIDTH) {
            const int32_t from = (c < last ? c : last) * ELEMENT_BYTES, at = from * multiplier;
            block_vectors made[4] = {0};
            UNROLLED for (int j = 0; j < multiplier; j += 2) {
                piece = make_two(&by, &taps, from + moved, piece, slide, width, made + j);
            }
            STORE_TURNS(to0 + at, made, p0, multiplier);
            STORE_TURNS(to1 + at, made, p1, multiplier);
            STORE_TURNS(to2 + at, made, p2, multiplier);
            STORE_TURNS(to3 + at, made, p3, multiplier);
        }
        to0 += step, to1 += step, to2 += step, to3 += step;
    }
}

/* Not inlined: these are long, and few layers need them. */
static __attribute__((noinline)) void run_twos(const depthwise *d, const pixel_block *b) {
    run_several(d, b, 2);
}

static __attribute__((noinline)) void run_fours(const depthwise *d, const pixel_block *b) {
    run_several(d, b, 4);
}
#endif

/* Whether windows of pixels at `apart` have rows of that many neighbours. */
static inline int32_t slide_of(const dpl_window *w, int32_t apart) {
#if defined(LEAST_SLIDING)
    const int slides = w->kernel_width >= LEAST_SLIDING;
#elif defined(LEAST_IN_ROW)
    const int slides = w->kernel_height == 1 && w->kernel_width >= LEAST_IN_ROW;
#else
    const int slides = 0;
#endif
    return slides && w->stride_width == 1 && w->dilation_width == 1 ? apart : 0;
}

/* Not inlined: this is most of the code. */
static __attribute__((noinline)) void run_blocks(const depthwise *d, pixel_block *b) {
#ifdef USUAL_RULE
    const four_tables *first = tables_of(&d->taps, d->pieces, WEIGHT_BYTES);
    if (b->count == PIXELS && d->multiplier == 1 && is_usual(d->requant, &d->taps, first)) {
        run_by_width(d, b);
        return;
    }
#endif
    for (int32_t i = 0; i < b->blocks; i++) {
        run_any(d, b);
        b->moved += b->tap_step;
        for (int32_t k = 0; k < PIXELS; k++) {
            b->to[k] += b->to_step;
        }
    }
}

/* Of any multiplier. Pixels that are missing go where the last one does. */
static inline void run_multiplied(const depthwise *d, pixel_block *b) {
#ifdef USUAL_RULE
    const four_tables *first = tables_of(&d->taps, d->pieces, WEIGHT_BYTES);
    if (d->multiplier == 2 && is_usual(d->requant, &d->taps, first)) {
        run_twos(d, b);
        return;
    }
    if (d->multiplier == 4 && is_usual(d->requant, &d->taps, first)) {
        run_fours(d, b);
        return;
    }
#endif
    run_blocks(d, b);
}

#endif
