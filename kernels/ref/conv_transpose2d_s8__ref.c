/* ConvTranspose2d, int8, portable. */
#include "dpl/body/s8.h"
#include "dpl/conv_transpose2d.h"

#define KERNEL dpl_conv_transpose2d_s8__ref
typedef dpl_conv_transpose2d_s8_args args;

#include "dpl/body/conv_transpose2d.h"
