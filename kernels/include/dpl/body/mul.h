/* Mul. No restrict: the output may take an input's place. */
#include "dpl/cores.h"

/* The parameters are copied out because a store to int8_t may alias anything, so that they would
 * be loaded again for every element. */
static void run(const args *a, const element *left, const element *right, element *out,
                int32_t count) {
    const int32_t multiplier = *a->requant.multiplier, rounding = *a->requant.rounding;
    const uint8_t shift = *a->requant.shift;
    const dpl_requant one = {&multiplier,     &rounding,      &shift,         0,
                             a->requant.rule, a->requant.low, a->requant.high};
    const int32_t left_zero = a->left_zero, right_zero = a->right_zero;
    for (int32_t i = 0; i < count; i++) {
        int32_t product = (left[i] - left_zero) * (right[i] - right_zero);
        out[i] = (element)dpl_requantize(&one, product, 0);
    }
}

/* A row without gaps is one run, unless a single pixel multiplies each of its pixels. */
static int dense(const args *a, int32_t count, int broadcast) {
    return !broadcast && a->left.pixel_pitch == count && a->right.pixel_pitch == count &&
           a->output.pixel_pitch == count;
}

void KERNEL(const args *a) {
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    const int32_t first = part.channels.begin, count = part.channels.end - first;
    const int broadcast = a->right.height == 1 && a->right.width == 1;
    const int whole = dense(a, count, broadcast);
    const int32_t pixels = whole ? 1 : a->output.width;
    const int32_t length = whole ? a->output.width * count : count;
    for (int32_t y = part.rows.begin; y < part.rows.end; y++) {
        const element *left = row_of(&a->left, y) + first;
        const element *right = row_of(&a->right, broadcast ? 0 : y) + first;
        element *out = row_of(&a->output, y) + first;
        for (int32_t x = 0; x < pixels; x++) {
            run(a, left, right, out, length);
            left += a->left.pixel_pitch;
            right += broadcast ? 0 : a->right.pixel_pitch;
            out += a->output.pixel_pitch;
        }
    }
}
