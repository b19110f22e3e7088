/* SpaceToDepth, int16, words at a time. */
#include "dpl/body/s16.h"
#include "dpl/cortex_m/run.h"
#include "dpl/move.h"

#define KERNEL dpl_space_to_depth_s16__armv7em
typedef dpl_block_s16_args args;

#include "dpl/body/space_to_depth.h"
