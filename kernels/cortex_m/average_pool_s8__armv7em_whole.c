/* AveragePool over the whole plane, int8. */
#include "dpl/body/s8.h"
#include "dpl/cortex_m/four_means.h"
#include "dpl/cortex_m/sum_rows_s8.h"
#include "dpl/pool.h"

#define KERNEL dpl_average_pool_s8__armv7em_whole
typedef dpl_pool_s8_args args;

enum { GROUP = 16 };

static four_means *fours_of(const mean *m) {
    const dpl_rule rule = m->requant->rule;
    return rule == DPL_I32 || rule == DPL_SHIFT ? means_of_one : 0;
}

#include "dpl/cortex_m/average_whole.h"
