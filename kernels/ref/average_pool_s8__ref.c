/* AveragePool, int8, portable. */
#include "dpl/body/s8.h"
#include "dpl/pool.h"

#define KERNEL dpl_average_pool_s8__ref
typedef dpl_pool_s8_args args;

#include "dpl/body/average_pool.h"
