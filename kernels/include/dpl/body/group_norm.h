/* GroupNorm: two passes over the pixels of a group, by `add_moments` and `normalize`. Cores share
 * the groups. */
#include "dpl/cores.h"

static moments moments_of(const dpl_tensor_s8 *t, int32_t first, int32_t count) {
    moments sums = {0, 0};
    for (int32_t y = 0; y < t->height; y++) {
        const int8_t *x = dpl_row_s8(t, y) + first;
        for (int32_t i = 0; i < t->width; i++, x += t->pixel_pitch) {
            add_moments(&sums, x, count);
        }
    }
    return sums;
}

static void group(const dpl_norm_s8_args *a, int32_t first, int32_t size) {
    const int32_t count = a->input.height * a->input.width * size;
    const normalizer n = normalizer_of(a, moments_of(&a->input, first, size), count);
    for (int32_t y = 0; y < a->output.height; y++) {
        const int8_t *row = dpl_row_s8(&a->input, y);
        int8_t *out = dpl_row_s8(&a->output, y);
        for (int32_t x = 0; x < a->output.width; x++) {
            normalize(a, &n, first, size, row, out);
            row += a->input.pixel_pitch;
            out += a->output.pixel_pitch;
        }
    }
}

void KERNEL(const dpl_norm_s8_args *a) {
    const int32_t size = a->input.channels / a->groups;
    const dpl_share groups = dpl_core_share(a->groups);
    for (int32_t g = groups.begin; g < groups.end; g++) {
        group(a, g * size, size);
    }
}
