/* Softmax, int8: the largest channel by vectors. */
#include "dpl/neon/simd.h"

#define KERNEL dpl_softmax_s8__armv8a

enum { FEWEST_OF_MANY = 8 };

/* The largest of eight or more: the last eight overlap those before. */
static int32_t largest_of_many(const int8_t *row, int32_t count) {
    int8x8_t best = vld1_s8(row + count - FEWEST_OF_MANY);
    for (int32_t i = 0; i + FEWEST_OF_MANY <= count; i += FEWEST_OF_MANY) {
        best = vmax_s8(best, vld1_s8(row + i));
    }
    best = vpmax_s8(best, best);
    best = vpmax_s8(best, best);
    return vget_lane_s8(vpmax_s8(best, best), 0);
}

static inline int32_t saturated(int32_t x) {
    return x < INT8_MAX ? x : INT8_MAX;
}

#include "dpl/body/softmax.h"
