/* Resample: `run` sums count channels of a pixel's neighbours, step elements apart. */
#include "dpl/cores.h"
#include "dpl/resample.h"

void KERNEL(const args *a) {
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    const int32_t first = part.channels.begin, count = part.channels.end - first;
    for (int32_t y = part.rows.begin; y < part.rows.end; y++) {
        const int32_t top = a->axis == 0 ? (int32_t)a->starts[y] : y;
        element *out = row_of(&a->output, y) + first;
        for (int32_t x = 0; x < a->output.width; x++, out += a->output.pixel_pitch) {
            const int32_t left = a->axis == 1 ? (int32_t)a->starts[x] : x;
            run(a, a->axis == 1 ? x : y, top, left * a->input.pixel_pitch + first, count, out);
        }
    }
}
