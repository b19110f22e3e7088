/* AveragePool, int16, portable. */
#include "dpl/body/s16.h"
#include "dpl/pool.h"

#define KERNEL dpl_average_pool_s16__ref
typedef dpl_pool_s16_args args;

#include "dpl/body/average_pool.h"
