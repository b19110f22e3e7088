/* DepthToSpace, int16, in vectors. */
#include "dpl/body/s16.h"
#include "dpl/move.h"
#include "dpl/neon/run.h"

#define KERNEL dpl_depth_to_space_s16__armv8a
typedef dpl_block_s16_args args;

#include "dpl/body/depth_to_space.h"
