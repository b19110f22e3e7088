/* ConvTranspose2d, int16, portable. */
#include "dpl/body/s16.h"
#include "dpl/conv_transpose2d.h"

#define KERNEL dpl_conv_transpose2d_s16__ref
typedef dpl_conv_transpose2d_s16_args args;

#include "dpl/body/conv_transpose2d.h"
