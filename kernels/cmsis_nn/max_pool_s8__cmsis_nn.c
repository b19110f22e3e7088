/* MaxPool by CMSIS-NN. */
#include "dpl/pool.h"

#define KERNEL dpl_max_pool_s8__cmsis_nn
#define CALLED arm_max_pool_s8

#include "dpl/cmsis_nn/pool.h"
