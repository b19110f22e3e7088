/* LayerNorm, float, portable. */
#include "dpl/body/norm_f32.h"
#include "dpl/cores.h"

void dpl_layer_norm_f32__fp32(const dpl_norm_f32_args *a) {
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    const int32_t first = part.channels.begin, count = part.channels.end - first;
    const int32_t channels = a->input.channels;
    for (int32_t y = part.rows.begin; y < part.rows.end; y++) {
        const float *row = row_of(&a->input, y);
        float *out = row_of(&a->output, y);
        for (int32_t x = 0; x < a->output.width; x++) {
            const float mean = sum_of(row, channels) / (float)channels;
            const float deviation = deviation_of(a, squares_of(row, mean, channels), channels);
            normalize(a, mean, deviation, first, count, row, out);
            row += a->input.pixel_pitch;
            out += a->output.pixel_pitch;
        }
    }
}
