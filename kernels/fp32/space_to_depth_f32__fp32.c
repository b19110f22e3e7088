/* SpaceToDepth, float, portable. */
#include "dpl/body/f32.h"
#include "dpl/move.h"

#define KERNEL dpl_space_to_depth_f32__fp32
typedef dpl_block_f32_args args;

#include "dpl/body/space_to_depth.h"
