/* Mul, int16: two elements of a word at a time by the high-word rule, which the quantizer takes. */
#include "dpl/body/s16.h"
#include "dpl/cortex_m/simd.h"
#include "dpl/elementwise.h"

#define KERNEL dpl_mul_s16__armv7em
typedef dpl_mul_s16_args args;

#include "dpl/body/mul_run.h"

static inline uint32_t two_of(uint32_t x, uint32_t y, int32_t multiplier, int32_t addend) {
    const int32_t low = (int16_t)x * (int16_t)y, high = ((int32_t)x >> 16) * ((int32_t)y >> 16);
    return low_halves((uint32_t)saturate16(scale_high(low, multiplier, addend)),
                      (uint32_t)saturate16(scale_high(high, multiplier, addend)));
}

/* All four are read before the first is written: the output may take an input's place. */
static void run_by_x4(const args *a, const element *left, const element *right, element *out,
                      int32_t count) {
    const dpl_requant *q = &a->requant;
    if (q->rule == DPL_Q32 && q->low == LOWEST && q->high == HIGHEST && a->left_zero == 0 &&
        a->right_zero == 0) {
        const int32_t multiplier = *q->multiplier, addend = *q->rounding;
        for (; count >= 4; count -= 4, left += 4, right += 4, out += 4) {
            const uint32_t x = load_word(left), y = load_word(right);
            const uint32_t u = load_word(left + 2), v = load_word(right + 2);
            store_word(out, two_of(x, y, multiplier, addend));
            store_word(out + 2, two_of(u, v, multiplier, addend));
        }
    }
    if (count > 0) {
        run(a, left, right, out, count);
    }
}

#define run run_by_x4
#include "dpl/cortex_m/mul.h"
