/* ConvTranspose2d, dilation 1, kernels no smaller than their strides: an ordinary convolution for
 * each remainder of the rows' stride. A body, with blocks of its type and `args` before it.
 *
 * As many pixels of a row as columns stride over are one with the outputs of all: each reads the
 * same inputs, those of which a kernel has no column by zeros. So a cell serves all of them, and
 * what goes into neighbouring pixels lies side by side. Windows begin where pixels do: where pads
 * of columns are no whole strides, or the output is none, pixels at the ends of a row are partly
 * outside and convolutions of their own. */
#include "dpl/neon/bytes.h"
#include "dpl/remainder_axis.h"

/* Pixels of a row: the first has `cut` columns before the output, the last one `last` inside. */
typedef struct {
    int32_t across, cut, count, last;
} wide_row;

static wide_row row_of(const args *a) {
    const int32_t across = a->window.stride_width, cut = a->window.pads.left % across;
    const int32_t columns = a->output.width + cut, count = (columns + across - 1) / across;
    const wide_row row = {across, cut, count, columns - (count - 1) * across};
    return row;
}

/* Pixels of `across` as one, `count` of them; a group's outputs are spread over them where there
 * are others. */
static void widen_pixels(convolution *v, const args *a, int32_t across, int32_t count) {
    dpl_tensor_s8 *to = &v->output;
    if (a->groups > 1) {
        v->pixel_outputs = to->channels / ELEMENT_BYTES / a->groups;
        v->pixel_bytes = to->pixel_pitch;
    }
    to->channels *= across;
    to->pixel_pitch *= across;
    to->width = count;
}

/* The convolution of remainder `i` of the rows, of `count` pixels from pixel `first` on. */
static void pixels_of(convolution *v, const args *a, int32_t i, int32_t first, int32_t count) {
    const dpl_window *w = &a->window;
    const wide_row row = row_of(a);
    const int32_t taps = (w->kernel_width + row.across - 1) / row.across;
    const remainder_axis rows =
        axis_of(i, w->stride_height, w->kernel_height, w->pads.top, a->output.height);
    const stripes columns = {0, 1, count};
    const int32_t left = taps - 1 - w->pads.left / row.across - first;
    const dpl_window own = {rows.taps, taps, 1, 1, 1, 1, {rows.pad, left, 0, 0}};
    AS_BYTES(v->input, a->input);
    AS_BYTES(v->output, a->output);
    v->window = own;
    SET_RULE(v, a);
    v->scratch = a->scratch;
    v->rows = rows.outputs;
    v->columns = columns;
    v->output.data += (first * row.across - row.cut) * v->output.pixel_pitch;
    widen_pixels(v, a, row.across, count);
}

/* Pixels that lie inside. */
static void remainder_of(convolution *v, const args *a, int32_t i) {
    const wide_row row = row_of(a);
    const int32_t first = row.cut > 0, end = row.count - (row.last < row.across);
    pixels_of(v, a, i, first, end - first);
}

static int32_t convolutions_of(const args *a) {
    return a->window.stride_height;
}

/* Whether a row's first pixel, or its last one, is partly outside. */
static int is_cut(const wide_row *row, int end) {
    return end ? row->last < row->across : row->cut > 0;
}

/* The first pixels of rows, or the last ones. */
static void end_of(convolution *v, const args *a, int32_t i, int end) {
    const wide_row row = row_of(a);
    pixels_of(v, a, i, end ? row.count - 1 : 0, 1);
    const int32_t each = a->output.channels / a->groups;
    v->inside.begin = end ? 0 : row.cut * each;
    v->inside.end = (end ? row.last : row.across) * each;
}

static int32_t bytes_of_ends(const args *a) {
    const wide_row row = row_of(a);
    int32_t most = 0;
    convolution v;
    for (int32_t i = 0; i < 2 * convolutions_of(a); i++) {
        if (is_cut(&row, i % 2)) {
            end_of(&v, a, i / 2, i % 2);
            const int32_t bytes = strip_bytes(&v, v.input.channels / a->groups);
            most = bytes > most ? bytes : most;
        }
    }
    return most;
}

/* All remainders of an end; a core's scratch has so many bytes. */
static void run_end(const args *a, int end, int32_t bytes) {
    const int8_t *weights = (const void *)a->weights;
    convolution v;
    for (int32_t i = 0; i < convolutions_of(a); i++) {
        end_of(&v, a, i, end);
        v.core_bytes = bytes;
        weights = convolve(&v, a->groups, weights);
    }
}

static void run_ends(const args *a, int32_t bytes) {
    const wide_row row = row_of(a);
    for (int end = 0; end < 2; end++) {
        if (is_cut(&row, end)) {
            run_end(a, end, bytes);
        }
    }
}

#include "dpl/neon/conv_transpose2d_run.h"
