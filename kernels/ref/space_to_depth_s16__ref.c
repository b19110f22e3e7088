/* SpaceToDepth, int16, portable. */
#include "dpl/body/s16.h"
#include "dpl/move.h"

#define KERNEL dpl_space_to_depth_s16__ref
typedef dpl_block_s16_args args;

#include "dpl/body/space_to_depth.h"
