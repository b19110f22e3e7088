/* LayerNorm: two passes over the channels of a pixel, by `add_moments` and `normalize`. Cores share
 * the pixels, so that one that a root is found for is one core's alone. */
#include "dpl/cores.h"

static void pixel(const dpl_norm_s8_args *a, const int8_t *x, int8_t *out) {
    moments sums = {0, 0};
    add_moments(&sums, x, a->input.channels);
    const normalizer n = normalizer_of(a, sums, a->input.channels);
    normalize(a, &n, 0, a->input.channels, x, out);
}

void KERNEL(const dpl_norm_s8_args *a) {
    const int32_t width = a->output.width;
    const dpl_share share = dpl_core_share(a->output.height * width);
    for (int32_t i = share.begin; i < share.end; i++) {
        const int32_t y = i / width, x = i % width;
        pixel(a, dpl_row_s8(&a->input, y) + x * a->input.pixel_pitch,
              dpl_row_s8(&a->output, y) + x * a->output.pixel_pitch);
    }
}
