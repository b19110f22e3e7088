/* AveragePool by CMSIS-NN, which keeps its input's quantization. */
#include "dpl/pool.h"

#define KERNEL dpl_average_pool_s8__cmsis_nn
#define CALLED arm_avgpool_s8

#include "dpl/cmsis_nn/pool.h"
