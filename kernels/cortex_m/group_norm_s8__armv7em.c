/* GroupNorm, int8: sums of four channels at a time, a high word a channel. */
#include "dpl/cortex_m/norm.h"

#define KERNEL dpl_group_norm_s8__armv7em

#include "dpl/body/group_norm.h"
