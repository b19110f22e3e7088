/* AveragePool, int16: sums in words. */
#include "dpl/body/s16.h"
#include "dpl/cortex_m/mean_of.h"
#include "dpl/cortex_m/simd.h"
#include "dpl/cortex_m/sum_rows_s16.h"
#include "dpl/pool.h"

#define KERNEL dpl_average_pool_s16__armv7em
typedef dpl_pool_s16_args args;

#define SATURATE saturate16

static int32_t fast_means(const mean *m, const folded *from, int16_t *to, int32_t count) {
    (void)m, (void)from, (void)to, (void)count;
    return 0;
}

#include "dpl/cortex_m/average_pool.h"
