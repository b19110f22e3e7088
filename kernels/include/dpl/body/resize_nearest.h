/* Resize, nearest: each input pixel is a run, copied factor_width times, fewer at the ends of a
 * part. */
#include "dpl/body/run.h"
#include "dpl/cores.h"

void KERNEL(const args *a) {
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    const int32_t first = part.channels.begin, count = part.channels.end - first;
    for (int32_t y = part.rows.begin; y < part.rows.end; y++) {
        const element *input = row_of(&a->input, (y + a->top) / a->factor_height) + first;
        element *out = row_of(&a->output, y) + first;
        int32_t left = a->factor_width - a->left % a->factor_width;
        input += a->left / a->factor_width * a->input.pixel_pitch;
        for (int32_t x = 0; x < a->output.width; left = a->factor_width) {
            left = left < a->output.width - x ? left : a->output.width - x;
            for (x += left; left > 0; left--, out += a->output.pixel_pitch) {
                copy_run(out, input, count);
            }
            input += a->input.pixel_pitch;
        }
    }
}
