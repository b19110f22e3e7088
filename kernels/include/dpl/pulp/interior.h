/* Convolutions whose windows no side cuts, of any channels in and fours out: in few instructions.
 * Tiles call often, and all that runs once a call comes from L2, for it does not stay in the cores'
 * instruction cache.
 *
 * Scratch: zero points as many as four windows cover of a row, where there are pads; then for each
 * core its runs and either a table of the runs of four windows, or copies of these. */
#ifndef DPL_PULP_INTERIOR_H
#define DPL_PULP_INTERIOR_H

#include "dpl/conv2d.h"
#include "dpl/cores.h"
#include "dpl/pulp/bytes.h"
#include "dpl/pulp/four_by_four.h"

/* The next block begins at column x of row y. */
typedef struct {
    dpl_four_by_four block;
    dpl_columns columns;
    const int8_t **runs;
    int32_t y, x, width;
    int32_t step; /* bytes from a window to the next */
    int32_t group_bytes;
    int8_t *zeros;
    int32_t zero_words;
} dpl_interior;

/* Whether all windows of a row can be read, or copied, a step apart. Rows that may be outside are
 * read beside others, or copied. */
static inline int dpl_is_interior(const dpl_conv2d_s8_args *a) {
    const dpl_window *w = &a->window;
    const dpl_tensor_s8 *in = &a->input;
    if (((a->output.channels & 3) | w->pads.left | w->pads.right | in->ring_height |
         a->output.ring_height) != 0 ||
        !dpl_four_by_four_rule(&a->requant)) {
        return 0;
    }
    const int follow = w->dilation_width == 1 && in->pixel_pitch == in->channels;
    if (in->channels & 3) {
        return follow && (a->output.width & 3) == 0;
    }
    const int rows = w->kernel_height > 1 || (w->pads.top | w->pads.bottom) == 0;
    return rows && (w->kernel_width == 1 ? in->channels > FOUR : follow);
}

static inline int dpl_follow(const dpl_tensor_s8 *t) {
    return t->row_pitch == t->width * t->pixel_pitch;
}

/* Pixels of a row of the output; all of them where nothing parts rows. */
static inline int32_t dpl_interior_width(const dpl_conv2d_s8_args *a) {
    const dpl_window *w = &a->window;
    const int32_t alike = w->kernel_height * w->kernel_width * w->stride_height * w->stride_width;
    int one = alike == 1 && dpl_follow(&a->input) && dpl_follow(&a->output);
    return one ? a->output.width * a->output.height : a->output.width;
}

/* Windows a column apart, each core's behind its pointers. */
static inline void dpl_interior_copies(dpl_interior *u, int8_t *to, int32_t row, int32_t column) {
    dpl_four_by_four *f = &u->block;
    dpl_columns *c = &u->columns;
    c->runs = u->runs;
    c->count = f->count;
    c->bytes = row;
    c->step = u->step;
    c->to = to;
    c->column = column;
    c->zeros = u->zeros;
    f->table[0] = to;
    f->runs = f->table;
    f->count = 1;
    f->words = column >> 2;
    f->step = column;
    f->copies = c;
}

static inline void dpl_interior_init(const dpl_conv2d_s8_args *a, dpl_interior *u, int32_t id) {
    const int32_t row = a->window.kernel_width * a->input.channels;
    const int32_t high = a->window.kernel_height, column = (row * high + 3) & ~3;
    const int copied = (a->input.channels & 3) != 0;
    const int32_t pointers = (int32_t)sizeof(int8_t *) * (copied ? high + 2 : 5 * (high + 1));
    int8_t *own = (int8_t *)a->scratch;
    dpl_four_by_four *f = &u->block;
    u->zeros = own;
    u->step = a->window.stride_width * a->input.pixel_pitch;
    u->zero_words = (3 * u->step + row + 3) >> 2;
    if (a->window.pads.top | a->window.pads.bottom) {
        own += 4 * u->zero_words;
    }
    own += id * (pointers + (copied ? FOUR * column : 0));
    u->runs = (const int8_t **)(void *)own;
    u->group_bytes = FOUR * column + FOUR_TABLES;
    f->runs = u->runs;
    f->table = u->runs + high + 1;
    f->count = high;
    f->words = row >> 2;
    f->step = u->step;
    f->pitch = a->output.pixel_pitch;
    f->copies = 0;
    f->zeros = u->zeros;
    dpl_four_by_four_bounds(f, &a->requant);
    if (copied) {
        dpl_interior_copies(u, own + pointers, row, column);
    }
}

static __attribute__((noinline)) void dpl_interior_zeros(const dpl_conv2d_s8_args *a,
                                                         const dpl_interior *u) {
    dpl_fill_words(u->zeros, dpl_bytes_of(a->input_zero), u->zero_words);
}

/* The kernel rows of the window at column x of row y, `apart` entries from one to the next. */
static inline const int8_t **dpl_interior_rows(const dpl_conv2d_s8_args *a, dpl_interior *u,
                                               const int8_t **to, int32_t apart) {
    const uint32_t height = (uint32_t)a->input.height;
    const int32_t dilation = a->window.dilation_height, pitch = a->input.row_pitch;
    int32_t y = u->y * a->window.stride_height - a->window.pads.top;
    const int8_t *at = a->input.data + y * pitch + u->x * u->step;
    for (int32_t k = a->window.kernel_height; k > 0; k--) {
        *to = at;
        if ((uint32_t)y >= height) {
            *to = u->zeros;
            dpl_interior_zeros(a, u);
        }
        to += apart;
        y += dilation;
        at += dilation * pitch;
    }
    return to;
}

static inline int8_t *dpl_interior_out(const dpl_conv2d_s8_args *a, const dpl_interior *u) {
    return a->output.data + u->y * a->output.row_pitch + u->x * u->block.pitch;
}

static inline void dpl_interior_settle(dpl_interior *u) {
    if (u->x >= u->width) {
        u->x -= u->width;
        u->y++;
    }
}

/* A block that goes on in the next row, or ends with the last, of `left` pixels; groups from
 * `group` on. */
static __attribute__((noinline)) void
dpl_interior_listed(const dpl_conv2d_s8_args *a, dpl_interior *u, int32_t left, int32_t group) {
    dpl_four_by_four *f = &u->block;
    for (int32_t i = 0; i < FOUR; i++) {
        u->x += i > 0 && i < left;
        dpl_interior_settle(u);
        dpl_interior_rows(a, u, f->table + i, FOUR);
        f->outs[i] = dpl_interior_out(a, u) + FOUR * group;
    }
    u->x++;
    f->bounded |= BLOCK_LISTED;
    dpl_four_by_four_table(f);
    f->bounded &= ~BLOCK_LISTED;
}

static inline void dpl_interior_stepped(const dpl_conv2d_s8_args *a, dpl_interior *u,
                                        int32_t blocks, int32_t group) {
    dpl_four_by_four *f = &u->block;
    const int8_t **end = dpl_interior_rows(a, u, u->runs, 1);
    *end = u->runs[0];
    f->out = dpl_interior_out(a, u) + FOUR * group;
    f->blocks = blocks;
    u->x += FOUR * blocks;
    if (f->count == 1) {
        dpl_four_by_four_point(f);
    } else if (f->count == 3) {
        dpl_four_by_four_three(f);
    } else {
        dpl_four_by_four_rows(f);
    }
}

/* Those of core `id` of count items, as dpl_core_share has them. */
static inline int32_t dpl_interior_begin(int32_t count, int32_t id) {
    return (int32_t)((uint32_t)(count * id) / DPL_CORE_COUNT);
}

static inline void dpl_interior_enter(const dpl_conv2d_s8_args *a, dpl_interior *u, int32_t block) {
    u->width = dpl_interior_width(a);
    u->x = FOUR * block;
    u->y = u->x < u->width ? 0 : u->x / u->width;
    u->x -= u->y * u->width;
}

static inline void dpl_interior_select(const dpl_conv2d_s8_args *a, dpl_interior *u, int32_t group,
                                       int32_t groups) {
    u->block.groups = groups;
    u->block.weights = a->weights + group * u->group_bytes;
    u->block.weights_end = u->block.weights + groups * u->group_bytes;
}

/* This core's items, block * all + group. */
static inline void dpl_conv2d_interior(const dpl_conv2d_s8_args *a) {
    const int32_t all = a->output.channels >> 2, pixels = a->output.height * a->output.width;
    const int32_t id = dpl_core_id(), count = (pixels + FOUR - 1) >> 2;
    const int32_t first = dpl_interior_begin(count * all, id);
    int32_t block = dpl_interior_begin(count, id), group = first - block * all;
    const int32_t last_block = dpl_interior_begin(count, id + 1); /* of the item behind the last */
    int32_t more = dpl_interior_begin(count * all, id + 1) - first;
    dpl_interior u;
    if (more == 0) {
        return;
    }
    dpl_interior_init(a, &u, id);
    dpl_interior_enter(a, &u, block);
    while (more > 0) {
        const int32_t groups = more < all - group ? more : all - group;
        int32_t taken = 1;
        dpl_interior_settle(&u);
        dpl_interior_select(a, &u, group, groups);
        if (u.x + FOUR > u.width) {
            dpl_interior_listed(a, &u, pixels - FOUR * block, group);
        } else {
            if (group == 0 &&
                more >= 2 * all) { /* of blocks with all groups as many as there are */
                taken = (u.width - u.x) >> 2;
                taken = taken < last_block - block ? taken : last_block - block;
            }
            dpl_interior_stepped(a, &u, taken, group);
        }
        block += taken;
        more -= groups + (taken - 1) * all;
        group = 0;
    }
}

#endif
