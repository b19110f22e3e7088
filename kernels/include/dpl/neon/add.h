/* Add of either type. Multipliers of 16 bits take half the instructions. */
#include "dpl/elementwise.h"
#include "dpl/neon/eight.h"
#include "dpl/neon/rules.h"

typedef element source;

typedef struct {
    int32x4_t left, right, rounding, shift;
    int16x8_t narrow_left, narrow_right;
    limits within;
} constants;

enum { NARROW, WIDE };

INLINED int16x8_t eight(int way, const constants *k, int16x8_t x, int16x8_t y) {
    int32x4_t low, high;
    if (way == NARROW) {
        low = vmlal_s16(k->rounding, vget_low_s16(x), vget_low_s16(k->narrow_left));
        high = vmlal_high_s16(k->rounding, x, k->narrow_left);
        low = vmlal_s16(low, vget_low_s16(y), vget_low_s16(k->narrow_right));
        high = vmlal_high_s16(high, y, k->narrow_right);
    } else {
        low = vmlaq_s32(k->rounding, vmovl_s16(vget_low_s16(x)), k->left);
        high = vmlaq_s32(k->rounding, vmovl_high_s16(x), k->left);
        low = vmlaq_s32(low, vmovl_s16(vget_low_s16(y)), k->right);
        high = vmlaq_s32(high, vmovl_high_s16(y), k->right);
    }
    return narrowed(vshlq_s32(low, k->shift), vshlq_s32(high, k->shift), &k->within);
}

#include "dpl/neon/elements.h"

static void run_of(const args *a, const element *left, const element *right, element *out,
                   int32_t count) {
    const int32_t x = a->multiplier[0], y = a->multiplier[1];
    const constants k = {
        vdupq_n_s32(x),
        vdupq_n_s32(y),
        vdupq_n_s32(a->rounding),
        vdupq_n_s32(-a->shift),
        vdupq_n_s16((int16_t)x),
        vdupq_n_s16((int16_t)y),
        limits_of(a->low, a->high),
    };
    if (x == (int16_t)x && y == (int16_t)y) {
        run_by(NARROW, &k, left, right, out, count);
    } else {
        run_by(WIDE, &k, left, right, out, count);
    }
}

#include "dpl/neon/broadcast.h"
