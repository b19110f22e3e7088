/* Resize, nearest: a body. An output row that shows the same input row as the one above is a copy
 * of it. In the others a pixel is a run; short runs are taken at one of the factor's positions
 * after the other, all of a row in one loop. */
#include "dpl/cores.h"
#include "dpl/cortex_m/blocking.h"
#include "dpl/cortex_m/run.h"
#include "dpl/nearest.h"

/* Output columns from begin to end, pixel by pixel. */
static void columns(const args *a, const element *row, int32_t begin, int32_t end, int32_t count,
                    element *out) {
    const int32_t factor = a->factor_width, from = a->input.pixel_pitch, to = a->output.pixel_pitch;
    const int32_t start = a->left + a->start_width;
    for (int32_t x = begin, copies; x < end; x += copies) {
        const int32_t column = dpl_copied(x + start, factor);
        copies = (column + 1) * factor - start - x;
        copies = copies < end - x ? copies : end - x;
        const element *input = row + dpl_inside(column, a->input.width) * from;
        copy_each(out + x * to, to, input, 0, count, copies);
    }
}

/* All copies of `inputs` columns from `column`. */
static void whole_columns(const args *a, const element *row, int32_t column, int32_t inputs,
                          int32_t count, element *out) {
    const int32_t factor = a->factor_width, from = a->input.pixel_pitch, to = a->output.pixel_pitch;
    for (int32_t k = 0; k < factor; k++) {
        copy_each(out + k * to, factor * to, row + column * from, from, count, inputs);
    }
}

static void output_row(const args *a, const element *row, int32_t count, element *out) {
    const int32_t factor = a->factor_width, width = a->output.width;
    const int32_t start = a->left + a->start_width;
    const int32_t column = start <= 0 ? 0 : (start + factor - 1) / factor;
    const int32_t begin = column * factor - start, fit = (width - begin) / factor;
    const int32_t inputs = fit < a->input.width - column ? fit : a->input.width - column;
    if (count * (int32_t)sizeof(element) > SHORT_BYTES || inputs < 2) {
        columns(a, row, 0, width, count, out);
        return;
    }
    columns(a, row, 0, begin, count, out);
    whole_columns(a, row, column, inputs, count, out + begin * a->output.pixel_pitch);
    columns(a, row, begin + inputs * factor, width, count, out);
}

/* The row above once more. */
static void same_row(const args *a, const element *above, int32_t count, element *out) {
    const int32_t pitch = a->output.pixel_pitch, width = a->output.width;
    const int contiguous = pitch == count;
    copy_each(out, pitch, above, pitch, contiguous ? width * count : count, contiguous ? 1 : width);
}

static void resize_rows(const args *a) {
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    const int32_t first = part.channels.begin, count = part.channels.end - first;
    int32_t shown = -1;
    const element *above = 0;
    for (int32_t y = part.rows.begin; y < part.rows.end; y++) {
        const int32_t copied = dpl_copied(y + a->top + a->start_height, a->factor_height);
        const int32_t from = dpl_inside(copied, a->input.height);
        element *out = row_of(&a->output, y) + first;
        if (from == shown) {
            same_row(a, above, count, out);
        } else {
            output_row(a, row_of(&a->input, from) + first, count, out);
        }
        shown = from;
        above = out;
    }
}

#include "dpl/cortex_m/resize_turn.h"
