/* Conv2d, float, any groups and window. */
#include "dpl/conv2d.h"
#include "dpl/neon/convolve_f32.h"

#define KERNEL dpl_conv2d_f32__armv8a
typedef dpl_conv2d_f32_args args;

#include "dpl/neon/conv2d.h"
