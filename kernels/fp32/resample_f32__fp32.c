/* Resample, float, portable. */
#include "dpl/body/f32.h"
#include "dpl/resample.h"

#define KERNEL dpl_resample_f32__fp32
typedef dpl_resample_f32_args args;

static void run(const args *a, int32_t o, int32_t top, int32_t at, int32_t count,
                float *restrict out) {
    const float *weights = a->weights + o * a->taps;
    for (int32_t c = 0; c < count; c++) {
        float sum = 0.0f;
        for (int32_t t = 0; t < a->taps; t++) {
            const float *row = row_of(&a->input, a->axis == 0 ? top + t : top);
            sum += weights[t] * row[at + c + (a->axis == 1 ? t * a->input.pixel_pitch : 0)];
        }
        out[c] = sum;
    }
}

#include "dpl/body/resample.h"
