/* Softmax, float, portable: the largest channel of a pixel, the sum of powers, then the shares. */
#include "dpl/body/exponential.h"
#include "dpl/body/f32.h"
#include "dpl/cores.h"
#include "dpl/softmax.h"

static float largest(const float *row, int32_t count) {
    float best = row[0];
    for (int32_t i = 1; i < count; i++) {
        best = row[i] > best ? row[i] : best;
    }
    return best;
}

static float sum_powers(const float *row, int32_t count, float best) {
    float sum = 0.0f;
    for (int32_t i = 0; i < count; i++) {
        sum += exponential(row[i] - best);
    }
    return sum;
}

void dpl_softmax_f32__fp32(const dpl_softmax_f32_args *a) {
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    for (int32_t y = part.rows.begin; y < part.rows.end; y++) {
        const float *row = row_of(&a->input, y);
        float *out = row_of(&a->output, y);
        for (int32_t x = 0; x < a->output.width; x++) {
            const float best = largest(row, a->input.channels);
            const float sum = sum_powers(row, a->input.channels, best);
            for (int32_t c = part.channels.begin; c < part.channels.end; c++) {
                out[c] = exponential(row[c] - best) / sum;
            }
            row += a->input.pixel_pitch;
            out += a->output.pixel_pitch;
        }
    }
}
