/* AveragePool, int16: sums of 32 bits. */
#include "dpl/body/s16.h"
#include "dpl/neon/eight.h"
#include "dpl/pool.h"

#define KERNEL dpl_average_pool_s16__armv8a
typedef dpl_pool_s16_args args;

typedef struct {
    int32x4_t low, high;
} lanes;

enum { MOST_TAPS = INT32_MAX };

static inline lanes no_lanes(void) {
    const lanes none = {vdupq_n_s32(0), vdupq_n_s32(0)};
    return none;
}

static inline lanes with_eight(lanes sums, const int16_t *at) {
    const int16x8_t x = vld1q_s16(at);
    const lanes more = {vaddw_s16(sums.low, vget_low_s16(x)), vaddw_high_s16(sums.high, x)};
    return more;
}

static inline void add_lanes(int32x4_t *sums, lanes more) {
    sums[0] = vaddq_s32(sums[0], more.low);
    sums[1] = vaddq_s32(sums[1], more.high);
}

#include "dpl/neon/average_pool.h"
