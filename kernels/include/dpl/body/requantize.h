/* Sums to outputs, pixel by pixel. */
#include "dpl/body/requant.h"
#include "dpl/cores.h"

void KERNEL(const args *a) {
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    const int32_t first = part.channels.begin, count = part.channels.end - first;
    for (int32_t y = part.rows.begin; y < part.rows.end; y++) {
        const int32_t *sums = dpl_row_s32(&a->input, y) + first;
        element *out = row_of(&a->output, y) + first;
        for (int32_t x = 0; x < a->output.width; x++) {
            requantize_block(&a->requant, sums, first, count, out);
            sums += a->input.pixel_pitch;
            out += a->output.pixel_pitch;
        }
    }
}
