/* AveragePool, int8: partial sums of 16 bits. */
#include "dpl/body/s8.h"
#include "dpl/neon/eight.h"
#include "dpl/pool.h"

#define KERNEL dpl_average_pool_s8__armv8a
typedef dpl_pool_s8_args args;
typedef int16x8_t lanes;

enum { MOST_TAPS = 256 };

static inline lanes no_lanes(void) {
    return vdupq_n_s16(0);
}

static inline lanes with_eight(lanes sums, const int8_t *x) {
    return vaddw_s8(sums, vld1_s8(x));
}

static inline void add_lanes(int32x4_t *sums, lanes more) {
    sums[0] = vaddw_s16(sums[0], vget_low_s16(more));
    sums[1] = vaddw_high_s16(sums[1], more);
}

#include "dpl/neon/average_pool.h"
