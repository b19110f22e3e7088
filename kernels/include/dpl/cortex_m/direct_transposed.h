/* ConvTranspose2d, few output channels for each input, any groups, dilation 1, kernels no smaller
 * than their strides: a body, with direct_s8.h or direct_s16.h, `args` and KERNEL before it.
 *
 * Remainders of the strides read the same input: where windows reach beyond it, pixels fill no
 * words or values are bytes, a band of rows is copied with zero points at its sides, once for all
 * of them. */
#include "dpl/conv_transpose2d.h"

/* Along an axis: input rows or columns that remainders with outputs reach, from the first of output
 * 0 of any to the last of any; to the last of output 0; outputs of the most and of the fewest. */
typedef struct {
    int32_t begin, end, first_end, most, fewest;
} reach_of_axis;

/* An axis of stride, kernel, pad and output extent. */
typedef struct {
    int32_t stride, kernel, pad, extent;
} axis;

static inline int32_t greatest(int32_t a, int32_t b) {
    return a > b ? a : b;
}

static inline axis rows_of(const args *a) {
    const dpl_window *w = &a->window;
    const axis rows = {w->stride_height, w->kernel_height, w->pads.top, a->output.height};
    return rows;
}

static inline axis columns_of(const args *a) {
    const dpl_window *w = &a->window;
    const axis columns = {w->stride_width, w->kernel_width, w->pads.left, a->output.width};
    return columns;
}

static inline remainder_axis remainder_of(axis of, int32_t r) {
    return axis_of(r, of.stride, of.kernel, of.pad, of.extent);
}

static __attribute__((noinline)) void reach_of(axis of, reach_of_axis *reach) {
    const int32_t far = 1 << 20;
    *reach = (reach_of_axis){far, -far, -far, 0, far};
    for (int32_t r = 0; r < of.stride; r++) {
        const remainder_axis each = remainder_of(of, r);
        const int32_t end = each.taps - each.pad, count = each.outputs.count;
        if (count > 0) {
            reach->begin = least(reach->begin, -each.pad);
            reach->end = greatest(reach->end, end + count - 1);
            reach->first_end = greatest(reach->first_end, end);
            reach->most = greatest(reach->most, count);
            reach->fewest = least(reach->fewest, count);
        }
    }
}

typedef struct {
    const args *a;
    reach_of_axis rows, columns;
    int copies;
    plan copy; /* of its rows: what copy_row reads */
    convolution source;
    int32_t band; /* rows of a remainder at a time */
} remainders;

/* Of the outputs from row `top` on, those of row remainder y and column remainder x. */
static inline void set_remainder(const remainders *p, int32_t top, int32_t y, int32_t x,
                                 convolution *v) {
    const args *a = p->a;
    const remainder_axis rows = remainder_of(rows_of(a), y);
    const remainder_axis columns = remainder_of(columns_of(a), x);
    const int32_t left = rows.outputs.count - top, count = least(p->band, left);
    v->input = a->input;
    v->output = a->output;
    v->rows = rows.outputs;
    v->rows.first += top * rows.outputs.step;
    v->rows.count = count > 0 ? count : 0;
    v->columns = columns.outputs;
    v->window = (dpl_window){rows.taps, columns.taps, 1, 1, 1, 1, {rows.pad, columns.pad, 0, 0}};
    if (p->copies) {
        const int32_t down = -rows.pad - p->rows.begin, right = -columns.pad - p->columns.begin;
        read_copies(v, &p->copy, down, right, p->rows.first_end - p->rows.begin + p->band - 1);
    }
}

/* Rows of a remainder whose input has room, bands alike. */
static inline int32_t rows_of_band(const remainders *p) {
    const int32_t count = p->rows.most, window = p->rows.first_end - p->rows.begin;
    const int32_t room = DPL_DIRECT_BAND_BYTES / (int32_t)sizeof(int16_t) / p->copy.row;
    const int32_t most = room > window ? room - window + 1 : 1;
    const int32_t bands = (count + most - 1) / most;
    return bands > 0 ? (count + bands - 1) / bands : 1;
}

static inline void plan_copy(remainders *p) {
    const args *a = p->a;
    const int32_t words = words_of_tap(a->input.channels / a->groups);
    p->source.input = a->input;
    p->source.groups = a->groups;
    p->source.input_zero = a->input_zero;
    p->source.window.pads.left = -p->columns.begin;
    p->copy.v = &p->source;
    p->copy.pixel = copied_pixel(&p->source, words);
    p->copy.row = (p->columns.end - p->columns.begin) * p->copy.pixel;
    p->copy.copies = a->scratch;
    p->band = rows_of_band(p);
}

/* Whether a remainder reads something else than words of the input. */
static inline int needs_copies(const remainders *p) {
    const args *a = p->a;
    const int bytes = sizeof(element) < sizeof(int16_t);
    const int32_t depth = a->input.channels / a->groups, words = words_of_tap(depth);
    const int inside = p->rows.begin >= 0 && p->columns.begin >= 0 &&
                       p->rows.end <= a->input.height && p->columns.end <= a->input.width;
    return bytes || !inside || a->input.channels % 2 != 0 || (depth + 1) / 2 != words ||
           p->rows.fewest * p->columns.fewest == 1;
}

/* Whether bands copy rows more often than one remainder alone does, which keeps them in a ring. */
static inline int is_dear(const remainders *p) {
    const dpl_window *w = &p->a->window;
    const int alone = w->stride_height == 1 && w->stride_width == 1;
    return alone && p->band < p->rows.first_end - p->rows.begin;
}

/* Returns the scratch behind the copies. */
static inline void *copy_band(const remainders *p, int32_t top) {
    const int32_t rows = p->rows.first_end - p->rows.begin + p->band - 1;
    int16_t *to = p->copy.copies;
    for (int32_t y = 0; y < rows; y++, to += p->copy.row) {
        copy_row(&p->copy, top + p->rows.begin + y, to);
    }
    return to + DPL_DIRECT_SLACK_BYTES / (int32_t)sizeof(int16_t);
}

/* Weights follow one another in the order of the remainders. */
static inline void run_band(const remainders *p, int32_t top, void *scratch) {
    const args *a = p->a;
    convolution v;
    v.groups = a->groups;
    v.input_zero = a->input_zero;
    v.copied = p->copies;
    v.weights = (const uint32_t *)(const void *)a->weights;
    v.requant = &a->requant;
    v.scratch = scratch;
    for (int32_t y = 0; y < a->window.stride_height; y++) {
        for (int32_t x = 0; x < a->window.stride_width; x++) {
            set_remainder(p, top, y, x, &v);
            v.weights = convolve_directly(&v);
        }
    }
}

void KERNEL(const args *a) {
    remainders p;
    p.a = a;
    reach_of(rows_of(a), &p.rows);
    reach_of(columns_of(a), &p.columns);
    p.copies = needs_copies(&p);
    p.band = p.rows.most;
    if (p.copies) {
        plan_copy(&p);
    }
    if (p.copies && is_dear(&p)) {
        p.copies = 0;
        p.band = p.rows.most;
    }
    for (int32_t top = 0; top < p.rows.most; top += p.band) {
        run_band(&p, top, p.copies ? copy_band(&p, top) : a->scratch);
    }
    bound_all(&a->output, &a->requant);
}
