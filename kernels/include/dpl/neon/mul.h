/* Mul of either type, by any rule. */
#include "dpl/elementwise.h"
#include "dpl/neon/eight.h"
#include "dpl/neon/rules.h"

typedef element source;

typedef struct {
    int16x8_t left_zero, right_zero;
    factors by;
    limits within;
} constants;

INLINED int16x8_t eight(int way, const constants *k, int16x8_t x, int16x8_t y) {
    x = vsubq_s16(x, k->left_zero);
    y = vsubq_s16(y, k->right_zero);
    const int32x4_t low = vmull_s16(vget_low_s16(x), vget_low_s16(y));
    const int32x4_t high = vmull_high_s16(x, y);
    return narrowed(scaled(way, &k->by, low), scaled(way, &k->by, high), &k->within);
}

#include "dpl/neon/elements.h"

static void run_of(const args *a, const element *left, const element *right, element *out,
                   int32_t count) {
    const constants k = {
        vdupq_n_s16((int16_t)a->left_zero),
        vdupq_n_s16((int16_t)a->right_zero),
        factors_of(&a->requant, 0),
        limits_of(a->requant.low, a->requant.high),
    };
    run_elements(a->requant.rule, &k, left, right, out, count);
}

#include "dpl/neon/broadcast.h"
