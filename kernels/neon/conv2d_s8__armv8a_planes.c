/* Conv2d, int8, few channels a group: in planes. */
#include "dpl/conv2d.h"
#include "dpl/neon/planes_s8.h"

#include "dpl/neon/planes_phases.h"

#define KERNEL dpl_conv2d_s8__armv8a_planes
typedef dpl_conv2d_s8_args args;

#include "dpl/neon/conv2d.h"
