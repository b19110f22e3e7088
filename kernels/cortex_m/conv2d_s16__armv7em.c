/* Conv2d, int16, one group, any window. */
#include "dpl/conv2d.h"
#include "dpl/cortex_m/columns_s16.h"
#include "dpl/cortex_m/high_s16.h"

#define KERNEL dpl_conv2d_s16__armv7em
typedef dpl_conv2d_s16_args args;

#include "dpl/cortex_m/conv2d.h"
