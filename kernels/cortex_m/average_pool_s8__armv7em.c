/* AveragePool, int8: sxtab16 adds halfwords of two channels. */
#include "dpl/body/s8.h"
#include "dpl/cortex_m/blocking.h"
#include "dpl/cortex_m/means_s8.h"
#include "dpl/cortex_m/sum_rows_s8.h"
#include "dpl/pool.h"

#define KERNEL dpl_average_pool_s8__armv7em
typedef dpl_pool_s8_args args;

#include "dpl/cortex_m/average_pool.h"
