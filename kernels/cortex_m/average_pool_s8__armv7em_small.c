/* AveragePool of little work, or of nine taps at strides, int8. */
#include "dpl/body/s8.h"
#include "dpl/pool.h"

#define KERNEL dpl_average_pool_s8__armv7em_small
typedef dpl_pool_s8_args args;

#define HALVES 0
#define SATURATE saturate8
#define LINE_LOAD "ldrsb"
#define LINE_STORE "strb"
#define LIMIT "8"

#include "dpl/cortex_m/average_small.h"
