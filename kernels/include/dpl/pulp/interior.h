/* Convolutions whose windows no side cuts, of any channels and groups: in few instructions. Tiles
 * call often, and all that runs once a call comes from L2, for it does not stay in the cores'
 * instruction cache.
 *
 * A window is read in runs, of a kernel row or, where pixels of a group of channels do not follow
 * one another, of a tap. They begin at any address: a word that is not aligned takes a cycle more.
 *
 * Scratch: zero points as many as four windows cover of a row (of int16 one, where rows have
 * fewer), where there are pads; then for each core its runs and either a table of the runs of four
 * windows, or copies of these. */
#ifndef DPL_PULP_INTERIOR_H
#define DPL_PULP_INTERIOR_H

#include "dpl/conv2d.h"
#include "dpl/cores.h"
#include "dpl/pulp/bytes.h"
#ifdef DPL_INTERIOR_HALVES
#include "dpl/pulp/interior_halves.h"
#else
#include "dpl/pulp/interior_bytes.h"
#endif

enum { DPL_PIECE_BYTES = FOUR * DPL_VALUE_BYTES }; /* of a pixel */

/* The next block begins at column x of row y. A piece is the weights of four channels. */
typedef struct {
    dpl_four_by_four block;
    dpl_columns columns;
    const int8_t **runs;
    int32_t y, x, width;
    int32_t step;          /* bytes from a window to the next */
    int32_t across, apart; /* runs of a kernel row, bytes from one to the next */
    int32_t pieces, some;  /* of a group of channels; channels of its last one, if less than four */
    int32_t piece_bytes;
    int8_t *zeros;
    int32_t zero_words;
    const int8_t *input, *weights; /* of the group of channels */
    int8_t *output;
} dpl_interior;

static inline int32_t dpl_interior_high(const dpl_conv2d_s8_args *a) {
    const int32_t tap = a->groups == 1 ? a->input.channels : a->input.channels / a->groups;
    return dpl_high_word_rule(&a->requant, a->weights + FOUR * dpl_values_filter(a, tap));
}

/* Whether all windows of a row can be read, or copied, a step apart. Rows that may be outside are
 * read beside others, or copied. */
static inline int dpl_is_interior(const dpl_conv2d_s8_args *a) {
    const dpl_window *w = &a->window;
    const dpl_tensor_s8 *in = &a->input;
    if ((w->pads.left | w->pads.right | in->ring_height | a->output.ring_height) != 0 ||
        !(dpl_four_by_four_rule(&a->requant) || dpl_interior_high(a)) || !dpl_values_lie(a)) {
        return 0;
    }
    const int follow = in->pixel_pitch == in->channels;
    if (dpl_values_copied(a, w->kernel_width * in->channels)) {
        return follow && a->output.width >= FOUR;
    }
    return follow || w->kernel_width == 1 || !dpl_values_along(a);
}

static inline int dpl_follow(const dpl_tensor_s8 *t) {
    return t->row_pitch == t->width * t->pixel_pitch;
}

/* Pixels of a row of the output; all of them where nothing parts rows, but not of copies. */
static inline int32_t dpl_interior_width(const dpl_conv2d_s8_args *a) {
    const dpl_window *w = &a->window;
    const int32_t alike = w->kernel_height * w->kernel_width * w->stride_height * w->stride_width;
    int one = alike == 1 && (w->pads.top | w->pads.bottom) == 0 && dpl_follow(&a->input) &&
              dpl_follow(&a->output);
    return one ? a->output.width * a->output.height : a->output.width;
}

/* Windows a column apart, each core's behind its pointers. */
static inline void dpl_interior_copies(dpl_interior *u, int8_t *to, int32_t row, int32_t column) {
    dpl_four_by_four *f = &u->block;
    dpl_columns *c = &u->columns;
    c->runs = u->runs;
    c->count = f->count;
    c->bytes = row;
    c->pad = 0;
    c->step = u->step;
    c->to = to;
    c->column = column;
    c->zeros = u->zeros;
    f->table[0] = f->table[1] = to;
    f->runs = f->table;
    f->count = 1;
    f->words = column >> 2;
    f->step = column;
    f->copies = c;
}

/* Runs of a kernel row, or of its taps. */
static inline void dpl_interior_runs(const dpl_conv2d_s8_args *a, dpl_interior *u, int32_t tap) {
    const int32_t wide = a->window.kernel_width;
    dpl_four_by_four *f = &u->block;
    u->across = dpl_values_along(a) ? 1 : wide;
    u->apart = a->window.dilation_width * a->input.pixel_pitch;
    f->count = a->window.kernel_height * u->across;
    f->words = ((dpl_values_along(a) ? wide * tap : tap) + 3) >> 2;
}

static inline void dpl_interior_init(const dpl_conv2d_s8_args *a, dpl_interior *u, int32_t id,
                                     int32_t tap) {
    const int32_t row = a->window.kernel_width * tap;
    const int copied = dpl_values_copied(a, row);
    int8_t *own = (int8_t *)a->scratch;
    dpl_four_by_four *f = &u->block;
    dpl_interior_runs(a, u, tap);
    const int32_t column = copied ? dpl_whole_words(f->count * row) : 4 * f->count * f->words;
    const int32_t pointers =
        (int32_t)sizeof(int8_t *) * (f->count + (copied ? 1 + 2 * FOUR : 5 + FOUR * f->count));
    u->zeros = own;
    u->step = a->window.stride_width * a->input.pixel_pitch;
    const int listed = DPL_VALUE_BYTES > 1 && a->output.width < FOUR;
    u->zero_words = ((listed ? 0 : 3 * u->step) + row + 3) >> 2;
    if (a->window.pads.top | a->window.pads.bottom) {
        own += 4 * u->zero_words;
    }
    own += id * (pointers + (copied ? FOUR * column : 0));
    u->runs = (const int8_t **)(void *)own;
    u->piece_bytes = FOUR * column + FOUR_TABLES;
    f->runs = u->runs;
    f->table = u->runs + f->count + 1;
    f->step = u->step;
    f->pitch = a->output.pixel_pitch;
    f->copies = 0;
    f->zeros = u->zeros;
    dpl_values_bounds(f, &a->requant);
    if (!dpl_four_by_four_rule(&a->requant)) {
        f->bounded |= BLOCK_HIGH;
    }
    if (DPL_VALUE_BYTES == 1 && copied) {
        dpl_interior_copies(u, own + pointers, row, column);
    }
}

static __attribute__((noinline)) void dpl_interior_zeros(const dpl_conv2d_s8_args *a,
                                                         const dpl_interior *u) {
    dpl_fill_words(u->zeros, dpl_bytes_of(a->input_zero), u->zero_words);
}

/* Runs of a kernel row behind its first one: of its taps. */
static __attribute__((noinline)) const int8_t **
dpl_interior_taps(const dpl_interior *u, const int8_t **to, int32_t apart, const int8_t *from) {
    const int32_t on = from == u->zeros ? 0 : u->apart;
    for (int32_t i = u->across - 1; i > 0; i--, to += apart) {
        from += on;
        *to = from;
    }
    return to;
}

/* The runs of the window at column x of row y, `apart` entries from one to the next. */
static inline const int8_t **dpl_interior_rows(const dpl_conv2d_s8_args *a, dpl_interior *u,
                                               const int8_t **to, int32_t apart) {
    const uint32_t height = (uint32_t)a->input.height;
    const int32_t dilation = a->window.dilation_height, pitch = a->input.row_pitch;
    int32_t y = u->y * a->window.stride_height - a->window.pads.top;
    const int8_t *at = u->input + y * pitch + u->x * u->step;
    for (int32_t k = a->window.kernel_height; k > 0; k--) {
        *to = at;
        if ((uint32_t)y >= height) {
            *to = u->zeros;
            dpl_interior_zeros(a, u);
        }
        to += apart;
        if (u->across > 1) {
            to = dpl_interior_taps(u, to, apart, to[-apart]);
        }
        y += dilation;
        at += dilation * pitch;
    }
    return to;
}

static inline int8_t *dpl_interior_out(const dpl_conv2d_s8_args *a, const dpl_interior *u) {
    return u->output + u->y * a->output.row_pitch + u->x * u->block.pitch;
}

static inline void dpl_interior_settle(dpl_interior *u) {
    if (u->x >= u->width) {
        u->x -= u->width;
        u->y++;
    }
}

static inline void dpl_interior_select(dpl_interior *u, int32_t piece, int32_t pieces) {
    u->block.groups = pieces;
    u->block.weights = u->weights + piece * u->piece_bytes;
    u->block.weights_end = u->block.weights + pieces * u->piece_bytes;
}

/* Of `pieces` from `piece` on, those of four channels. */
static inline int32_t dpl_interior_whole(const dpl_interior *u, int32_t piece, int32_t pieces) {
    return u->some > 0 && piece + pieces == u->pieces ? pieces - 1 : pieces;
}

/* Pieces of a block whose table and outputs are set. */
static __attribute__((noinline)) void dpl_interior_list(dpl_interior *u, int32_t piece,
                                                        int32_t pieces) {
    dpl_four_by_four *f = &u->block;
    const int32_t whole = dpl_interior_whole(u, piece, pieces);
    f->bounded |= BLOCK_LISTED;
    if (whole > 0) {
        dpl_interior_select(u, piece, whole);
        dpl_values_table(f);
    }
    if (whole < pieces) {
        dpl_interior_select(u, piece + whole, 1);
        dpl_values_rest(f, u->some);
    }
    f->bounded &= ~BLOCK_LISTED;
}

/* A block that goes on in the next row, or ends with the last, of `left` pixels. */
static __attribute__((noinline)) void dpl_interior_listed(const dpl_conv2d_s8_args *a,
                                                          dpl_interior *u, int32_t left,
                                                          int32_t piece, int32_t pieces) {
    dpl_four_by_four *f = &u->block;
    for (int32_t i = 0; i < FOUR; i++) {
        u->x += i > 0 && i < left;
        dpl_interior_settle(u);
        dpl_interior_rows(a, u, f->table + i, FOUR);
        f->outs[i] = dpl_interior_out(a, u) + DPL_PIECE_BYTES * piece;
    }
    u->x++;
    dpl_interior_list(u, piece, pieces);
}

/* The last block of a row of copies, which begins with pixels of the one before: their outputs go
 * to where those of the first new one do, before these. */
static __attribute__((noinline)) void dpl_interior_last_copies(const dpl_conv2d_s8_args *a,
                                                               dpl_interior *u, int32_t piece,
                                                               int32_t pieces) {
    dpl_four_by_four *f = &u->block;
    const int32_t again = u->x + FOUR - u->width;
    int8_t *out = dpl_interior_out(a, u) + DPL_PIECE_BYTES * piece;
    u->x -= again;
    *dpl_interior_rows(a, u, u->runs, 1) = u->runs[0];
    u->x += FOUR;
    dpl_window_columns(f->copies);
    for (int32_t i = 0; i < FOUR; i++) {
        f->table[i] = u->columns.to + i * u->columns.column;
        f->outs[i] = out;
        out += i < again ? 0 : f->pitch;
    }
    dpl_interior_list(u, piece, pieces);
    f->table[1] = u->columns.to; /* the runs of blocks a step apart */
}

static inline void dpl_interior_point_runs(const dpl_conv2d_s8_args *a, dpl_interior *u) {
    *dpl_interior_rows(a, u, u->runs, 1) = u->runs[0];
}

static inline void dpl_interior_some(dpl_interior *u, int32_t channels) {
    u->block.some = channels;
    dpl_values_some(&u->block);
}

/* The last piece of a group, of less than four channels. */
static __attribute__((noinline)) void dpl_interior_rest(const dpl_conv2d_s8_args *a,
                                                        dpl_interior *u, int32_t piece) {
    dpl_interior_point_runs(a, u);
    dpl_interior_select(u, piece, 1);
    dpl_interior_some(u, u->some);
}

static inline void dpl_interior_stepped(const dpl_conv2d_s8_args *a, dpl_interior *u,
                                        int32_t blocks, int32_t piece, int32_t pieces) {
    dpl_four_by_four *f = &u->block;
    const int32_t whole = dpl_interior_whole(u, piece, pieces);
    f->out = dpl_interior_out(a, u) + DPL_PIECE_BYTES * piece;
    f->blocks = blocks;
    if (whole > 0) {
        dpl_interior_point_runs(a, u);
        dpl_interior_select(u, piece, whole);
        dpl_values_fours(f);
    }
    if (whole < pieces) {
        f->out += DPL_PIECE_BYTES * whole;
        dpl_interior_rest(a, u, piece + whole);
    }
    u->x += FOUR * blocks;
}

/* Those of core `id` of count items, as dpl_core_share has them. */
static inline int32_t dpl_interior_begin(int32_t count, int32_t id) {
    return (int32_t)((uint32_t)(count * id) / DPL_CORE_COUNT);
}

/* Blocks follow one another from row to row; each row of copies has its own. */
static inline void dpl_interior_enter(const dpl_conv2d_s8_args *a, dpl_interior *u, int32_t block) {
    u->width = dpl_interior_width(a);
    const int32_t row = u->block.copies ? dpl_whole_words(u->width) : u->width;
    u->x = FOUR * block;
    u->y = u->x < row ? 0 : u->x / row;
    u->x -= u->y * row;
}

/* How many blocks from one on are a step apart, with all their pieces among `more` items. */
static inline int32_t dpl_interior_blocks(const dpl_interior *u, int32_t left, int32_t piece,
                                          int32_t more) {
    if (piece > 0 || more < 2 * u->pieces) {
        return 1;
    }
    const int32_t row = (u->width - u->x) >> 2;
    return row < left ? row : left;
}

/* Whether the last block of a single row begins with pixels of the one before, whose outputs are
 * the same: it reads no table then. */
static inline int dpl_interior_again(const dpl_conv2d_s8_args *a, const dpl_interior *u,
                                     int32_t pixels) {
    return u->x + FOUR > pixels && u->width == pixels && pixels >= FOUR && !u->block.copies &&
           dpl_tensors_apart(a);
}

/* Items of a group of channels, block * pieces + piece: `more` from one on, up to `last`, the block
 * of the item behind them. */
static __attribute__((noinline)) void dpl_interior_items(const dpl_conv2d_s8_args *a,
                                                         dpl_interior *u, int32_t block,
                                                         int32_t piece, int32_t more,
                                                         int32_t last) {
    const int32_t all = u->pieces, pixels = a->output.height * a->output.width;
    dpl_interior_enter(a, u, block);
    while (more > 0) {
        const int32_t pieces = more < all - piece ? more : all - piece;
        int32_t taken = 1;
        dpl_interior_settle(u);
        if (dpl_interior_again(a, u, pixels)) {
            u->x = pixels - FOUR;
        }
        const int cut = u->x + FOUR > u->width;
        if (cut && DPL_VALUE_BYTES == 1 && u->block.copies) {
            dpl_interior_last_copies(a, u, piece, pieces);
        } else if (cut) {
            dpl_interior_listed(a, u, pixels - FOUR * block, piece, pieces);
        } else {
            taken = dpl_interior_blocks(u, last - block, piece, more);
            dpl_interior_stepped(a, u, taken, piece, pieces);
        }
        block += taken;
        more -= pieces + (taken - 1) * all;
        piece = 0;
    }
}

static inline void dpl_interior_group(const dpl_conv2d_s8_args *a, dpl_interior *u, int32_t group,
                                      int32_t inputs, int32_t outputs) {
    u->input = a->input.data + group * inputs;
    u->output = a->output.data + DPL_VALUE_BYTES * group * outputs;
    u->weights = a->weights + group * u->pieces * u->piece_bytes;
}

/* This core's items of all groups of channels. */
static __attribute__((noinline)) void
dpl_interior_groups(const dpl_conv2d_s8_args *a, dpl_interior *u, int32_t count, int32_t id) {
    const int32_t each = count * u->pieces;
    const int32_t inputs = a->input.channels / a->groups, outputs = a->output.channels / a->groups;
    int32_t first = dpl_interior_begin(each * a->groups, id);
    const int32_t end = dpl_interior_begin(each * a->groups, id + 1);
    int32_t group = first / each, at = first - group * each;
    for (int32_t more; first < end; first += more, group++, at = 0) {
        more = end - first < each - at ? end - first : each - at;
        const int32_t block = at / u->pieces;
        dpl_interior_group(a, u, group, inputs, outputs);
        dpl_interior_items(a, u, block, at - block * u->pieces, more, (at + more) / u->pieces);
    }
}

static inline void dpl_conv2d_interior(const dpl_conv2d_s8_args *a, int32_t blocks) {
    const int32_t outputs = a->groups == 1 ? a->output.channels : a->output.channels / a->groups;
    const int32_t inputs = a->groups == 1 ? a->input.channels : a->input.channels / a->groups;
    const int32_t id = dpl_core_id(), height = a->output.height, width = a->output.width;
    const int copied = dpl_values_copied(a, a->window.kernel_width * inputs);
    const int32_t count =
        copied ? height * ((width + FOUR - 1) >> 2) : (height * width + FOUR - 1) >> 2;
    dpl_interior u;
    u.pieces = (outputs + FOUR - 1) >> 2;
    u.some = outputs & 3;
    const int32_t first = dpl_interior_begin(count * u.pieces * a->groups, id);
    const int32_t more = dpl_interior_begin(count * u.pieces * a->groups, id + 1) - first;
    if (more == 0) {
        return;
    }
    dpl_interior_init(a, &u, id, inputs);
    u.block.bounded |= blocks;
    if (a->groups > 1) {
        dpl_interior_groups(a, &u, count, id);
        return;
    }
    const int32_t block = dpl_interior_begin(count, id); /* without a division */
    dpl_interior_group(a, &u, 0, 0, 0);
    dpl_interior_items(a, &u, block, first - block * u.pieces, more,
                       dpl_interior_begin(count, id + 1));
}

#endif
