/* DepthToSpace, int8, portable. */
#include "dpl/body/s8.h"
#include "dpl/move.h"

#define KERNEL dpl_depth_to_space_s8__ref
typedef dpl_block_s8_args args;

#include "dpl/body/depth_to_space.h"
