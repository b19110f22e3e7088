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
    int8_t *zeros;        /* a kernel row of zero points */
    int8_t *columns;      /* a copy for each of four windows */
} dpl_windows;

/* An output pixel on the walk along the rows. */
typedef struct {
    int32_t y, x;
    dpl_taps taps;
    int8_t *out;
} dpl_pixel;

static inline int32_t dpl_whole_words(int32_t bytes) {
    return (bytes + 3) & ~3;
}

static inline dpl_form dpl_form_of(const dpl_conv2d_s8_args *a, const dpl_windows *w) {
    int in_row = a->window.dilation_width == 1 && a->input.pixel_pitch == w->tap;
    if (in_row && a->window.kernel_width > 1 && (w->row & 3) == 0) {
        return DPL_BY_ROWS;
    }
    return (w->tap & 3) == 0 ? DPL_BY_TAPS : DPL_BY_COPIES;
}

/* Bytes of scratch of one core: the table, a row of zero points, four copies. */
static inline int32_t dpl_windows_scratch(const dpl_window *window, const dpl_windows *w) {
    int32_t taps = window->kernel_height * window->kernel_width;
    return FOUR * taps * (int32_t)sizeof(int8_t *) + dpl_whole_words(w->row) + FOUR * w->column;
}

static inline dpl_windows dpl_windows_of(const dpl_conv2d_s8_args *a, int32_t core) {
    const dpl_window *window = &a->window;
    dpl_windows w = {.tap = a->input.channels, .row = window->kernel_width * a->input.channels};
    int32_t filter = window->kernel_height * w.row;
    w.column = (w.tap & 3) || filter <= DPL_COPIED ? dpl_whole_words(filter) : 0;
    w.form = dpl_form_of(a, &w);
    int8_t *scratch = (int8_t *)a->scratch + core * dpl_windows_scratch(window, &w);
    w.table = (const int8_t **)(void *)scratch;
    w.zeros = (int8_t *)(w.table + FOUR * window->kernel_height * window->kernel_width);
    w.columns = w.zeros + dpl_whole_words(w.row);
    dpl_fill_bytes(w.zeros, (int8_t)a->input_zero, w.row);
    return w;
}

static inline void dpl_pixel_in_row(const dpl_conv2d_s8_args *a, dpl_pixel *p) {
    p->taps = dpl_taps_of_row(&a->input, &a->window, p->y);
    p->out = dpl_row_s8(&a->output, p->y) + p->x * a->output.pixel_pitch;
}

static inline void dpl_next_pixel(const dpl_conv2d_s8_args *a, dpl_pixel *p) {
    p->out += a->output.pixel_pitch;
    if (++p->x == a->output.width) {
        p->x = 0;
        p->y++;
        dpl_pixel_in_row(a, p);
    }
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

static inline void dpl_copy_window(const dpl_conv2d_s8_args *a, const dpl_windows *w,
                                   const dpl_taps *taps, int8_t *to) {
    dpl_row_walk rows = taps->rows;
    for (int32_t y = 0; y < a->window.kernel_height; y++, to += w->row) {
        if (y < taps->y.begin || y >= taps->y.end) {
            dpl_fill_bytes(to, (int8_t)a->input_zero, w->row);
            continue;
        }
        dpl_copy_row(a, w, taps, a->input.data + rows.offset + taps->column, to);
        dpl_next_row(&rows);
    }
}

/* Entries of a window that is read where it lies: a run a kernel row. */
static inline void dpl_point_rows(const dpl_conv2d_s8_args *a, const dpl_windows *w,
                                  const dpl_taps *taps, const int8_t **entry) {
    dpl_row_walk rows = taps->rows;
    for (int32_t y = 0; y < a->window.kernel_height; y++, entry += FOUR) {
        int inside = y >= taps->y.begin && y < taps->y.end;
        *entry = inside ? a->input.data + rows.offset + taps->column : w->zeros;
        if (inside) {
            dpl_next_row(&rows);
        }
    }
}

/* A run a tap. */
static inline void dpl_point_taps(const dpl_conv2d_s8_args *a, const dpl_windows *w,
                                  const dpl_taps *taps, const int8_t **entry) {
    dpl_row_walk rows = taps->rows;
    for (int32_t y = 0; y < a->window.kernel_height; y++) {
        int inside = y >= taps->y.begin && y < taps->y.end;
        const int8_t *x = a->input.data + (inside ? rows.offset + taps->column : 0);
        for (int32_t k = 0; k < a->window.kernel_width; k++, entry += FOUR) {
            int read = inside && k >= taps->x.begin && k < taps->x.end;
            *entry = read ? x : w->zeros;
            x += read ? taps->pitch : 0;
        }
        if (inside) {
            dpl_next_row(&rows);
        }
    }
}

/* A window of a block, as its i-th. */
static inline void dpl_point_window(const dpl_conv2d_s8_args *a, const dpl_windows *w,
                                    dpl_form form, const dpl_taps *taps, int32_t i) {
    int cut = taps->x.end - taps->x.begin < a->window.kernel_width;
    if (form == DPL_BY_TAPS) {
        dpl_point_taps(a, w, taps, w->table + i);
        return;
    }
    if (form == DPL_BY_ROWS && !cut) {
        dpl_point_rows(a, w, taps, w->table + i);
        return;
    }
    int8_t *copy = w->columns + i * w->column;
    int32_t runs = form == DPL_BY_ROWS ? a->window.kernel_height : 1;
    dpl_copy_window(a, w, taps, copy);
    for (int32_t r = 0; r < runs; r++) {
        w->table[FOUR * r + i] = copy + r * w->row;
    }
}

/* The next count pixels, one to four, as the windows of a block; missing ones are the last again.
 */
static inline void dpl_point_block(const dpl_conv2d_s8_args *a, const dpl_windows *w, dpl_pixel *p,
                                   int32_t count, dpl_four_windows *f) {
    dpl_taps taps[FOUR];
    dpl_form form = w->form;
    for (int32_t i = 0; i < FOUR; i++) {
        dpl_taps_of_column(&p->taps, &a->input, &a->window, p->x);
        taps[i] = p->taps;
        f->out[i] = p->out;
        int cut = taps[i].x.end - taps[i].x.begin < a->window.kernel_width;
        form = form == DPL_BY_ROWS && cut && w->column == 0 ? DPL_BY_TAPS : form;
        if (i + 1 < count) {
            dpl_next_pixel(a, p);
        }
    }
    for (int32_t i = 0; i < FOUR; i++) {
        dpl_point_window(a, w, form, &taps[i], i);
    }
    int32_t high = a->window.kernel_height, wide = a->window.kernel_width;
    int32_t runs = form == DPL_BY_ROWS ? high : form == DPL_BY_TAPS ? high * wide : 1;
    int32_t run = form == DPL_BY_ROWS ? w->row : form == DPL_BY_TAPS ? w->tap : w->column;
    f->runs = w->table;
    f->runs_end = w->table + FOUR * runs;
    f->words = run >> 2;
}

#endif
