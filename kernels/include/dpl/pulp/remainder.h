/* Windows of a transposed convolution's outputs with one pair of remainders: those of a convolution
 * at stride 1, four pixels of a row at a time.
 *
 * Neighbours inside the input lie a pixel apart, so that where a kernel row is whole words each is
 * read where it lies, a run a kernel row. Any other block has a run for each tap, which outside
 * reads zero points, or copies where channels fill no words. */
#ifndef DPL_PULP_REMAINDER_H
#define DPL_PULP_REMAINDER_H

#include "dpl/conv_transpose2d.h"
#include "dpl/pulp/bytes.h"
#include "dpl/pulp/fours.h"

/* One axis: outputs first, first + stride, ... */
typedef struct {
    int32_t first, count;
    int32_t taps;
    int32_t pad; /* before the first input, negative where inputs are skipped */
} dpl_remainder_axis;

/* Of one core. */
typedef struct {
    const int8_t **table; /* dpl_four_windows.runs */
    const int8_t **rows;  /* where the input rows of an output row begin; null outside */
    int8_t *zeros;        /* a kernel row of zero points */
    int8_t *copies;       /* of four windows, where channels fill no words */
} dpl_remainder_scratch;

typedef struct {
    dpl_remainder_axis y, x;
    int32_t tap, row, window; /* bytes; window: whole words */
    int32_t by_rows;          /* whether kernel rows are runs of words */
    dpl_remainder_scratch at;
} dpl_remainder;

/* Column x of row y of the remainder's outputs. */
typedef struct {
    int32_t y, x;
    int8_t *out;
} dpl_remainder_pixel;

static inline int32_t dpl_in_words(int32_t bytes) {
    return (bytes + 3) & ~3;
}

static inline dpl_remainder_axis dpl_remainder_axis_of(int32_t r, int32_t stride, int32_t kernel,
                                                       int32_t pad, int32_t extent) {
    const int32_t first = (r - pad % stride + stride) % stride;
    dpl_remainder_axis axis = {first, 0, (kernel - r + stride - 1) / stride, 0};
    axis.count = first < extent ? (extent - first + stride - 1) / stride : 0;
    axis.pad = axis.taps - 1 - (first + pad - r) / stride; /* pads may be negative */
    return axis;
}

/* The remainder 0 of each axis has most taps, for which there is room. */
static inline dpl_remainder_scratch
dpl_remainder_scratch_of(const dpl_conv_transpose2d_s8_args *a) {
    const dpl_window *w = &a->window;
    const int32_t high = (w->kernel_height + w->stride_height - 1) / w->stride_height;
    const int32_t wide = (w->kernel_width + w->stride_width - 1) / w->stride_width;
    const int32_t row = wide * a->input.channels;
    const int32_t pointers = (FOUR * high * wide + high) * (int32_t)sizeof(int8_t *);
    const int32_t copies = a->input.channels & 3 ? FOUR * dpl_in_words(high * row) : 0;
    const int32_t own = pointers + dpl_in_words(row) + copies;
    int8_t *scratch = (int8_t *)a->scratch + dpl_core_id() * own;
    dpl_remainder_scratch s = {.table = (const int8_t **)(void *)scratch};
    s.rows = s.table + FOUR * high * wide;
    s.zeros = (int8_t *)(s.rows + high);
    s.copies = s.zeros + dpl_in_words(row);
    dpl_fill_bytes(s.zeros, (int8_t)a->input_zero, row);
    return s;
}

static inline dpl_remainder dpl_remainder_of(const dpl_conv_transpose2d_s8_args *a, int32_t y,
                                             int32_t x, const dpl_remainder_scratch *s) {
    const dpl_window *w = &a->window;
    dpl_remainder r = {.tap = a->input.channels, .at = *s};
    r.y = dpl_remainder_axis_of(y, w->stride_height, w->kernel_height, w->pads.top,
                                a->output.height);
    r.x = dpl_remainder_axis_of(x, w->stride_width, w->kernel_width, w->pads.left, a->output.width);
    r.row = r.x.taps * r.tap;
    r.window = dpl_in_words(r.y.taps * r.row);
    r.by_rows = (r.row & 3) == 0 && (r.x.taps == 1 || a->input.pixel_pitch == r.tap);
    return r;
}

/* Enters the row of p at its column. */
static inline void dpl_remainder_enter(const dpl_conv_transpose2d_s8_args *a,
                                       const dpl_remainder *r, dpl_remainder_pixel *p) {
    const int32_t column = r->x.first + p->x * a->window.stride_width;
    p->out = dpl_row_s8(&a->output, r->y.first + p->y * a->window.stride_height) +
             column * a->output.pixel_pitch;
    for (int32_t k = 0, y = p->y - r->y.pad; k < r->y.taps; k++, y++) {
        r->at.rows[k] = y >= 0 && y < a->input.height ? dpl_row_s8(&a->input, y) : 0;
    }
}

static inline void dpl_remainder_next(const dpl_conv_transpose2d_s8_args *a, const dpl_remainder *r,
                                      dpl_remainder_pixel *p, int32_t count) {
    p->x += count;
    p->out += count * a->window.stride_width * a->output.pixel_pitch;
    if (p->x == r->x.count) {
        p->x = 0;
        p->y++;
        dpl_remainder_enter(a, r, p);
    }
}

/* Four windows beside one another, all inside. */
static inline void dpl_remainder_rows(const dpl_conv_transpose2d_s8_args *a, const dpl_remainder *r,
                                      const dpl_remainder_pixel *p, dpl_four_windows *f) {
    const int32_t pitch = a->input.pixel_pitch, column = (p->x - r->x.pad) * pitch;
    const int8_t **entry = r->at.table;
    for (int32_t k = 0; k < r->y.taps; k++, entry += FOUR) {
        const int32_t step = r->at.rows[k] ? pitch : 0;
        const int8_t *from = step ? r->at.rows[k] + column : r->at.zeros;
        entry[0] = from;
        entry[1] = from + step;
        entry[2] = from + 2 * step;
        entry[3] = from + 3 * step;
    }
    f->runs_end = entry;
    f->words = r->row >> 2;
}

/* Where tap k of row y of a window lies whose first column is x. */
static inline const int8_t *dpl_remainder_tap(const dpl_conv_transpose2d_s8_args *a,
                                              const dpl_remainder *r, int32_t y, int32_t x) {
    const int8_t *row = r->at.rows[y];
    return row && x >= 0 && x < a->input.width ? row + x * a->input.pixel_pitch : r->at.zeros;
}

/* Window i of a block: a run for each tap, or a copy. */
static inline void dpl_remainder_window(const dpl_conv_transpose2d_s8_args *a,
                                        const dpl_remainder *r, int32_t column, int32_t i) {
    const int8_t **entry = r->at.table + i;
    const int32_t copied = r->tap & 3;
    int8_t *copy = r->at.copies + i * r->window;
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
        r->at.table[i] = r->at.copies + i * r->window;
    }
}

/* The next count pixels, one to four, as the windows of a block; missing ones are the last again. */
static inline void dpl_remainder_block(const dpl_conv_transpose2d_s8_args *a,
                                       const dpl_remainder *r, dpl_remainder_pixel *p,
                                       int32_t count, dpl_four_windows *f) {
    const int32_t column = p->x - r->x.pad, last = column + FOUR + r->x.taps - 1;
    const int32_t step = a->window.stride_width * a->output.pixel_pitch;
    f->runs = r->at.table;
    if (r->by_rows && column >= 0 && last <= a->input.width && p->x + FOUR <= r->x.count) {
        dpl_remainder_rows(a, r, p, f);
        for (int32_t i = 0; i < FOUR; i++) {
            f->out[i] = p->out + i * step;
        }
        dpl_remainder_next(a, r, p, FOUR - 1);
        return;
    }
    for (int32_t i = 0; i < FOUR; i++) {
        dpl_remainder_window(a, r, p->x - r->x.pad, i);
        f->out[i] = p->out;
        if (i + 1 < count) {
            dpl_remainder_next(a, r, p, 1);
        }
    }
    const int32_t copied = r->tap & 3;
    f->runs_end = f->runs + FOUR * (copied ? 1 : r->y.taps * r->x.taps);
    f->words = (copied ? r->window : r->tap) >> 2;
}

#endif
