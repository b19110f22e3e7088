/* Conv2d, int8, many channels and few outputs a group: products in lanes. */
#include "dpl/conv2d.h"
#include "dpl/neon/deep_s8.h"

#define KERNEL dpl_conv2d_s8__armv8a_deep
typedef dpl_conv2d_s8_args args;

#include "dpl/neon/conv2d.h"
