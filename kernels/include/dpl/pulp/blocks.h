/* The next four windows of a convolution, made ready for four_by_four_*.S in one of the ways that
 * dpl/pulp/windows.h tells. */
#ifndef DPL_PULP_BLOCKS_H
#define DPL_PULP_BLOCKS_H

#include "dpl/pulp/windows.h"

/* An output pixel on the walk along the rows; x may be the width, before the next row. */
typedef struct {
    int32_t y, x;
    int32_t inside; /* whether all kernel rows meet the input */
    int8_t *out;
} dpl_pixel;

static __attribute__((noinline)) void dpl_enter_row(const dpl_conv2d_s8_args *a,
                                                    const dpl_windows *w, dpl_pixel *p) {
    const uint32_t height = (uint32_t)a->input.height;
    const int32_t dilation = a->window.dilation_height;
    int32_t y = p->y * a->window.stride_height - a->window.pads.top;
    p->out = dpl_row_s8(&a->output, p->y) + p->x * a->output.pixel_pitch;
    p->inside = 1;
    for (int32_t k = 0; k < a->window.kernel_height; k++, y += dilation) {
        int inside = (uint32_t)y < height;
        w->rows[k] = inside ? dpl_row_s8(&a->input, y) : 0;
        p->inside &= inside;
    }
}

static inline void dpl_settle(const dpl_conv2d_s8_args *a, const dpl_windows *w, dpl_pixel *p) {
    if (p->x == w->width) {
        p->x = 0;
        p->y++;
        dpl_enter_row(a, w, p);
    }
}

static inline void dpl_move_on(const dpl_conv2d_s8_args *a, dpl_pixel *p, int32_t count) {
    p->x += count;
    p->out += count * a->output.pixel_pitch;
}

/* Runs of windows that no side cuts, from column x on. */
static inline void dpl_point_rows(const dpl_conv2d_s8_args *a, const dpl_windows *w, int32_t x) {
    const int32_t offset = x * w->step - a->window.pads.left * a->input.pixel_pitch;
    const int8_t **from = w->rows, **to = w->runs, **end = to + a->window.kernel_height;
    for (; to != end; from++, to++) {
        *to = *from ? *from + offset : w->zeros;
    }
    *to = w->runs[0];
}

/* What four windows from column x on cover, and runs there. */
static inline void dpl_make_strip(const dpl_conv2d_s8_args *a, dpl_windows *w, int32_t x) {
    dpl_strip *s = &w->strip;
    const int32_t wide = a->input.width * w->tap;
    int32_t begin = x * w->step - a->window.pads.left * w->tap;
    int32_t end = begin + 3 * w->step + w->row, at = begin < 0 ? -begin : 0;
    begin = begin < 0 ? 0 : begin;
    end = end > wide ? wide : end;
    int32_t inside = end > begin ? end - begin : 0;
    s->from = begin;
    s->at = at < s->bytes ? at : 0;
    s->pairs = inside >> 3;
    s->word = inside & 4;
    s->rest = inside & 3;
    s->before = (at + 3) >> 2;
    s->behind_at = (at + inside) & ~3;
    s->behind = (s->bytes - s->behind_at) >> 2;
    if (inside == 0) {
        s->before = s->bytes >> 2;
        s->behind = 0;
    }
    dpl_window_strip(s);
}

/* How many blocks from p on have their windows a step apart, with their runs set; 0 if the next one
 * has not. */
static inline int32_t dpl_stepped_blocks(const dpl_conv2d_s8_args *a, dpl_windows *w,
                                         const dpl_pixel *p) {
    if (!w->stepped || p->x + FOUR > w->width) {
        return 0;
    }
    if (p->x >= w->first && p->x + FOUR <= w->last && (p->inside || w->covered)) {
        int still = !p->inside && w->form == DPL_STEPS && a->window.kernel_height == 1;
        dpl_point_rows(a, w, p->x);
        return still ? 1 : (w->last - p->x) >> 2; /* dpl_four_by_four_point would move zeros on */
    }
    if (w->strip.bytes == 0) {
        return 0;
    }
    dpl_make_strip(a, w, p->x);
    return 1;
}

/* The taps of a kernel row that begin at column first, four entries apart; returns the next entry.
 */
static inline const int8_t **dpl_point_row(const dpl_conv2d_s8_args *a, const dpl_windows *w,
                                           const int8_t *from, int32_t first,
                                           const int8_t **entry) {
    const int32_t wide = a->window.kernel_width, dilation = a->window.dilation_width;
    const int32_t last = first + (wide - 1) * dilation;
    int32_t pitch = dilation * a->input.pixel_pitch;
    const int8_t *at = w->zeros;
    if (from) {
        at = from + first * a->input.pixel_pitch;
    } else {
        pitch = 0;
    }
    for (int32_t k = wide; k > 0; k--, entry += FOUR, at += pitch) {
        *entry = at;
    }
    for (int32_t k = 1; first < 0 && k <= wide; k++, first += dilation) {
        entry[FOUR * (k - 1 - wide)] = w->zeros;
    }
    for (int32_t k = 1, x = last; x >= a->input.width && k <= wide; k++, x -= dilation) {
        entry[-FOUR * k] = w->zeros;
    }
    return entry;
}

/* The taps of a window as the i-th of the table. */
static inline void dpl_point_taps(const dpl_conv2d_s8_args *a, const dpl_windows *w, int32_t x,
                                  int32_t i) {
    const int32_t first = x * a->window.stride_width - a->window.pads.left;
    const int8_t **entry = w->table + i, **from = w->rows, **end = from + a->window.kernel_height;
    for (; from != end; from++) {
        entry = dpl_point_row(a, w, *from, first, entry);
    }
}

/* The same of kernel rows that no side cuts. */
static inline void dpl_point_whole_rows(const dpl_conv2d_s8_args *a, const dpl_windows *w,
                                        int32_t x, int32_t i) {
    const int32_t offset = x * w->step;
    const int8_t **entry = w->table + i, **from = w->rows, **end = from + a->window.kernel_height;
    for (; from != end; from++, entry += FOUR) {
        *entry = *from ? *from + offset : w->zeros;
    }
}

/* The taps of a kernel row that begin at column first, to where they are copied. */
static inline int8_t *dpl_copy_taps(const dpl_conv2d_s8_args *a, const dpl_windows *w,
                                    const int8_t *from, int32_t first, int8_t *to) {
    int32_t column = first;
    for (int32_t k = a->window.kernel_width; k > 0; k--, to += w->tap) {
        if (from && column >= 0 && column < a->input.width) {
            dpl_copy_bytes(to, from + column * a->input.pixel_pitch, w->tap);
        } else {
            dpl_fill_bytes(to, (int8_t)a->input_zero, w->tap);
        }
        column += a->window.dilation_width;
    }
    return to;
}

/* The same where they follow one another. */
static inline int8_t *dpl_copy_run(const dpl_conv2d_s8_args *a, const dpl_windows *w,
                                   const int8_t *from, int32_t first, int8_t *to) {
    const int32_t wide = a->input.width * w->tap, begin = first * w->tap, end = begin + w->row;
    if (!from || begin < 0 || end > wide) {
        dpl_fill_bytes(to, (int8_t)a->input_zero, w->row);
    }
    int32_t before = begin < 0 ? -begin : 0;
    int32_t inside = (end < wide ? end : wide) - begin - before;
    if (from && inside > 0) {
        dpl_copy_bytes(to + before, from + begin + before, inside);
    }
    return to + w->row;
}

/* A window, to the i-th copy. */
static __attribute__((noinline)) void dpl_copy_window(const dpl_conv2d_s8_args *a,
                                                      const dpl_windows *w, int32_t x, int32_t i) {
    const int32_t first = x * a->window.stride_width - a->window.pads.left;
    const int8_t **from = w->rows, **end = from + a->window.kernel_height;
    int8_t *to = w->columns.to + i * w->columns.column;
    w->table[i] = to;
    for (; from != end; from++, to += w->columns.pad) {
        to = w->stepped ? dpl_copy_run(a, w, *from, first, to)
                        : dpl_copy_taps(a, w, *from, first, to);
    }
}

/* The next count pixels, one to four, as a table; missing ones are the last again. */
static inline void dpl_table_block(const dpl_conv2d_s8_args *a, const dpl_windows *w, dpl_pixel *p,
                                   int32_t count, int8_t **outs) {
    for (int32_t i = 0; i < FOUR; i++) {
        dpl_settle(a, w, p);
        if (w->form == DPL_COPIES) {
            dpl_copy_window(a, w, p->x, i);
        } else if (w->whole) {
            dpl_point_whole_rows(a, w, p->x, i);
        } else {
            dpl_point_taps(a, w, p->x, i);
        }
        outs[i] = p->out;
        if (i + 1 < count) {
            dpl_move_on(a, p, 1);
        }
    }
    dpl_move_on(a, p, 1);
}

/* Copies of four windows a step apart whose runs are set, as a table. */
static inline void dpl_copy_block(const dpl_windows *w) {
    dpl_window_columns(&w->columns);
    for (int32_t i = 0; i < FOUR; i++) {
        w->table[i] = w->columns.to + i * w->columns.column;
    }
}

#endif
