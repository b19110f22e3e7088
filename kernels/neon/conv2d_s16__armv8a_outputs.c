/* Conv2d, int16, few values and several outputs a group: outputs in lanes. */
#include "dpl/conv2d.h"
#include "dpl/neon/of_outputs_s16.h"

#define KERNEL dpl_conv2d_s16__armv8a_outputs
typedef dpl_conv2d_s16_args args;

#include "dpl/neon/conv2d.h"
