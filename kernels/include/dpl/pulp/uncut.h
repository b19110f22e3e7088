/* Convolutions whose windows no side cuts and whose channels come in words and fours: in few
 * instructions. Tiles call often, and all that runs once a call comes from L2, for it does not
 * stay in the cores' instruction cache.
 *
 * Scratch: zero points as many as four windows cover of a row, where there are pads; then for each
 * core its runs and a table of the runs of four windows. */
#ifndef DPL_PULP_UNCUT_H
#define DPL_PULP_UNCUT_H

#include "dpl/conv2d.h"
#include "dpl/cores.h"
#include "dpl/pulp/bytes.h"
#include "dpl/pulp/fours.h"

/* The next block begins at column x of row y. */
typedef struct {
    dpl_fours fours;
    int32_t y, x, width, group_bytes;
    int8_t *zeros;
} dpl_uncut;

/* Whether a row's windows lie a step apart, all of them inside; rows that may be outside are read
 * beside others. */
static inline int dpl_is_uncut(const dpl_conv2d_s8_args *a) {
    const dpl_window *w = &a->window;
    const dpl_tensor_s8 *in = &a->input;
    const int one = w->kernel_width == 1;
    const int runs = one ? in->channels > FOUR
                         : w->dilation_width == 1 && in->pixel_pitch == in->channels;
    const int rows = w->kernel_height > 1 || (w->pads.top | w->pads.bottom) == 0;
    return runs && rows && ((in->channels | a->output.channels) & 3) == 0 &&
           (w->pads.left | w->pads.right) == 0 && dpl_fours_rule(&a->requant) &&
           (in->ring_height | a->output.ring_height) == 0;
}

static inline int dpl_follow(const dpl_tensor_s8 *t) {
    return t->row_pitch == t->width * t->pixel_pitch;
}

/* Pixels of a row of the output; all of them where nothing parts rows. */
static inline int32_t dpl_uncut_width(const dpl_conv2d_s8_args *a) {
    const dpl_window *w = &a->window;
    const int32_t alike = w->kernel_height * w->kernel_width * w->stride_height * w->stride_width;
    int one = alike == 1 && dpl_follow(&a->input) && dpl_follow(&a->output);
    return one ? a->output.width * a->output.height : a->output.width;
}

static inline void dpl_uncut_init(const dpl_conv2d_s8_args *a, dpl_uncut *u) {
    const int32_t row = a->window.kernel_width * a->input.channels;
    const int32_t high = a->window.kernel_height;
    const int32_t step = a->window.stride_width * a->input.pixel_pitch;
    int8_t *own = (int8_t *)a->scratch;
    u->zeros = own;
    if (a->window.pads.top | a->window.pads.bottom) {
        own += 3 * step + row;
    }
    u->fours.runs = (const int8_t **)(void *)own + dpl_core_id() * 5 * (high + 1);
    u->fours.table = u->fours.runs + high + 1;
    u->fours.count = high;
    u->fours.words = row >> 2;
    u->fours.step = step;
    u->fours.pitch = a->output.pixel_pitch;
    u->fours.copies = 0;
    u->fours.zeros = u->zeros;
    dpl_fours_bounds(&u->fours, &a->requant);
    u->group_bytes = FOUR * row * high + FOUR_TABLES;
}

static __attribute__((noinline)) void dpl_uncut_zeros(const dpl_conv2d_s8_args *a, dpl_uncut *u) {
    dpl_fill_words(u->zeros, dpl_bytes_of(a->input_zero), 3 * (u->fours.step >> 2) + u->fours.words);
}

/* The kernel rows of the window at column x of row y, `apart` entries from one to the next. */
static inline const int8_t **dpl_uncut_rows(const dpl_conv2d_s8_args *a, dpl_uncut *u,
                                            const int8_t **to, int32_t apart) {
    const uint32_t height = (uint32_t)a->input.height;
    const int32_t dilation = a->window.dilation_height, pitch = a->input.row_pitch;
    int32_t y = u->y * a->window.stride_height - a->window.pads.top;
    const int8_t *at = a->input.data + y * pitch + u->x * u->fours.step;
    for (int32_t k = u->fours.count; k > 0; k--) {
        *to = at;
        if ((uint32_t)y >= height) {
            *to = u->zeros;
            dpl_uncut_zeros(a, u);
        }
        to += apart;
        y += dilation;
        at += dilation * pitch;
    }
    return to;
}

static inline int8_t *dpl_uncut_out(const dpl_conv2d_s8_args *a, const dpl_uncut *u) {
    return a->output.data + u->y * a->output.row_pitch + u->x * u->fours.pitch;
}

static inline void dpl_uncut_settle(dpl_uncut *u) {
    if (u->x >= u->width) {
        u->x -= u->width;
        u->y++;
    }
}

/* A block that goes on in the next row, or ends with the last, of `left` pixels; groups from
 * `group` on. */
static __attribute__((noinline)) void dpl_uncut_listed(const dpl_conv2d_s8_args *a, dpl_uncut *u,
                                                       int32_t left, int32_t group) {
    dpl_fours *f = &u->fours;
    for (int32_t i = 0; i < FOUR; i++) {
        u->x += i > 0 && i < left;
        dpl_uncut_settle(u);
        dpl_uncut_rows(a, u, f->table + i, FOUR);
        f->outs[i] = dpl_uncut_out(a, u) + FOUR * group;
    }
    u->x++;
    f->bounded |= FOURS_LISTED;
    dpl_fours_table(f);
    f->bounded &= ~FOURS_LISTED;
}

static inline void dpl_uncut_stepped(const dpl_conv2d_s8_args *a, dpl_uncut *u, int32_t blocks,
                                     int32_t group) {
    dpl_fours *f = &u->fours;
    const int8_t **end = dpl_uncut_rows(a, u, f->runs, 1);
    *end = f->runs[0];
    f->out = dpl_uncut_out(a, u) + FOUR * group;
    f->blocks = blocks;
    u->x += FOUR * blocks;
    if (f->count == 1) {
        dpl_fours_point(f);
    } else if (f->count == 3) {
        dpl_fours_three(f);
    } else {
        dpl_fours_rows(f);
    }
}

/* This core's items, block * groups + group. */
static inline void dpl_conv2d_uncut(const dpl_conv2d_s8_args *a) {
    const int32_t all = a->output.channels >> 2, pixels = a->output.height * a->output.width;
    const int32_t count = (pixels + FOUR - 1) >> 2;
    const dpl_share items = dpl_core_share(count * all);
    int32_t block = dpl_core_share(count).begin; /* that of the first item */
    int32_t group = items.begin - block * all, more = items.end - items.begin;
    dpl_uncut u;
    if (more == 0) {
        return;
    }
    dpl_uncut_init(a, &u);
    u.width = dpl_uncut_width(a);
    u.x = FOUR * block;
    u.y = u.x < u.width ? 0 : u.x / u.width;
    u.x -= u.y * u.width;
    while (more > 0) {
        const int32_t groups = more < all - group ? more : all - group;
        int32_t blocks = 1;
        dpl_uncut_settle(&u);
        u.fours.groups = groups;
        u.fours.weights = a->weights + group * u.group_bytes;
        u.fours.weights_end = u.fours.weights + groups * u.group_bytes;
        if (u.x + FOUR > u.width) {
            dpl_uncut_listed(a, &u, pixels - FOUR * block, group);
        } else {
            if (group == 0 && more >= 2 * all) {
                blocks = (u.width - u.x) >> 2;
                blocks = blocks * all > more ? more / all : blocks;
            }
            dpl_uncut_stepped(a, &u, blocks, group);
        }
        block += blocks;
        more -= groups + (blocks - 1) * all;
        group = 0;
    }
}

#endif
