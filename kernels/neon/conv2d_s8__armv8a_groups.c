/* Conv2d, int8, four groups or more: in lanes of groups. */
#include "dpl/conv2d.h"
#include "dpl/neon/groups_s8.h"

#define KERNEL dpl_conv2d_s8__armv8a_groups
typedef dpl_conv2d_s8_args args;

#include "dpl/neon/conv2d.h"
