/* AveragePool of wide pixels, int8. */
#include "dpl/body/s8.h"
#include "dpl/cortex_m/sum_taps_s8.h"
#include "dpl/pool.h"

#define KERNEL dpl_average_pool_s8__armv7em_pixels
typedef dpl_pool_s8_args args;

static four_means *fours_of(const mean *m) {
    const dpl_rule rule = m->requant->rule;
    return rule == DPL_I32 || rule == DPL_SHIFT ? means_of_one : 0;
}

#include "dpl/cortex_m/average_pixels.h"
