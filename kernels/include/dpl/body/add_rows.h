/* The runs of an Add, which `run` makes. */
#include "dpl/cores.h"

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
