/* Copy, int8, portable: a row without gaps is one run, otherwise each pixel is. */
#include "dpl/cores.h"
#include "dpl/move.h"
#include "dpl/run.h"

void dpl_copy_s8__ref(const dpl_copy_s8_args *a) {
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    const int32_t first = part.channels.begin, count = part.channels.end - first;
    const int dense = a->input.pixel_pitch == count && a->output.pixel_pitch == count;
    const int32_t pixels = dense ? 1 : a->output.width;
    const int32_t length = dense ? a->output.width * count : count;
    for (int32_t y = part.rows.begin; y < part.rows.end; y++) {
        const int8_t *input = dpl_row_s8(&a->input, y) + first;
        int8_t *out = dpl_row_s8(&a->output, y) + first;
        for (int32_t x = 0; x < pixels; x++) {
            dpl_copy_run(out, input, length);
            input += a->input.pixel_pitch;
            out += a->output.pixel_pitch;
        }
    }
}
