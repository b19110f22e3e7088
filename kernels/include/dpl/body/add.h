/* Add. No restrict: the output may take an input's place. */
#include "dpl/cores.h"

/* Two multiply-adds, shift and clamp: about 12 instructions an element on a Cortex-M7. The
 * parameters are copied out because a store to int8_t may alias anything, so that they would be
 * loaded again for every element. */
static void run(const args *a, const element *left, const element *right, element *out,
                int32_t count) {
    const int32_t m0 = a->multiplier[0], m1 = a->multiplier[1];
    const int32_t rounding = a->rounding, shift = a->shift, low = a->low, high = a->high;
    for (int32_t i = 0; i < count; i++) {
        int32_t total = left[i] * m0 + right[i] * m1 + rounding;
        out[i] = (element)dpl_clamp(total >> shift, low, high);
    }
}

/* A row without gaps is one run, otherwise each pixel is. */
static int contiguous(const args *a, int32_t count) {
    return a->left.pixel_pitch == count && a->right.pixel_pitch == count &&
           a->output.pixel_pitch == count;
}

void KERNEL(const args *a) {
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    const int32_t first = part.channels.begin, count = part.channels.end - first;
    const int32_t pixels = contiguous(a, count) ? 1 : a->output.width;
    const int32_t length = contiguous(a, count) ? a->output.width * count : count;
    for (int32_t y = part.rows.begin; y < part.rows.end; y++) {
        const element *left = row_of(&a->left, y) + first;
        const element *right = row_of(&a->right, y) + first;
        element *out = row_of(&a->output, y) + first;
        for (int32_t x = 0; x < pixels; x++) {
            run(a, left, right, out, length);
            left += a->left.pixel_pitch;
            right += a->right.pixel_pitch;
            out += a->output.pixel_pitch;
        }
    }
}
