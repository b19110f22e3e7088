/* Conv2d, int8, few channels, any groups and window. */
#include "dpl/conv2d.h"
#include "dpl/cortex_m/planes_s8.h"

#define KERNEL dpl_conv2d_s8__armv7em_planes
typedef dpl_conv2d_s8_args args;
#include "dpl/cortex_m/conv2d_planes.h"
