/* AveragePool of little work, int16. */
#include "dpl/body/s16.h"
#include "dpl/pool.h"

#define KERNEL dpl_average_pool_s16__armv7em_small
typedef dpl_pool_s16_args args;

#include "dpl/cortex_m/average_small.h"
