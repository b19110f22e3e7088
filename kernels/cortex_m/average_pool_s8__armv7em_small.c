/* AveragePool of little work, int8. */
#include "dpl/body/s8.h"
#include "dpl/pool.h"

#define KERNEL dpl_average_pool_s8__armv7em_small
typedef dpl_pool_s8_args args;

#include "dpl/cortex_m/average_small.h"
