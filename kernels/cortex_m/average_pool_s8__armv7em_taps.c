/* AveragePool by the taps of each output, int8: no strip of sums. */
#include "dpl/body/s8.h"
#include "dpl/cortex_m/mean_taps_s8.h"
#include "dpl/pool.h"

#define KERNEL dpl_average_pool_s8__armv7em_taps
typedef dpl_pool_s8_args args;

#include "dpl/cortex_m/average_taps.h"
