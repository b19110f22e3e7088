/* Resize, nearest: each input pixel is a run, copied factor_width times. */
#include "dpl/body/run.h"
#include "dpl/cores.h"

void KERNEL(const args *a) {
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    const int32_t first = part.channels.begin, count = part.channels.end - first;
    for (int32_t y = part.rows.begin; y < part.rows.end; y++) {
        const element *input = row_of(&a->input, y / a->factor_height) + first;
        element *out = row_of(&a->output, y) + first;
        for (int32_t x = 0; x < a->input.width; x++, input += a->input.pixel_pitch) {
            for (int32_t k = 0; k < a->factor_width; k++, out += a->output.pixel_pitch) {
                copy_run(out, input, count);
            }
        }
    }
}
