/* Conv2d, int8, any groups and window. */
#include "dpl/conv2d.h"
#include "dpl/neon/convolve_s8.h"

#define KERNEL dpl_conv2d_s8__armv8a
typedef dpl_conv2d_s8_args args;

#include "dpl/neon/conv2d.h"
