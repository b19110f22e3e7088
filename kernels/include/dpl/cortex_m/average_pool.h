/* Average pools: a body. A file has `args`, KERNEL, `folded` and `sum_run` of its type, and
 * `fast_means`.
 *
 * A block's input rows are summed to a strip, whole rows of pixels at a time, so that the channel
 * count does not matter. An output is the mean of as many elements of the strip as the window has
 * columns. */
#include "dpl/cortex_m/pool_rows.h"
#include "dpl/cortex_m/simd.h"

enum { PADDING = 0 };

#include "dpl/cortex_m/means.h"

/* All pixels of a global pool are rows of one column where they follow one another. */
static int is_one_column(const args *a, const pool_block *b, const alike_rows *rows) {
    const dpl_tensor_s8 in = shape_of(&a->input);
    const dpl_window *w = &a->window;
    const int32_t taps = rows->taps.y.end - rows->taps.y.begin;
    const int whole = b->wide == in.width && b->end - b->begin == in.width && in.ring_height == 0;
    return whole && b->rows == 1 && w->dilation_width == 1 && w->dilation_height == 1 &&
           b->columns == 1 && in.row_pitch == in.width * in.pixel_pitch && b->channels >= 16 &&
           taps * in.width <= DPL_MAX_HALFWORD_TAPS;
}

/* Rows of a ring that wrap around inside of a window. */
static void sum_wrapped(const args *a, const dpl_taps *taps, int32_t at, int32_t length,
                        folded *to) {
    for (int32_t i = 0; i < length; i++) {
        dpl_row_walk walk = taps->rows;
        int32_t sum = 0;
        for (int32_t t = taps->y.begin; t < taps->y.end; t++, dpl_next_row(&walk)) {
            sum += a->input.data[walk.offset + at + i];
        }
        to[i] = (folded)sum;
    }
}

typedef struct {
    int32_t from, to, length, count; /* distances of runs, how long and how many they are */
} run_shape;

/* Whole rows where pixels have no gaps, otherwise each pixel of a row is a run. */
static run_shape shape_of_rows(const args *a, const pool_block *b, const alike_rows *rows) {
    const int32_t inside = b->end - b->begin, channels = b->channels;
    if (a->input.pixel_pitch == channels) {
        const run_shape whole = {rows->apart, b->pitch, inside * channels, rows->count};
        return whole;
    }
    const run_shape pixels = {a->input.pixel_pitch, channels, channels, inside};
    return pixels;
}

/* Sums of the taps of some rows; the columns of a global pool may become rows. */
static void fold_rows(const args *a, pool_block *b, alike_rows *rows, folded *to) {
    const dpl_taps *taps = &rows->taps;
    const int32_t count = taps->y.end - taps->y.begin;
    const int32_t at = (b->first + b->begin) * a->input.pixel_pitch + b->channel;
    row_stack stack = {taps->rows.step, count};
    if (is_one_column(a, b, rows)) {
        stack.step = a->input.pixel_pitch;
        stack.count = count * b->wide;
        b->taps = b->wide = b->end = 1;
    }
    const run_shape s = shape_of_rows(a, b, rows);
    const int wrapped = taps->rows.offset + (count - 1) * taps->rows.step >= taps->rows.wrap;
    to += b->begin * b->channels;
    for (int32_t i = 0, from = at; i < s.count; i++, from += s.from, to += s.to) {
        if (wrapped) {
            sum_wrapped(a, taps, from, s.length, to);
        } else {
            sum_run(a->input.data + taps->rows.offset + from, &stack, to, s.length);
        }
    }
}

/* A row's pixels under windows with as many taps: one run, a run for each channel where they are
 * few, or for each pixel. */
static void means_of_pixels(const args *a, const pool_block *b, const mean *m, const folded *from,
                            element *to, int32_t pixels) {
    const int32_t step = a->window.stride_width * b->channels, pitch = a->output.pixel_pitch;
    if (step == b->channels && pitch == b->channels) {
        const mean_run all = {from, to, 1, 1, pixels * b->channels};
        means_of_run(m, &all);
    } else if (b->channels < 4) {
        for (int32_t c = 0; c < b->channels; c++) {
            const mean_run channel = {from + c, to + c, step, pitch, pixels};
            means_of_run(m, &channel);
        }
    } else {
        for (int32_t x = 0; x < pixels; x++, from += step, to += pitch) {
            const mean_run pixel = {from, to, 1, 1, b->channels};
            means_of_run(m, &pixel);
        }
    }
}

/* Columns of few channels, down the rows. */
static void means_of_columns(const args *a, const pool_block *b, const mean *m, const folded *from,
                             element *to, dpl_span rows) {
    for (int32_t c = 0; c < b->channels; c++) {
        const mean_run down = {from + c, to + c, b->pitch, a->output.row_pitch,
                               rows.end - rows.begin};
        means_of_run(m, &down);
    }
}

/* The outputs of some rows from x to `end`, whose windows have so many taps in the input. */
static void means_between(const args *a, const pool_block *b, const folded *strip, dpl_span rows,
                          dpl_span x, int32_t taps) {
    if (x.begin >= x.end) {
        return;
    }
    const int32_t step = a->window.stride_width * b->channels, pitch = a->output.pixel_pitch;
    const mean m = mean_of(&a->requant, taps, b->taps, a->window.dilation_width * b->channels);
    const folded *from = strip + rows.begin * b->pitch + x.begin * step;
    const int32_t at = (b->x + x.begin) * pitch + b->channel;
    if (x.end - x.begin == 1 && b->channels < 8 && a->output.ring_height == 0) {
        means_of_columns(a, b, &m, from, row_of(&a->output, b->y + rows.begin) + at, rows);
        return;
    }
    for (int32_t r = rows.begin; r < rows.end; r++, from += b->pitch) {
        means_of_pixels(a, b, &m, from, row_of(&a->output, b->y + r) + at, x.end - x.begin);
    }
}

/* The outputs whose windows have all their columns in the input. */
static dpl_span whole_windows(const dpl_window *w, const pool_block *b) {
    const int32_t stride = w->stride_width;
    const int32_t most = b->end - 1 - (b->taps - 1) * w->dilation_width;
    dpl_span whole = {(b->begin + stride - 1) / stride, most < 0 ? 0 : most / stride + 1};
    whole.end = least_of(whole.end, b->columns);
    whole.begin = least_of(whole.begin, b->columns);
    whole.end = whole.end < whole.begin ? whole.begin : whole.end;
    return whole;
}

/* Outputs at a side, each with its own count of columns. */
static void means_at_side(const args *a, const pool_block *b, const folded *strip, dpl_span rows,
                          dpl_span x, int32_t tall) {
    const dpl_window *w = &a->window;
    for (; x.begin < x.end; x.begin++) {
        const int32_t origin = (b->x + x.begin) * w->stride_width - w->pads.left;
        const dpl_span wide =
            dpl_taps_inside(origin, w->kernel_width, w->dilation_width, a->input.width);
        const dpl_span one = {x.begin, x.begin + 1};
        means_between(a, b, strip, rows, one, tall * (wide.end - wide.begin));
    }
}

static int32_t taps_of_column_at(const args *a, const pool_block *b, int32_t r) {
    const dpl_window *w = &a->window;
    const int32_t origin = (b->y + r) * w->stride_height - w->pads.top;
    const dpl_span tall =
        dpl_taps_inside(origin, w->kernel_height, w->dilation_height, a->input.height);
    return tall.end - tall.begin;
}

/* Rows with as many taps have the same means. */
static void finish_block(const args *a, const pool_block *b, const folded *strip) {
    const dpl_span whole = whole_windows(&a->window, b);
    const dpl_span left = {0, whole.begin}, right = {whole.end, b->columns};
    dpl_span rows = {0, 0};
    for (; rows.begin < b->rows; rows.begin = rows.end) {
        const int32_t tall = taps_of_column_at(a, b, rows.begin);
        do {
            rows.end++;
        } while (rows.end < b->rows && taps_of_column_at(a, b, rows.end) == tall);
        means_at_side(a, b, strip + b->origin, rows, left, tall);
        means_between(a, b, strip + b->origin, rows, whole, tall * a->window.kernel_width);
        means_at_side(a, b, strip + b->origin, rows, right, tall);
    }
}

#include "dpl/cortex_m/pool_strip.h"
