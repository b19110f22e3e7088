/* AveragePool of wide pixels, int16. */
#include "dpl/body/s16.h"
#include "dpl/cortex_m/means_s16.h"
#include "dpl/cortex_m/sum_taps_s16.h"
#include "dpl/pool.h"

#define KERNEL dpl_average_pool_s16__armv7em_pixels
typedef dpl_pool_s16_args args;

#include "dpl/cortex_m/average_pixels.h"
