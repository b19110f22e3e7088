/* How the windows of a convolution are read, and what of scratch that takes.
 *
 * In HWC the taps of a kernel row follow one another, so windows inside the input are read where
 * they lie, a run a kernel row, and four of them lie one step apart. Where a side cuts one of four,
 * a strip has a copy of what they cover with zero points beside it; where strips would take much
 * scratch, and where pixels lie anyhow, a table has a run for each tap. Where no side cuts any, as
 * where zero points lie beside the rows already (tiles), there are no strips, and a table has a run
 * for each kernel row. Runs begin anywhere, and zeros among the weights fill up their last words.
 * Windows of few bytes, whose runs would be many words more than they are, are copied; so are those
 * of runs of no whole words that a side cuts. */
#ifndef DPL_PULP_WINDOWS_H
#define DPL_PULP_WINDOWS_H

#include "dpl/conv2d.h"
#include "dpl/pulp/blocking.h"
#include "dpl/pulp/bytes.h"
#include "dpl/pulp/copies.h"
#include "dpl/pulp/four_by_four.h"
#include "dpl/window.h"

typedef enum { DPL_STEPS, DPL_TABLE, DPL_COPIES } dpl_form;

typedef struct {
    dpl_form form;
    int32_t stepped;  /* whether windows of a row lie a step apart; those that are copied, too */
    int32_t tap, row; /* bytes */
    int32_t step;     /* bytes from a window to the next in its row */
    int32_t height, width; /* of the output, which is one long row where nothing parts its rows */
    int32_t first, last;   /* no side cuts the windows of columns first to last - 1 */
    int32_t covered;   /* bytes of a row that four windows a step apart cover; 0: they are not */
    int32_t whole;     /* whether a run of the table is a kernel row, that no side cuts */
    int32_t taps, run; /* runs of a window in the table; bytes of one */
    int8_t *zeros;     /* zero points, as many as a tap has and four windows cover; of all cores */
    const int8_t **rows;  /* where the input rows of an output row begin; null outside */
    const int8_t **runs;  /* dpl_four_by_four.runs */
    const int8_t **table; /* dpl_four_by_four.table */
    dpl_strip strip;      /* bytes: 0 without strips */
    dpl_columns columns;  /* column: 0 without copies */
} dpl_windows;

static inline int32_t dpl_whole_words(int32_t bytes) {
    return (bytes + 3) & ~3;
}

static inline int dpl_cut_by_sides(const dpl_pads *pads) {
    return pads->left > 0 || pads->right > 0;
}

static inline int dpl_padded(const dpl_pads *pads) {
    return pads->top > 0 || pads->bottom > 0 || dpl_cut_by_sides(pads);
}

/* Whether the pixels of a kernel row follow one another. */
static inline int dpl_in_a_run(const dpl_conv2d_s8_args *a) {
    return a->window.dilation_width == 1 && a->input.pixel_pitch == a->input.channels;
}

/* Whether the weights of a kernel row are a run, not those of a tap. */
static inline int dpl_along(const dpl_conv2d_s8_args *a) {
    return a->groups == 1 && a->window.dilation_width == 1;
}

/* Whether weights lie in one run, for copies. */
static inline int dpl_copied(const dpl_conv2d_s8_args *a, int32_t row) {
    const int32_t high = a->window.kernel_height, wide = a->window.kernel_width;
    if (wide == 1 || row > DPL_MAX_COPIED_CHANNELS * wide || !dpl_along(a)) {
        return 0;
    }
    return 20 * high * dpl_whole_words(row) > DPL_MAX_RUN_TWENTIETHS * dpl_whole_words(high * row);
}

/* Bytes of a channel's weights for a group of `tap` channels. */
static inline int32_t dpl_filter_bytes(const dpl_conv2d_s8_args *a, int32_t tap) {
    const int32_t high = a->window.kernel_height, wide = a->window.kernel_width;
    const int32_t row = wide * tap;
    if (!dpl_along(a)) {
        return high * wide * dpl_whole_words(tap);
    }
    return dpl_copied(a, row) ? dpl_whole_words(high * row) : high * dpl_whole_words(row);
}

/* Whether no output has the bytes of an input, so that windows may be read again. Pitches are
 * bytes.
 */
static inline int dpl_tensors_apart(const dpl_conv2d_s8_args *a) {
    const dpl_tensor_s8 *in = &a->input, *out = &a->output;
    return out->data + out->height * out->row_pitch <= in->data ||
           in->data + in->height * in->row_pitch <= out->data;
}

static inline dpl_form dpl_form_of(const dpl_conv2d_s8_args *a, int32_t row) {
    int cut = dpl_cut_by_sides(&a->window.pads) || !dpl_in_a_run(a);
    int whole = (a->input.channels & 3) == 0 || a->window.kernel_width == 1 || !dpl_along(a);
    if (dpl_copied(a, row) || (cut && !whole)) {
        return DPL_COPIES;
    }
    int runs = (dpl_in_a_run(a) || a->window.kernel_width == 1) && row > FOUR;
    return runs && dpl_four_by_four_rule(&a->requant) ? DPL_STEPS : DPL_TABLE;
}

static inline int32_t dpl_strip_of(const dpl_conv2d_s8_args *a, const dpl_windows *w) {
    if (w->form == DPL_TABLE || !dpl_cut_by_sides(&a->window.pads)) {
        return 0;
    }
    int takes = w->form == DPL_COPIES ||
                w->covered * a->window.kernel_height <= DPL_MAX_OPTIONAL_STRIP_BYTES;
    return takes ? w->covered : 0;
}

/* Runs of the table: kernel rows that no side cuts, taps, or a copy of all. */
static inline void dpl_windows_runs(dpl_windows *w, const dpl_conv2d_s8_args *a) {
    int one = dpl_in_a_run(a) || a->window.kernel_width == 1;
    w->whole = one && !dpl_cut_by_sides(&a->window.pads);
    w->taps = a->window.kernel_height * (w->whole ? 1 : a->window.kernel_width);
    w->run = w->whole ? w->row : w->tap;
    if (w->form == DPL_COPIES) {
        w->taps = 1;
        w->run = w->columns.column;
    }
}

/* Divides the scratch: zero points for all, then each core's pointers, strips and copies. */
static inline void dpl_windows_share(dpl_windows *w, const dpl_conv2d_s8_args *a, int32_t core) {
    const int32_t high = a->window.kernel_height, strip = w->strip.bytes;
    int32_t pointers = 2 * high + 1 + FOUR * (w->taps + 1);
    int32_t zeros = w->covered > w->tap ? w->covered : dpl_whole_words(w->tap);
    int32_t bytes = pointers * (int32_t)sizeof(int8_t *) + high * strip + FOUR * w->columns.column;
    w->zeros = (int8_t *)a->scratch;
    if (dpl_padded(&a->window.pads)) {
        dpl_fill_bytes(w->zeros, (int8_t)a->input_zero, zeros);
    } else {
        zeros = 0;
    }
    w->rows = (const int8_t **)(void *)(w->zeros + zeros + core * bytes);
    w->runs = w->rows + high;
    w->table = w->runs + high + 1;
    w->strip.to = (int8_t *)(w->rows + pointers);
    w->columns.to = w->strip.to + high * strip;
}

/* The parts of strips and copies that are the same for all blocks. */
static inline void dpl_windows_copies(dpl_windows *w, const dpl_conv2d_s8_args *a) {
    w->strip.rows = w->rows;
    w->strip.runs = w->columns.runs = w->runs;
    w->strip.count = w->columns.count = a->window.kernel_height;
    w->strip.zeros = w->columns.zeros = w->zeros;
    w->strip.zero = dpl_bytes_of(a->input_zero);
    w->columns.bytes = w->row;
    w->columns.step = w->step;
}

static inline int dpl_one_row(const dpl_tensor_s8 *t) {
    return t->ring_height == 0 && t->row_pitch == t->width * t->pixel_pitch;
}

/* How many strides it takes to come to size. */
static inline int32_t dpl_strides(int32_t size, int32_t stride) {
    return size <= 0 ? 0 : stride == 1 ? size : (size + stride - 1) / stride;
}

/* The output's size, and the columns whose windows no side cuts. */
static inline void dpl_windows_size(dpl_windows *w, const dpl_conv2d_s8_args *a) {
    const dpl_window *window = &a->window;
    const int32_t stride = window->stride_width, left = window->pads.left;
    int32_t taps = window->kernel_height * window->kernel_width;
    int32_t space = a->input.width - (window->kernel_width - 1) * window->dilation_width + left;
    w->height = a->output.height;
    w->width = a->output.width;
    w->first = dpl_strides(left, stride);
    w->last = dpl_strides(space, stride);
    if (w->form != DPL_COPIES && taps == 1 && stride * window->stride_height == 1 &&
        !dpl_padded(&window->pads) && dpl_one_row(&a->input) && dpl_one_row(&a->output)) {
        w->width *= w->height;
        w->height = 1;
        w->last = w->width;
    }
    w->last = w->last < w->width ? w->last : w->width;
}

static inline void dpl_windows_init(dpl_windows *w, const dpl_conv2d_s8_args *a, int32_t core) {
    w->tap = a->input.channels;
    w->row = a->window.kernel_width * w->tap;
    w->form = dpl_form_of(a, w->row);
    w->stepped = w->form == DPL_STEPS || (w->form == DPL_COPIES && dpl_in_a_run(a));
    w->step = a->window.stride_width * a->input.pixel_pitch;
    w->covered = dpl_in_a_run(a) ? dpl_whole_words(3 * w->step + w->row) : 0;
    w->strip.bytes = dpl_strip_of(a, w);
    w->columns.column = 0;
    w->columns.pad = 0;
    if (w->form == DPL_COPIES) {
        w->columns.pad = dpl_copied(a, w->row) ? 0 : -w->row & 3;
        w->columns.column = dpl_whole_words(a->window.kernel_height * (w->row + w->columns.pad));
    }
    dpl_windows_runs(w, a);
    dpl_windows_size(w, a);
    dpl_windows_share(w, a, core);
    dpl_windows_copies(w, a);
}

#endif
