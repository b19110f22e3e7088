/* MatMul, int8, portable: four pixels of the right at a time, so that one of the left is read once
 * for four sums. */
#include "dpl/body/s8.h"

#include "dpl/body/requant.h"
#include "dpl/matmul.h"
#include "dpl/ref/blocking.h"

#define KERNEL dpl_matmul_s8__ref
typedef dpl_matmul_s8_args args;

enum { ROWS = DPL_BLOCK_CHANNELS };

/* Sums of (left - left_zero) * (right - right_zero). The right's zero point meets all of the
 * left alike: one sum for four. */
static void sums_of(const args *a, const int8_t *left, const int8_t *const right[ROWS],
                    int32_t sums[ROWS]) {
    const int8_t *r0 = right[0], *r1 = right[1], *r2 = right[2], *r3 = right[3];
    const int32_t zero = a->left_zero;
    int32_t all = 0, sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
    for (int32_t i = 0; i < a->left.channels; i++) {
        const int32_t value = left[i] - zero;
        all += value;
        sum0 += value * r0[i];
        sum1 += value * r1[i];
        sum2 += value * r2[i];
        sum3 += value * r3[i];
    }
    all *= a->right_zero;
    sums[0] = sum0 - all;
    sums[1] = sum1 - all;
    sums[2] = sum2 - all;
    sums[3] = sum3 - all;
}

/* Beyond the last pixel of the right the last is repeated, and its sums are not stored. */
static void products(const args *a, int32_t y, int32_t begin, int32_t end) {
    const int8_t *lefts = dpl_row_s8(&a->left, y), *rights = dpl_row_s8(&a->right, y);
    int8_t *outs = dpl_row_s8(&a->output, y);
    const int32_t last = a->right.width - 1;
    for (int32_t v = 0; v <= last; v += ROWS) {
        const int32_t count = last - v + 1 < ROWS ? last - v + 1 : ROWS;
        const int8_t *right[ROWS];
        for (int32_t r = 0; r < ROWS; r++) {
            right[r] = rights + (r < count ? v + r : last) * a->right.pixel_pitch;
        }
        for (int32_t x = begin; x < end; x++) {
            int32_t sums[ROWS];
            sums_of(a, lefts + x * a->left.pixel_pitch, right, sums);
            requantize_block(&a->requant, sums, 0, count, outs + x * a->output.pixel_pitch + v);
        }
    }
}

#include "dpl/body/matmul.h"
