/* Conv2d, int16, any groups and window. */
#include "dpl/conv2d.h"
#include "dpl/neon/convolve_s16.h"

#define KERNEL dpl_conv2d_s16__armv8a
typedef dpl_conv2d_s16_args args;

#include "dpl/neon/conv2d.h"
