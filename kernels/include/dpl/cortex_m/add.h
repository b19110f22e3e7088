/* Add, four elements at a time: a body. A file has `simple`, whether its `run_x4` takes the
 * arguments, and `run_x4` itself where there are DSP instructions. No restrict: the output may take
 * an input's place. */
#include "dpl/cores.h"

static element one(const args *a, int32_t left, int32_t right) {
    const int32_t sum = left * a->multiplier[0] + right * a->multiplier[1] + a->rounding;
    return (element)dpl_clamp(sum >> a->shift, a->low, a->high);
}

#if !defined(__ARM_FEATURE_DSP)

static void run_x4(const args *a, const element *left, const element *right, element *out,
                   int32_t count) {
    for (int32_t i = 0; i < 4 * count; i++) {
        out[i] = one(a, left[i], right[i]);
    }
}

#endif

static void run(const args *a, const element *left, const element *right, element *out,
                int32_t count) {
    int32_t i = 0;
    if (simple(a) && count >= 4) {
        i = count / 4 * 4;
        run_x4(a, left, right, out, count / 4);
    }
    for (; i < count; i++) {
        out[i] = one(a, left[i], right[i]);
    }
}

/* A row without gaps is one run, otherwise each pixel is. */
static int contiguous(const args *a) {
    const int32_t count = a->output.channels;
    return a->left.pixel_pitch == count && a->right.pixel_pitch == count &&
           a->output.pixel_pitch == count;
}

void KERNEL(const args *a) {
    const dpl_share rows = dpl_core_share(a->output.height);
    const int32_t whole = contiguous(a), width = a->output.width, channels = a->output.channels;
    for (int32_t y = rows.begin; y < rows.end; y++) {
        const element *left = row_of(&a->left, y), *right = row_of(&a->right, y);
        element *out = row_of(&a->output, y);
        for (int32_t x = 0; x < (whole ? 1 : width); x++) {
            run(a, left, right, out, whole ? width * channels : channels);
            left += a->left.pixel_pitch;
            right += a->right.pixel_pitch;
            out += a->output.pixel_pitch;
        }
    }
}
