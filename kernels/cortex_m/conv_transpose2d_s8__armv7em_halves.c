/* ConvTranspose2d, int8, few output channels for each input, any groups, dilation 1, kernels no
 * smaller than their strides: rows are copied as halfwords, whose windows are read where they lie.
 */
#include "dpl/conv_transpose2d.h"
#include "dpl/cortex_m/direct_s8.h"

typedef dpl_conv_transpose2d_s8_args args;
#define KERNEL dpl_conv_transpose2d_s8__armv7em_halves
#include "dpl/cortex_m/direct_transposed.h"
