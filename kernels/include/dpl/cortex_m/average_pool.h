/* Average pools: a body. A file has `args`, KERNEL, `folded` and `sum_run` of its type,
 * `four_means` and `fours_of`.
 *
 * A block's input rows are summed to a strip, whole rows of pixels at a time, so that the channel
 * count does not matter. An output is the mean of as many elements of the strip as the window has
 * columns. */
#include "dpl/cortex_m/pool_rows.h"
#include "dpl/cortex_m/simd.h"
#include "dpl/cortex_m/slide_sums.h"

enum { PADDING = 0 };

#include "dpl/cortex_m/means.h"

static void fill_padding(folded *to, int32_t count);

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

/* Runs of a row of the strip: the whole row where pixels have no gaps, otherwise each pixel. */
typedef struct {
    int32_t at, from, to, length, count; /* the first in a row, distances, how long and many */
} row_runs;

static row_runs runs_of_row(const args *a, const pool_block *b) {
    const int32_t inside = b->end - b->begin, channels = b->channels;
    const int32_t at = (b->first + b->begin) * a->input.pixel_pitch + b->channel;
    if (a->input.pixel_pitch == channels) {
        const row_runs whole = {at, 0, 0, inside * channels, 1};
        return whole;
    }
    const row_runs pixels = {at, a->input.pixel_pitch, channels, channels, inside};
    return pixels;
}

/* Sums of an output row, under which input row `first` is the first, from those of the row above.
 */
static void slide_row(const args *a, const row_runs *r, int32_t first, const folded *from,
                      folded *to) {
    for (int32_t k = -a->window.stride_height; k < 0; k++, from = to) {
        const element *minus = row_of(&a->input, first + k) + r->at;
        const element *plus = row_of(&a->input, first + a->window.kernel_height + k) + r->at;
        for (int32_t i = 0, at = 0; i < r->count; i++, at += r->to) {
            slide_run(plus + i * r->from, minus + i * r->from, from + at, to + at, r->length);
        }
    }
}

/* Whether that takes fewer cycles than to add the rows, of windows that have all theirs. */
static int worth_sliding(const dpl_window *w, const row_stack *rows) {
    const int all = w->dilation_height == 1 && rows->count == w->kernel_height;
    return all && w->stride_height < rows->count && w->stride_height * SLIDE_COST < sum_cost(rows);
}

static void sum_row(const args *a, const row_runs *r, const dpl_taps *taps, const row_stack *rows,
                    int32_t offset, folded *to) {
    const int wrapped = taps->rows.offset + (rows->count - 1) * taps->rows.step >= taps->rows.wrap;
    const element *from = a->input.data + offset + r->at;
    for (int32_t i = 0; i < r->count; i++, from += r->from, to += r->to) {
        if (wrapped) {
            sum_wrapped(a, taps, r->at + i * r->from, r->length, to);
        } else {
            sum_run(from, rows, to, r->length);
        }
    }
}

/* Whether sums of a row's windows take fewer cycles from one to the next than to add its columns.
 */
static int along_rows(const args *a, const pool_block *b) {
    const dpl_window *w = &a->window;
    const int flat = w->kernel_height == 1 && w->kernel_width > 1 && w->dilation_width == 1;
    const int whole = a->input.pixel_pitch == b->channels && b->columns > 1;
    return flat && whole && w->stride_width * SLIDE_COST < columns_cost(w, b->channels);
}

/* Sums of the windows at all columns of a row, each from that to the left where both lie inside. */
static void sum_along(const args *a, const pool_block *b, int32_t offset, folded *to) {
    const int32_t channels = b->channels, wide = b->taps;
    const int32_t count = (b->columns - 1) * a->window.stride_width + 1;
    const element *from = a->input.data + offset + b->first * channels;
    for (int32_t x = 0, more; x < count; x += more) {
        const int32_t low = x > b->begin ? x : b->begin, high = least_of(x + wide, b->end);
        folded *sums = to + x * channels;
        more = 1;
        if (x > b->begin && x + wide <= b->end) {
            more = least_of(count, b->end - wide + 1) - x;
            slide_along(from + (x - 1) * channels, wide * channels, sums, channels,
                        more * channels);
        } else if (low < high) {
            const row_stack pixels = {channels, high - low};
            sum_run(from + low * channels, &pixels, sums, channels);
        } else {
            fill_padding(sums, channels);
        }
    }
}

/* Sums of the taps of some rows. */
static void fold_rows(const args *a, pool_block *b, alike_rows *rows, folded *to) {
    const dpl_window *w = &a->window;
    row_stack stack = {rows->taps.rows.step, rows->taps.y.end - rows->taps.y.begin};
    const int slides = worth_sliding(w, &stack);
    if (along_rows(a, b)) {
        b->added = 1;
        for (int32_t i = 0; i < rows->count; i++, to += b->pitch) {
            sum_along(a, b, rows->taps.rows.offset + i * rows->apart, to);
        }
        return;
    }
    const row_runs r = runs_of_row(a, b);
    int32_t first = rows->y * w->stride_height - w->pads.top, offset = rows->taps.rows.offset;
    const folded *above = rows->y > b->y ? to - b->pitch : b->follows ? to : 0;
    to += b->begin * b->channels;
    for (int32_t i = 0; i < rows->count; i++) {
        if (slides && above && first >= w->stride_height) {
            slide_row(a, &r, first, above + b->begin * b->channels, to);
        } else {
            sum_row(a, &r, &rows->taps, &stack, offset, to);
        }
        above = to - b->begin * b->channels;
        first += w->stride_height;
        offset += rows->apart;
        to += b->pitch;
    }
}

/* A row's pixels under windows with as many taps: one run, a run for each channel where they are
 * few, or for each pixel. */
static void means_of_row(const args *a, const pool_block *b, const mean *m, const folded *from,
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
        const mean_pixels all = {from, to, step, pitch, b->channels, pixels};
        means_of_pixels(m, &all);
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
    const mean m = mean_of(&a->requant, taps, b->added, a->window.dilation_width * b->channels);
    const folded *from = strip + rows.begin * b->pitch + x.begin * step;
    const int32_t at = (b->x + x.begin) * pitch + b->channel;
    if (x.end - x.begin == 1 && b->channels < 8 && a->output.ring_height == 0) {
        means_of_columns(a, b, &m, from, row_of(&a->output, b->y + rows.begin) + at, rows);
        return;
    }
    for (int32_t r = rows.begin; r < rows.end; r++, from += b->pitch) {
        means_of_row(a, b, &m, from, row_of(&a->output, b->y + r) + at, x.end - x.begin);
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

/* Where sums slide: each block of one row then needs input rows of the one above. */
static int in_columns(const args *a) {
    const dpl_window *w = &a->window;
    return w->dilation_height == 1 && w->kernel_height >= DPL_POOL_SLIDE * w->stride_height;
}

/* Whether all pixels are rows of one column: those of a global pool that follow one another, where
 * pixels are wide or no rows are added first. */
static int is_column(const args *a) {
    const dpl_tensor_s8 in = shape_of(&a->input);
    const dpl_window *w = &a->window;
    const int whole = w->kernel_height == in.height && w->kernel_width == in.width;
    const int one = a->output.width == 1 && a->output.height == 1 && w->pads.top == 0;
    const int together = in.row_pitch == in.width * in.pixel_pitch && in.ring_height == 0;
    const int better = in.channels >= DPL_POOL_WIDE || in.height == 1;
    return whole && one && together && w->pads.left == 0 && better &&
           in.height * in.width <= DPL_MAX_HALFWORD_TAPS;
}

/* One output pixel of few taps and channels: a strip would take longer to plan than to make. */
enum { ALONE_TAPS = 64, ALONE_CHANNELS = 8 };

static int is_alone(const args *a) {
    const dpl_window *w = &a->window;
    const int32_t channels = a->output.channels, taps = w->kernel_height * w->kernel_width;
    const int one = a->output.height == 1 && a->output.width == 1;
    return one && channels <= ALONE_CHANNELS && taps * channels <= ALONE_TAPS;
}

/* All sums before the first output, which may take an input's place. */
static void make_alone(const args *a) {
    dpl_taps taps = taps_of_row(&a->input, &a->window, 0);
    taps_of_column(&taps, &a->input, &a->window, 0);
    const int32_t channels = a->output.channels, count = dpl_taps_count(&taps);
    const dpl_share share = dpl_core_share(1);
    int32_t sums[ALONE_CHANNELS];
    for (int32_t c = 0; c < channels; c++) {
        dpl_row_walk rows = taps.rows;
        int32_t sum = 0;
        for (int32_t y = taps.y.begin; y < taps.y.end; y++, dpl_next_row(&rows)) {
            const element *in = a->input.data + rows.offset + taps.column + c;
            for (int32_t x = taps.x.begin; x < taps.x.end; x++, in += taps.pitch) {
                sum += *in;
            }
        }
        sums[c] = sum;
    }
    element *to = row_of(&a->output, 0);
    for (int32_t c = 0; c < channels && share.begin < share.end; c++) {
        to[c] = (element)dpl_requantize_mean(&a->requant, sums[c], count - 1);
    }
}

#include "dpl/cortex_m/pool_strip.h"
