/* Conv2d, int16, four groups or more: in lanes of groups. */
#include "dpl/conv2d.h"
#include "dpl/neon/groups_s16.h"

#define KERNEL dpl_conv2d_s16__armv8a_groups
typedef dpl_conv2d_s16_args args;

#include "dpl/neon/conv2d.h"
