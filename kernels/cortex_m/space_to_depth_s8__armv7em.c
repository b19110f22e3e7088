/* SpaceToDepth, int8, words at a time. */
#include "dpl/body/s8.h"
#include "dpl/cortex_m/run.h"
#include "dpl/move.h"

#define KERNEL dpl_space_to_depth_s8__armv7em
typedef dpl_block_s8_args args;

#include "dpl/body/space_to_depth.h"
