/* DepthToSpace, int8, words at a time. */
#include "dpl/body/s8.h"
#include "dpl/cortex_m/run.h"
#include "dpl/move.h"

#define KERNEL dpl_depth_to_space_s8__armv7em
typedef dpl_block_s8_args args;

#include "dpl/body/depth_to_space.h"
