/* DepthToSpace, int16, portable. */
#include "dpl/body/s16.h"
#include "dpl/move.h"

#define KERNEL dpl_depth_to_space_s16__ref
typedef dpl_block_s16_args args;

#include "dpl/body/depth_to_space.h"
