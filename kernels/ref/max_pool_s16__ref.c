/* MaxPool, int16, portable. */
#include "dpl/body/s16.h"
#include "dpl/pool.h"

#define KERNEL dpl_max_pool_s16__ref
typedef dpl_pool_s16_args args;

#include "dpl/body/max_pool.h"
