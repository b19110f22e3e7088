/* Conv2d, int16, few channels, any groups and window. */
#include "dpl/conv2d.h"
#include "dpl/cortex_m/planes_s16.h"

#define KERNEL dpl_conv2d_s16__armv7em_planes
typedef dpl_conv2d_s16_args args;
#include "dpl/cortex_m/conv2d_planes.h"
