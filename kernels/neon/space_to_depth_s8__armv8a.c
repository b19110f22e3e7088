/* SpaceToDepth, int8, in vectors. */
#include "dpl/body/s8.h"
#include "dpl/move.h"
#include "dpl/neon/run.h"

#define KERNEL dpl_space_to_depth_s8__armv8a
typedef dpl_block_s8_args args;

#include "dpl/body/space_to_depth.h"
