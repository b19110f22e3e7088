/* Maximum, int8, by any rule. */
#include "dpl/body/s8.h"
#include "dpl/elementwise.h"
#include "dpl/neon/eight.h"
#include "dpl/neon/rules.h"

#define KERNEL dpl_maximum_s8__armv8a
typedef dpl_mul_s8_args args;
typedef element source;

typedef struct {
    factors left, right;
    limits within;
} constants;

INLINED int16x8_t eight(int way, const constants *k, int16x8_t x, int16x8_t y) {
    const int32x4_t left_low = scaled(way, &k->left, vmovl_s16(vget_low_s16(x)));
    const int32x4_t left_high = scaled(way, &k->left, vmovl_high_s16(x));
    const int32x4_t right_low = scaled(way, &k->right, vmovl_s16(vget_low_s16(y)));
    const int32x4_t right_high = scaled(way, &k->right, vmovl_high_s16(y));
    return vmaxq_s16(narrowed(left_low, left_high, &k->within),
                     narrowed(right_low, right_high, &k->within));
}

#include "dpl/neon/elements.h"

static void run_of(const args *a, const element *left, const element *right, element *out,
                   int32_t count) {
    const dpl_requant *q = &a->requant;
    const dpl_requant second = {q->multiplier + q->channel_step,
                                q->rounding + q->channel_step,
                                q->shift + q->channel_step,
                                0,
                                q->rule,
                                q->low,
                                q->high};
    const constants k = {factors_of(q, 0), factors_of(&second, 0), limits_of(q->low, q->high)};
    run_elements(q->rule, &k, left, right, out, count);
}

#include "dpl/neon/broadcast.h"
