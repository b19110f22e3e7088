/* Conv2d, int8, one group, any window. */
#include "dpl/conv2d.h"
#include "dpl/cortex_m/columns.h"
#include "dpl/cortex_m/high_s8.h"

#define KERNEL dpl_conv2d_s8__armv7em
typedef dpl_conv2d_s8_args args;

#include "dpl/cortex_m/conv2d.h"
