/* SpaceToDepth, int8, portable. */
#include "dpl/body/s8.h"
#include "dpl/move.h"

#define KERNEL dpl_space_to_depth_s8__ref
typedef dpl_block_s8_args args;

#include "dpl/body/space_to_depth.h"
