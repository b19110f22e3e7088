/* Conv2d, int16, few channels a group: in planes. */
#include "dpl/conv2d.h"
#include "dpl/neon/planes_s16.h"

#include "dpl/neon/planes_phases.h"

#define KERNEL dpl_conv2d_s16__armv8a_planes
typedef dpl_conv2d_s16_args args;

#include "dpl/neon/conv2d.h"
