/* Sums of a convolution over some of its input channels, int16, portable. */
#include "dpl/body/s16.h"
#include "dpl/sums.h"

#define KERNEL dpl_conv2d_sums_s16_s32__ref
typedef dpl_conv2d_sums_s16_s32_args args;

#include "dpl/body/conv2d_sums.h"
