/* PRelu: `pixel` computes this core's channels of one pixel. */
#include "dpl/cores.h"

void KERNEL(const args *a) {
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    for (int32_t y = part.rows.begin; y < part.rows.end; y++) {
        const element *input = row_of(&a->input, y);
        element *out = row_of(&a->output, y);
        for (int32_t x = 0; x < a->output.width; x++) {
            pixel(a, part.channels, input, out);
            input += a->input.pixel_pitch;
            out += a->output.pixel_pitch;
        }
    }
}
