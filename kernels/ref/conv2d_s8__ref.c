/* Conv2d, int8, portable. */
#include "dpl/body/s8.h"
#include "dpl/conv2d.h"

#define KERNEL dpl_conv2d_s8__ref
typedef dpl_conv2d_s8_args args;

#include "dpl/body/conv2d.h"
