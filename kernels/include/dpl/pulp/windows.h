/* The windows of a convolution as runs of whole words, four at a time.
 *
 * In HWC the taps of a kernel row follow one another, so a window inside the input is read where it
 * lies, a run a kernel row; rows outside are read from a row of zero points. A window that a side
 * cuts is copied to scratch, as is every one where the runs are no whole words; where copies would
 * take much scratch, a block with such a window has a run for each tap instead. */
#ifndef DPL_PULP_WINDOWS_H
#define DPL_PULP_WINDOWS_H

#include "dpl/conv2d.h"
#include "dpl/pulp/bytes.h"
#include "dpl/pulp/fours.h"
#include "dpl/window.h"

/* Bytes of a window that is copied although it need not be; deployer/kernelset/pulp has it too. */
enum { DPL_COPIED = 512 };

typedef enum { DPL_BY_ROWS, DPL_BY_TAPS, DPL_BY_COPIES } dpl_form;

typedef struct {
    dpl_form form;        /* of windows inside */
    int32_t tap, row;     /* bytes */
    int32_t column;       /* bytes of a copy, whole words; 0 without room for copies */
    const int8_t **table; /* dpl_four_windows.runs */
    const int8_t **rows;  /* where the input rows of an output row begin; null outside */
    int8_t *zeros;        /* a kernel row of zero points */
    int8_t *columns;      /* a copy for each of four windows */
} dpl_windows;

/* An output pixel on the walk along the rows. */
typedef struct {
    int32_t y, x;
    int8_t *out;
} dpl_pixel;

static inline int32_t dpl_whole_words(int32_t bytes) {
    return (bytes + 3) & ~3;
}

static inline dpl_form dpl_form_of(const dpl_conv2d_s8_args *a, const dpl_windows *w) {
    int in_row = a->window.dilation_width == 1 && a->input.pixel_pitch == w->tap;
    if ((in_row || a->window.kernel_width == 1) && (w->row & 3) == 0) {
        return DPL_BY_ROWS;
    }
    return (w->tap & 3) == 0 ? DPL_BY_TAPS : DPL_BY_COPIES;
}

/* Bytes of scratch of one core: the tables, a row of zero points, four copies. */
static inline int32_t dpl_windows_scratch(const dpl_window *window, const dpl_windows *w) {
    int32_t high = window->kernel_height;
    int32_t pointers = FOUR * high * window->kernel_width + high;
    return pointers * (int32_t)sizeof(int8_t *) + dpl_whole_words(w->row) + FOUR * w->column;
}

static inline dpl_windows dpl_windows_of(const dpl_conv2d_s8_args *a, int32_t core) {
    const dpl_window *window = &a->window;
    dpl_windows w = {.tap = a->input.channels, .row = window->kernel_width * a->input.channels};
    int32_t filter = window->kernel_height * w.row;
    w.column = (w.tap & 3) || filter <= DPL_COPIED ? dpl_whole_words(filter) : 0;
    w.form = dpl_form_of(a, &w);
    int8_t *scratch = (int8_t *)a->scratch + core * dpl_windows_scratch(window, &w);
    w.table = (const int8_t **)(void *)scratch;
    w.rows = w.table + FOUR * window->kernel_height * window->kernel_width;
    w.zeros = (int8_t *)(w.rows + window->kernel_height);
    w.columns = w.zeros + dpl_whole_words(w.row);
    dpl_fill_bytes(w.zeros, (int8_t)a->input_zero, w.row);
    return w;
}

/* Enters the row of p. */
static inline void dpl_enter_row(const dpl_conv2d_s8_args *a, const dpl_windows *w, dpl_pixel *p) {
    dpl_taps taps = dpl_taps_of_row(&a->input, &a->window, p->y);
    p->out = dpl_row_s8(&a->output, p->y) + p->x * a->output.pixel_pitch;
    for (int32_t y = 0; y < a->window.kernel_height; y++) {
        int inside = y >= taps.y.begin && y < taps.y.end;
        w->rows[y] = inside ? a->input.data + taps.rows.offset : 0;
        if (inside) {
            dpl_next_row(&taps.rows);
        }
    }
}

static inline void dpl_next_pixel(const dpl_conv2d_s8_args *a, const dpl_windows *w, dpl_pixel *p) {
    p->out += a->output.pixel_pitch;
    if (++p->x == a->output.width) {
        p->x = 0;
        p->y++;
        dpl_enter_row(a, w, p);
    }
}

/* Whether a side cuts the window of column x. */
static inline int dpl_cut(const dpl_conv2d_s8_args *a, int32_t x) {
    int32_t first = x * a->window.stride_width - a->window.pads.left;
    int32_t last = first + (a->window.kernel_width - 1) * a->window.dilation_width;
    return first < 0 || last >= a->input.width;
}

/* The taps of a kernel row, those beside the input zero points. */
static inline void dpl_copy_row(const dpl_conv2d_s8_args *a, const dpl_windows *w,
                                const dpl_taps *taps, const int8_t *from, int8_t *to) {
    int32_t inside = taps->x.end - taps->x.begin, before = taps->x.begin * w->tap;
    dpl_fill_bytes(to, (int8_t)a->input_zero, before);
    to += before;
    if (taps->pitch == w->tap) {
        dpl_copy_bytes(to, from, inside * w->tap);
        to += inside * w->tap;
    } else {
        for (int32_t t = 0; t < inside; t++, from += taps->pitch, to += w->tap) {
            dpl_copy_bytes(to, from, w->tap);
        }
    }
    dpl_fill_bytes(to, (int8_t)a->input_zero, w->row - before - inside * w->tap);
}

/* A window that no side cuts, whose rows are runs. */
static inline void dpl_copy_inside(const dpl_conv2d_s8_args *a, const dpl_windows *w, int32_t x,
                                   int8_t *to) {
    const int8_t *const *row = w->rows, *const *end = row + a->window.kernel_height;
    const int32_t bytes = w->row;
    const int8_t zero = (int8_t)a->input_zero;
    int32_t first = x * a->window.stride_width - a->window.pads.left;
    const int32_t column = first * a->input.pixel_pitch;
    for (; row != end; row++, to += bytes) {
        if (*row) {
            dpl_copy_bytes(to, *row + column, bytes);
        } else {
            dpl_fill_bytes(to, zero, bytes);
        }
    }
}

static inline void dpl_copy_window(const dpl_conv2d_s8_args *a, const dpl_windows *w, int32_t x,
                                   int8_t *to) {
    dpl_taps taps = {.pitch = a->window.dilation_width * a->input.pixel_pitch};
    if (taps.pitch == w->tap && !dpl_cut(a, x)) {
        dpl_copy_inside(a, w, x, to);
        return;
    }
    dpl_taps_of_column(&taps, &a->input, &a->window, x);
    for (int32_t y = 0; y < a->window.kernel_height; y++, to += w->row) {
        if (w->rows[y]) {
            dpl_copy_row(a, w, &taps, w->rows[y] + taps.column, to);
        } else {
            dpl_fill_bytes(to, (int8_t)a->input_zero, w->row);
        }
    }
}

/* Entries of a window that is read where it lies: a run a kernel row. */
static inline void dpl_point_rows(const dpl_conv2d_s8_args *a, const dpl_windows *w, int32_t x,
                                  const int8_t **entry) {
    int32_t first = x * a->window.stride_width - a->window.pads.left;
    int32_t column = first * a->input.pixel_pitch;
    for (int32_t y = 0; y < a->window.kernel_height; y++, entry += FOUR) {
        *entry = w->rows[y] ? w->rows[y] + column : w->zeros;
    }
}

/* A run a tap. */
static inline void dpl_point_taps(const dpl_conv2d_s8_args *a, const dpl_windows *w, int32_t x,
                                  const int8_t **entry) {
    int32_t first = x * a->window.stride_width - a->window.pads.left;
    for (int32_t y = 0; y < a->window.kernel_height; y++) {
        int32_t column = first;
        for (int32_t k = 0; k < a->window.kernel_width; k++, entry += FOUR) {
            int inside = w->rows[y] && column >= 0 && column < a->input.width;
            *entry = inside ? w->rows[y] + column * a->input.pixel_pitch : w->zeros;
            column += a->window.dilation_width;
        }
    }
}

/* A window of a block, as its i-th. */
static inline void dpl_point_window(const dpl_conv2d_s8_args *a, const dpl_windows *w,
                                    dpl_form form, int32_t x, int32_t i) {
    if (form == DPL_BY_TAPS) {
        dpl_point_taps(a, w, x, w->table + i);
        return;
    }
    if (form == DPL_BY_ROWS && !dpl_cut(a, x)) {
        dpl_point_rows(a, w, x, w->table + i);
        return;
    }
    int8_t *copy = w->columns + i * w->column;
    int32_t runs = form == DPL_BY_ROWS ? a->window.kernel_height : 1;
    dpl_copy_window(a, w, x, copy);
    for (int32_t r = 0; r < runs; r++) {
        w->table[FOUR * r + i] = copy + r * w->row;
    }
}

/* Runs a tap where a window may be cut and there is no room for its copy. */
static inline dpl_form dpl_form_of_block(const dpl_conv2d_s8_args *a, const dpl_windows *w,
                                         const dpl_pixel *p, int32_t count) {
    int32_t last = p->x + count - 1;
    int whole = last < a->output.width && !dpl_cut(a, p->x) && !dpl_cut(a, last);
    return w->form == DPL_BY_ROWS && w->column == 0 && !whole ? DPL_BY_TAPS : w->form;
}

/* The next count pixels, one to four, as the windows of a block; missing ones are the last again.
 */
static inline void dpl_point_block(const dpl_conv2d_s8_args *a, const dpl_windows *w, dpl_pixel *p,
                                   int32_t count, dpl_four_windows *f) {
    const dpl_form form = dpl_form_of_block(a, w, p, count);
    for (int32_t i = 0; i < FOUR; i++) {
        dpl_point_window(a, w, form, p->x, i);
        f->out[i] = p->out;
        if (i + 1 < count) {
            dpl_next_pixel(a, w, p);
        }
    }
    int32_t high = a->window.kernel_height, wide = a->window.kernel_width;
    int32_t runs = form == DPL_BY_ROWS ? high : form == DPL_BY_TAPS ? high * wide : 1;
    int32_t run = form == DPL_BY_ROWS ? w->row : form == DPL_BY_TAPS ? w->tap : w->column;
    f->runs = w->table;
    f->runs_end = w->table + FOUR * runs;
    f->words = run >> 2;
}

#endif
