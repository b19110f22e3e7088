/* AveragePool of wide pixels, int8. */
#include "dpl/body/s8.h"
#include "dpl/cortex_m/sum_taps_s8.h"
#include "dpl/pool.h"

#define KERNEL dpl_average_pool_s8__armv7em_pixels
typedef dpl_pool_s8_args args;

static int32_t fast_means(const mean *m, const folded *from, int8_t *to, int32_t count) {
    const dpl_rule rule = m->requant->rule;
    if (rule != DPL_I32 && rule != DPL_SHIFT) {
        return 0;
    }
    all_means_of_one(m, from, to, count);
    return count;
}

#include "dpl/cortex_m/average_pixels.h"
