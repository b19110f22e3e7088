/* AveragePool by the taps of each output, int16: no strip of sums. */
#include "dpl/body/s16.h"
#include "dpl/cortex_m/mean_taps_s16.h"
#include "dpl/pool.h"

#define KERNEL dpl_average_pool_s16__armv7em_taps
typedef dpl_pool_s16_args args;

#include "dpl/cortex_m/average_taps.h"
