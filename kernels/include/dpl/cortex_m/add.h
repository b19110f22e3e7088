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

/* Of one expression, since that is less code than a branch for each. */
static int contiguous(const args *a, int32_t count) {
    return ((a->left.pixel_pitch ^ count) | (a->right.pixel_pitch ^ count) |
            (a->output.pixel_pitch ^ count)) == 0;
}

static int rows_follow(const args *a, int32_t row) {
    return ((a->left.row_pitch ^ row) | (a->right.row_pitch ^ row) | (a->output.row_pitch ^ row) |
            a->left.ring_height | a->right.ring_height | a->output.ring_height) == 0;
}

/* What has no gaps is one run, all rows or each, otherwise each pixel is. */
void KERNEL(const args *a) {
    const dpl_share share = dpl_core_share(a->output.height);
    int32_t pixels = a->output.width, length = a->output.channels, rows = 1;
    if (contiguous(a, length)) {
        length *= pixels;
        pixels = 1;
        rows = rows_follow(a, length) ? share.end - share.begin : 1;
    }
    for (int32_t y = share.begin; y < share.end; y += rows) {
        const element *left = row_of(&a->left, y), *right = row_of(&a->right, y);
        element *out = row_of(&a->output, y);
        for (int32_t x = 0; x < pixels; x++) {
            run(a, left, right, out, rows * length);
            left += a->left.pixel_pitch;
            right += a->right.pixel_pitch;
            out += a->output.pixel_pitch;
        }
    }
}
