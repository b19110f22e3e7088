/* Convolutions of int16, depthwise ones too: four pixels by four channels, read where they lie. A
 * table has a run of each window for each of its kernel rows, or for each tap where a side cuts
 * rows, or where taps do not follow one another.
 *
 * Cores share blocks times pieces, the weights of four channels. Scratch: zero points for all cores
 * where there are pads, then for each core where the rows of a window begin and its table. */
#ifndef DPL_PULP_WIDE_H
#define DPL_PULP_WIDE_H

#include "dpl/cores.h"
#include "dpl/pulp/four_by_four.h"
#include "dpl/requant.h"
#include "dpl/tensor.h"
#include "dpl/window.h"

/* The outputs of all groups of a block, from the table, and the sums of one without biases:
 * sums[4 * channel + window]. Words hold two values, low and high of the block are one value each.
 * Layout "x4c2_runs". */
void dpl_four_by_four_s16(dpl_four_by_four *f);
void dpl_four_by_four_s16_sums(const dpl_four_by_four *f, int32_t *sums);

/* The same of depthwise windows, a run a tap, layout "depthwise_wide". step: bytes from a pixel to
 * the channel that the first output needs; pitch: from there to that of the third. */
void dpl_depthwise_s16(dpl_four_by_four *f);
void dpl_depthwise_s16_sums(const dpl_four_by_four *f, int32_t *sums);

/* A last piece of one to three channels by `run`, one of these: outputs beside the tensor, of which
 * some are copied. */
static __attribute__((noinline)) void dpl_wide_rest(dpl_four_by_four *f, int32_t count,
                                                    void run(dpl_four_by_four *f)) {
    int32_t words[FOUR][FOUR / 2];
    int16_t *outs[FOUR];
    for (int32_t i = 0; i < FOUR; i++) {
        outs[i] = (int16_t *)(void *)f->outs[i];
        f->outs[i] = (int8_t *)words[i];
    }
    run(f);
    for (int32_t i = 0; i < FOUR; i++) {
        const int16_t *made = (const int16_t *)(const void *)words[i];
        for (int32_t c = 0; c < count; c++) {
            outs[i][c] = made[c];
        }
    }
}

/* The outputs of groups of `some` channels of all blocks, a step apart, as dpl_four_by_some has
 * them, without copies. */
void dpl_four_by_some_s16(dpl_four_by_four *f);

/* A core's part. No initializer: clearing so much takes longer than the rest of the set-up. */
typedef struct {
    dpl_four_by_four block;
    const dpl_tensor_s16 *input, *output;
    const dpl_window *window;
    const dpl_requant *requant;
    const int32_t *bias;
    const int8_t *weights;
    const int16_t *zeros;
    int32_t whole;   /* whether a run is a kernel row */
    int32_t inputs;  /* channels of a tap, one behind the other */
    int32_t outputs; /* channels of a group */
    int32_t pieces, piece_bytes;
    int32_t multiplier;   /* depthwise: outputs of a channel; 0 */
    int32_t blocks;       /* of four pixels */
    const int16_t **rows; /* of the input, those of the windows of an output row; null outside */
    int16_t *out;         /* of pixel x of output row y, the first channel of the group */
    int32_t y, x;
    void (*run)(dpl_four_by_four *f);
    void (*sums)(const dpl_four_by_four *f, int32_t *sums);
} dpl_wide;

static inline int dpl_wide_padded(const dpl_pads *pads) {
    return (pads->top | pads->left | pads->bottom | pads->right) != 0;
}

/* What the arguments of both operators have. */
#define DPL_WIDE_ARGUMENTS(W, A)                                                                   \
    ((W)->input = &(A)->input, (W)->output = &(A)->output, (W)->window = &(A)->window,             \
     (W)->requant = &(A)->requant, (W)->bias = (A)->bias, (W)->weights = (A)->weights)

/* Bytes of the weights of four channels, a tap of so many words. */
static inline int32_t dpl_wide_piece_bytes(const dpl_window *w, int32_t words) {
    return 4 * FOUR * w->kernel_height * w->kernel_width * words + FOUR_TABLES;
}

/* Behind all other fields; `words` of a tap. */
static inline void dpl_wide_init(dpl_wide *w, void *scratch, int32_t words) {
    const int32_t wide = w->window->kernel_width, high = w->window->kernel_height;
    const int32_t zeros = (wide * w->inputs + 1) & ~1;
    dpl_four_by_four *const f = &w->block;
    int8_t *table = scratch;
    w->pieces = (w->outputs + FOUR - 1) >> 2;
    w->piece_bytes = dpl_wide_piece_bytes(w->window, words);
    w->blocks = (w->output->height * w->output->width + FOUR - 1) >> 2;
    f->count = w->whole ? high : high * wide;
    f->words = w->whole ? (wide * w->inputs + 1) >> 1 : words;
    f->low = (uint32_t)w->requant->low;
    f->high = (uint32_t)w->requant->high;
    f->bounded = w->requant->low > INT16_MIN || w->requant->high < INT16_MAX ? BLOCK_BOUNDED : 0;
    f->bounded |= dpl_four_by_four_rule(w->requant) ? 0 : BLOCK_HIGH;
    w->zeros = scratch;
    if (dpl_wide_padded(&w->window->pads)) {
        dpl_fill_words(table, 0, zeros >> 1);
        table += 2 * zeros;
    }
    table += dpl_core_id() * (FOUR * (f->count + 1) + high) * (int32_t)sizeof(int8_t *);
    f->table = (const int8_t **)(void *)table;
    w->rows = (const int16_t **)(void *)(f->table + FOUR * (f->count + 1));
}

/* Goes to a pixel, which may be in another row, from input channel `from` and output channel `to`
 * on. */
static inline void dpl_wide_enter(dpl_wide *w, int32_t y, int32_t x, int32_t from, int32_t to) {
    const dpl_window *const v = w->window;
    int32_t row = y * v->stride_height - v->pads.top;
    for (int32_t k = 0; k < v->kernel_height; k++, row += v->dilation_height) {
        const int inside = (uint32_t)row < (uint32_t)w->input->height;
        w->rows[k] = inside ? dpl_row_s16(w->input, row) + from : 0;
    }
    w->out = dpl_row_s16(w->output, y) + x * w->output->pixel_pitch + to;
    w->y = y;
    w->x = x;
}

/* The taps of a kernel row whose first is in column x; `inside`: no side cuts it. */
static inline const int8_t **dpl_wide_taps(const dpl_wide *w, const int16_t *row, int32_t x,
                                           int inside, const int8_t **entry) {
    const int32_t apart = w->window->dilation_width * w->input->pixel_pitch;
    const int16_t *at = row ? row + x * w->input->pixel_pitch : w->zeros;
    const int32_t step = row ? apart : 0;
    if (inside || !row) {
        for (int32_t k = w->window->kernel_width; k > 0; k--, entry += FOUR, at += step) {
            *entry = (const int8_t *)at;
        }
        return entry;
    }
    for (int32_t k = w->window->kernel_width; k > 0; k--, entry += FOUR, at += step) {
        *entry = (const int8_t *)((uint32_t)x < (uint32_t)w->input->width ? at : w->zeros);
        x += w->window->dilation_width;
    }
    return entry;
}

/* The window of the pixel as the i-th of the table. */
static inline void dpl_wide_window(const dpl_wide *w, int32_t i) {
    const dpl_window *const v = w->window;
    const int32_t x = w->x * v->stride_width - v->pads.left;
    const int32_t last = x + (v->kernel_width - 1) * v->dilation_width;
    const int inside = x >= 0 && last < w->input->width;
    const int32_t offset = x * w->input->pixel_pitch;
    const int8_t **entry = w->block.table + i;
    const int16_t *const *const end = w->rows + v->kernel_height;
    for (const int16_t *const *row = w->rows; row != end; row++) {
        if (w->whole) {
            *entry = (const int8_t *)(*row ? *row + offset : w->zeros);
            entry += FOUR;
        } else {
            entry = dpl_wide_taps(w, *row, x, inside, entry);
        }
    }
}

/* The next four pixels, or `left`; missing ones are the last again. */
static inline void dpl_wide_block(dpl_wide *w, int32_t left, int32_t from, int32_t to) {
    for (int32_t i = 0; i < FOUR; i++) {
        if (w->x == w->output->width) {
            dpl_wide_enter(w, w->y + 1, 0, from, to);
        }
        dpl_wide_window(w, i);
        w->block.outs[i] = (int8_t *)w->out;
        if (i + 1 < left) {
            w->x++;
            w->out += w->output->pixel_pitch;
        }
    }
}

/* A piece by a rule that the assembler does not know. */
static __attribute__((noinline)) void dpl_wide_any_rule(dpl_wide *w, int32_t first, int32_t count) {
    int32_t sums[FOUR * FOUR];
    w->sums(&w->block, sums);
    for (int32_t i = 0; i < FOUR; i++) {
        int16_t *out = (int16_t *)(void *)w->block.outs[i];
        for (int32_t c = 0; c < count; c++) {
            const int32_t sum = sums[FOUR * c + i] + w->bias[first + c];
            out[c] = (int16_t)dpl_requantize(w->requant, sum, first + c);
        }
        w->block.outs[i] += 2 * FOUR;
    }
}

static inline void dpl_wide_select(dpl_wide *w, int32_t group, int32_t begin, int32_t end) {
    const int8_t *weights = w->weights + group * w->pieces * w->piece_bytes;
    if (w->multiplier > 0) {
        const int32_t first = FOUR * begin / w->multiplier;
        w->block.step = 2 * first;
        w->block.pitch = 2 * ((FOUR * begin + 2) / w->multiplier - first);
    }
    w->block.weights = weights + begin * w->piece_bytes;
    w->block.weights_end = weights + end * w->piece_bytes;
}

/* Pieces of a group of channels of the block that is in the table. */
static inline void dpl_wide_pieces(dpl_wide *w, int32_t group, dpl_share pieces) {
    const int32_t all = w->outputs >> 2, whole = pieces.end < all ? pieces.end : all;
    const int known = !(w->block.bounded & BLOCK_HIGH) ||
                      dpl_high_word_rule(w->requant, w->weights + w->piece_bytes - FOUR_TABLES);
    for (int32_t i = 0; i < FOUR; i++) {
        w->block.outs[i] += 2 * FOUR * pieces.begin;
    }
    for (int32_t p = pieces.begin; !known && p < pieces.end; p++) {
        const int32_t left = w->outputs - FOUR * p;
        dpl_wide_select(w, group, p, p + 1);
        dpl_wide_any_rule(w, group * w->outputs + FOUR * p, left < FOUR ? left : FOUR);
    }
    const int32_t each = w->multiplier > 1 ? 1 : all; /* as many channels need as many others */
    for (int32_t p = pieces.begin; known && p < whole; p += each) {
        dpl_wide_select(w, group, p, p + each < whole ? p + each : whole);
        w->run(&w->block);
    }
    if (known && whole < pieces.end) {
        dpl_wide_select(w, group, whole, pieces.end);
        dpl_wide_rest(&w->block, w->outputs & 3, w->run);
    }
}

/* Goes to a block of a group of channels, `inputs` channels from one to the next. */
static inline void dpl_wide_begin(dpl_wide *w, int32_t group, int32_t block, int32_t inputs) {
    const int32_t pixel = FOUR * block, y = pixel / w->output->width;
    dpl_wide_enter(w, y, pixel - y * w->output->width, group * inputs, group * w->outputs);
}

/* This core's items (group * blocks + block) * pieces + piece. */
static inline void dpl_wide_run(dpl_wide *w, int32_t groups, int32_t inputs) {
    const int32_t pixels = w->output->height * w->output->width;
    const dpl_share items = dpl_core_share(groups * w->blocks * w->pieces);
    const int32_t place = items.begin / w->pieces;
    int32_t group = place / w->blocks, block = place - group * w->blocks;
    int32_t piece = items.begin - place * w->pieces, more = items.end - items.begin;
    if (more > 0) {
        dpl_wide_begin(w, group, block, inputs);
    }
    while (more > 0) {
        const int32_t left = w->pieces - piece;
        const dpl_share pieces = {piece, piece + (more < left ? more : left)};
        if (block == w->blocks) {
            block = 0;
            group++;
            dpl_wide_begin(w, group, 0, inputs);
        }
        dpl_wide_block(w, pixels - FOUR * block, group * inputs, group * w->outputs);
        dpl_wide_pieces(w, group, pieces);
        more -= pieces.end - pieces.begin;
        piece = 0;
        block++;
    }
}

#endif
