/* Windows of a transposed convolution's outputs with one pair of remainders: those of a convolution
 * at stride 1, four pixels of a row at a time.
 *
 * Neighbours inside the input lie a pixel apart, so that where a kernel row is whole words blocks
 * of them are a step apart, a run a kernel row. Any other block has a run for each tap, which
 * outside reads zero points, or copies where channels fill no words. */
#ifndef DPL_PULP_REMAINDER_H
#define DPL_PULP_REMAINDER_H

#include "dpl/conv_transpose2d.h"
#include "dpl/pulp/bytes.h"
#include "dpl/pulp/groups.h"

/* One axis: outputs first, first + stride, ... */
typedef struct {
    int32_t first, count;
    int32_t taps;
    int32_t pad; /* before the first input, negative where inputs are skipped */
} dpl_remainder_axis;

/* A number by a stride: number = each * stride + more, more from 0 to stride - 1. */
typedef struct {
    int32_t each, more;
} dpl_strides;

/* Of one axis, divided once. */
typedef struct {
    int32_t stride;
    dpl_strides kernel, pad, extent;
} dpl_remainder_sizes;

/* Of one core. */
typedef struct {
    const int8_t **table; /* dpl_four_by_four.table */
    const int8_t **runs;  /* dpl_four_by_four.runs */
    const int8_t **rows;  /* where the input rows of an output row begin; null outside */
    int8_t *zeros;        /* a kernel row of zero points, and three pixels */
    int8_t *copies;       /* of four windows, where channels fill no words */
} dpl_remainder_scratch;

typedef struct {
    dpl_remainder_axis y, x;
    int32_t tap, row, window; /* bytes; window: whole words */
    int32_t step;             /* bytes from an output to the one beside it */
    int32_t stepped;          /* whether windows inside are a step apart */
    const dpl_remainder_scratch *at;
} dpl_remainder;

/* Column x of row y of the remainder's outputs. */
typedef struct {
    int32_t y, x;
    int8_t *out;
} dpl_remainder_pixel;

static inline int32_t dpl_in_words(int32_t bytes) {
    return (bytes + 3) & ~3;
}

static inline dpl_strides dpl_strides_of(int32_t number, int32_t stride) {
    dpl_strides s = {number / stride, 0};
    s.more = number - s.each * stride;
    if (s.more < 0) {
        s.more += stride;
        s.each--;
    }
    return s;
}

static inline dpl_remainder_sizes dpl_remainder_sizes_of(int32_t stride, int32_t kernel,
                                                         int32_t pad, int32_t extent) {
    dpl_remainder_sizes s = {stride, dpl_strides_of(kernel, stride), dpl_strides_of(pad, stride),
                             dpl_strides_of(extent, stride)};
    return s;
}

/* Outputs o where o + pad has remainder r. */
static inline void dpl_remainder_axis_of(dpl_remainder_axis *axis, const dpl_remainder_sizes *s,
                                         int32_t r) {
    const int32_t next = r < s->pad.more; /* not before the next multiple of the stride */
    axis->first = r - s->pad.more + (next ? s->stride : 0);
    axis->count = s->extent.each + (axis->first < s->extent.more);
    axis->taps = s->kernel.each + (r < s->kernel.more);
    axis->pad = axis->taps - 1 - s->pad.each - next;
}

/* The remainder 0 of each axis has most taps, for which there is room. */
static inline void dpl_remainder_scratch_of(dpl_remainder_scratch *s,
                                            const dpl_conv_transpose2d_s8_args *a) {
    const dpl_window *w = &a->window;
    const int32_t high = (w->kernel_height + w->stride_height - 1) / w->stride_height;
    const int32_t wide = (w->kernel_width + w->stride_width - 1) / w->stride_width;
    const int32_t row = wide * a->input.channels, copied = a->input.channels & 3;
    const int32_t entries = FOUR * ((copied ? 1 : high * wide) + 1);
    const int32_t pointers = (entries + 2 * high + 1) * (int32_t)sizeof(int8_t *);
    const int32_t zeros = dpl_in_words(row + 3 * a->input.channels);
    const int32_t copies = copied ? FOUR * dpl_in_words(high * row) : 0;
    int8_t *scratch = (int8_t *)a->scratch + dpl_core_id() * (pointers + zeros + copies);
    s->table = (const int8_t **)(void *)scratch;
    s->runs = s->table + entries;
    s->rows = s->runs + high + 1;
    s->zeros = scratch + pointers;
    s->copies = s->zeros + zeros;
    dpl_fill_bytes(s->zeros, (int8_t)a->input_zero, zeros);
}

static inline void dpl_remainder_of(dpl_remainder *r, const dpl_conv_transpose2d_s8_args *a,
                                    const dpl_remainder_scratch *s) {
    r->tap = a->input.channels;
    r->row = r->x.taps * r->tap;
    r->window = dpl_in_words(r->y.taps * r->row);
    r->step = a->window.stride_width * a->output.pixel_pitch;
    r->stepped = (r->row & 3) == 0 && r->row > FOUR && a->input.pixel_pitch == r->tap &&
                 dpl_four_by_four_rule(&a->requant);
    r->at = s;
}

/* Enters the row of p at its column. */
static inline void dpl_remainder_enter(const dpl_conv_transpose2d_s8_args *a,
                                       const dpl_remainder *r, dpl_remainder_pixel *p) {
    const int32_t column = r->x.first + p->x * a->window.stride_width;
    p->out = dpl_row_s8(&a->output, r->y.first + p->y * a->window.stride_height) +
             column * a->output.pixel_pitch;
    for (int32_t k = 0, y = p->y - r->y.pad; k < r->y.taps; k++, y++) {
        r->at->rows[k] = y >= 0 && y < a->input.height ? dpl_row_s8(&a->input, y) : 0;
    }
}

/* Pixel number of the remainder's outputs. */
static inline dpl_remainder_pixel dpl_remainder_pixel_at(const dpl_conv_transpose2d_s8_args *a,
                                                         const dpl_remainder *r, int32_t number) {
    dpl_remainder_pixel p = {.y = number / r->x.count};
    p.x = number - p.y * r->x.count;
    dpl_remainder_enter(a, r, &p);
    return p;
}

/* From the end of a row to the next one. */
static inline void dpl_remainder_wrap(const dpl_conv_transpose2d_s8_args *a, const dpl_remainder *r,
                                      dpl_remainder_pixel *p) {
    if (p->x == r->x.count) {
        p->x = 0;
        p->y++;
        dpl_remainder_enter(a, r, p);
    }
}

/* Blocks from p on in its row whose windows lie inside and are runs of kernel rows. */
static inline int32_t dpl_remainder_inside(const dpl_conv_transpose2d_s8_args *a,
                                           const dpl_remainder *r, const dpl_remainder_pixel *p) {
    const int32_t column = p->x - r->x.pad;
    const int32_t adjacent = a->input.width - r->x.taps + 1 - column, left = r->x.count - p->x;
    const int32_t pixels = adjacent < left ? adjacent : left;
    if (!r->stepped || column < 0 || pixels < FOUR) {
        return 0;
    }
    return r->y.taps > 1 || r->at->rows[0] ? pixels / FOUR : 1; /* zero points do not move on */
}

/* The next count of these. */
static inline void dpl_remainder_steps(const dpl_remainder *r, dpl_remainder_pixel *p,
                                       int32_t count, dpl_four_by_four *f) {
    const int32_t column = (p->x - r->x.pad) * r->tap;
    const int8_t **run = r->at->runs;
    for (int32_t k = 0; k < r->y.taps; k++, run++) {
        *run = r->at->rows[k] ? r->at->rows[k] + column : r->at->zeros;
    }
    *run = *r->at->runs;
    f->count = r->y.taps;
    f->words = r->row >> 2;
    f->blocks = count;
    f->bounded &= ~BLOCK_LISTED;
    f->out = p->out;
    p->x += FOUR * count;
    p->out += FOUR * count * r->step;
}

/* Where tap k of row y of a window lies whose first column is x. */
static inline const int8_t *dpl_remainder_tap(const dpl_conv_transpose2d_s8_args *a,
                                              const dpl_remainder *r, int32_t y, int32_t x) {
    const int8_t *row = r->at->rows[y];
    return row && x >= 0 && x < a->input.width ? row + x * a->input.pixel_pitch : r->at->zeros;
}

/* Window i of a block: a run for each tap, or a copy. */
static inline void dpl_remainder_window(const dpl_conv_transpose2d_s8_args *a,
                                        const dpl_remainder *r, int32_t column, int32_t i) {
    const int8_t **entry = r->at->table + i;
    const int32_t copied = r->tap & 3;
    int8_t *copy = r->at->copies + i * r->window;
    for (int32_t y = 0; y < r->y.taps; y++) {
        for (int32_t k = 0; k < r->x.taps; k++) {
            const int8_t *tap = dpl_remainder_tap(a, r, y, column + k);
            if (copied) {
                dpl_copy_bytes(copy, tap, r->tap);
                copy += r->tap;
            } else {
                *entry = tap;
                entry += FOUR;
            }
        }
    }
    if (copied) {
        r->at->table[i] = r->at->copies + i * r->window;
    }
}

/* The next count pixels, one to four, as the windows of any block; missing ones are the last again.
 */
static inline void dpl_remainder_block(const dpl_conv_transpose2d_s8_args *a,
                                       const dpl_remainder *r, dpl_remainder_pixel *p,
                                       int32_t count, dpl_four_by_four *f) {
    const int32_t copied = r->tap & 3;
    for (int32_t i = 0; i < FOUR; i++) {
        dpl_remainder_wrap(a, r, p);
        dpl_remainder_window(a, r, p->x - r->x.pad, i);
        f->outs[i] = p->out;
        const int32_t on = i + 1 < count || i + 1 == FOUR;
        p->x += on;
        p->out += on ? r->step : 0;
    }
    f->count = copied ? 1 : r->y.taps * r->x.taps;
    f->words = (copied ? r->window : r->tap) >> 2;
    f->bounded |= BLOCK_LISTED;
}

#endif
