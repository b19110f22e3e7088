/* Resize, nearest: each input pixel is a run, copied factor_width times, fewer or more at the ends
 * of a part. */
#include "dpl/body/run.h"
#include "dpl/cores.h"
#include "dpl/nearest.h"

void KERNEL(const args *a) {
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    const int32_t first = part.channels.begin, count = part.channels.end - first;
    for (int32_t y = part.rows.begin; y < part.rows.end; y++) {
        const int32_t from = dpl_copied(y + a->top + a->start_height, a->factor_height);
        const element *row = row_of(&a->input, dpl_inside(from, a->input.height)) + first;
        element *out = row_of(&a->output, y) + first;
        int32_t column = dpl_copied(a->left + a->start_width, a->factor_width);
        int32_t left = (column + 1) * a->factor_width - a->left - a->start_width;
        for (int32_t x = 0; x < a->output.width; left = a->factor_width, column++) {
            const element *input = row + dpl_inside(column, a->input.width) * a->input.pixel_pitch;
            left = left < a->output.width - x ? left : a->output.width - x;
            for (x += left; left > 0; left--, out += a->output.pixel_pitch) {
                copy_run(out, input, count);
            }
        }
    }
}
