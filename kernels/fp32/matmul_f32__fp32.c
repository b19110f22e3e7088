/* MatMul, float, portable: four pixels of the right at a time, so that one of the left is read once
 * for four sums. */
#include "dpl/body/dot_f32.h"
#include "dpl/matmul.h"

#define KERNEL dpl_matmul_f32__fp32
typedef dpl_matmul_f32_args args;

static void products(const args *a, int32_t y, int32_t begin, int32_t end) {
    const float *lefts = row_of(&a->left, y), *rights = row_of(&a->right, y);
    float *outs = row_of(&a->output, y);
    for (int32_t v = 0; v < a->right.width; v += DOT_ROWS) {
        const int32_t rest = a->right.width - v, count = rest < DOT_ROWS ? rest : DOT_ROWS;
        int32_t at[DOT_ROWS];
        dot_rows(at, a->right.pixel_pitch, count);
        for (int32_t x = begin; x < end; x++) {
            float sums[DOT_ROWS] = {0.0f, 0.0f, 0.0f, 0.0f};
            const float *right = rights + v * a->right.pixel_pitch;
            dot(lefts + x * a->left.pixel_pitch, right, at, a->left.channels, sums);
            for (int32_t r = 0; r < DOT_ROWS; r++) {
                sums[r] *= a->scale;
            }
            dot_finish(sums, a->low, a->high, count, outs + x * a->output.pixel_pitch + v);
        }
    }
}

#include "dpl/body/matmul.h"
