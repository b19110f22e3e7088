/* Conv2d, int8, few values and several outputs a group: outputs in lanes. */
#include "dpl/conv2d.h"
#include "dpl/neon/of_outputs_s8.h"

#define KERNEL dpl_conv2d_s8__armv8a_outputs
typedef dpl_conv2d_s8_args args;

#include "dpl/neon/conv2d.h"
