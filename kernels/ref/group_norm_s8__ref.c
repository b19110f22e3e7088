/* GroupNorm, int8, portable. */
#include "dpl/ref/norm.h"

#define KERNEL dpl_group_norm_s8__ref

#include "dpl/body/group_norm.h"
