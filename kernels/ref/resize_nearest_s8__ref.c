/* Resize, nearest, int8, portable: each input pixel is a run, copied factor_width times. */
#include "dpl/cores.h"
#include "dpl/resize.h"
#include "dpl/run.h"

void dpl_resize_nearest_s8__ref(const dpl_resize_s8_args *a) {
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    const int32_t first = part.channels.begin, count = part.channels.end - first;
    for (int32_t y = part.rows.begin; y < part.rows.end; y++) {
        const int8_t *input = dpl_row_s8(&a->input, y / a->factor_height) + first;
        int8_t *out = dpl_row_s8(&a->output, y) + first;
        for (int32_t x = 0; x < a->input.width; x++, input += a->input.pixel_pitch) {
            for (int32_t k = 0; k < a->factor_width; k++, out += a->output.pixel_pitch) {
                dpl_copy_run(out, input, count);
            }
        }
    }
}
