/* Sums of a convolution over some of its input channels, int8, portable. */
#include "dpl/body/s8.h"
#include "dpl/sums.h"

#define KERNEL dpl_conv2d_sums_s8_s32__ref
typedef dpl_conv2d_sums_s8_s32_args args;

#include "dpl/body/conv2d_sums.h"
