/* GroupNorm, float, portable. Cores share the groups. */
#include "dpl/body/norm_f32.h"
#include "dpl/cores.h"

static float mean_of(const tensor *t, int32_t first, int32_t size, int32_t count) {
    float sum = 0.0f;
    for (int32_t y = 0; y < t->height; y++) {
        const float *x = row_of(t, y) + first;
        for (int32_t i = 0; i < t->width; i++, x += t->pixel_pitch) {
            sum += sum_of(x, size);
        }
    }
    return sum / (float)count;
}

static float squares_about(const tensor *t, int32_t first, int32_t size, float mean) {
    float sum = 0.0f;
    for (int32_t y = 0; y < t->height; y++) {
        const float *x = row_of(t, y) + first;
        for (int32_t i = 0; i < t->width; i++, x += t->pixel_pitch) {
            sum += squares_of(x, mean, size);
        }
    }
    return sum;
}

static void group(const dpl_norm_f32_args *a, int32_t first, int32_t size) {
    const int32_t count = a->input.height * a->input.width * size;
    const float mean = mean_of(&a->input, first, size, count);
    const float deviation = deviation_of(a, squares_about(&a->input, first, size, mean), count);
    for (int32_t y = 0; y < a->output.height; y++) {
        const float *row = row_of(&a->input, y);
        float *out = row_of(&a->output, y);
        for (int32_t x = 0; x < a->output.width; x++) {
            normalize(a, mean, deviation, first, size, row, out);
            row += a->input.pixel_pitch;
            out += a->output.pixel_pitch;
        }
    }
}

void dpl_group_norm_f32__fp32(const dpl_norm_f32_args *a) {
    const int32_t size = a->input.channels / a->groups;
    const dpl_share groups = dpl_core_share(a->groups);
    for (int32_t g = groups.begin; g < groups.end; g++) {
        group(a, g * size, size);
    }
}
