/* AveragePool of little work, or of nine taps at strides, int16. */
#include "dpl/body/s16.h"
#include "dpl/pool.h"

#define KERNEL dpl_average_pool_s16__armv7em_small
typedef dpl_pool_s16_args args;

#define HALVES 1
#define SATURATE saturate16
#define LINE_LOAD "ldrsh"
#define LINE_STORE "strh"
#define LIMIT "16"

#include "dpl/cortex_m/average_small.h"
