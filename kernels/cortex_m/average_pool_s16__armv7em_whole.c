/* AveragePool over the whole plane, int16. */
#include "dpl/body/s16.h"
#include "dpl/cortex_m/means_s16.h"
#include "dpl/cortex_m/sum_rows_s16.h"
#include "dpl/pool.h"

#define KERNEL dpl_average_pool_s16__armv7em_whole
typedef dpl_pool_s16_args args;

enum { GROUP = 8 };

#include "dpl/cortex_m/average_whole.h"
