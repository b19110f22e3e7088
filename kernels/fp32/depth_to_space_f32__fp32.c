/* DepthToSpace, float, portable. */
#include "dpl/body/f32.h"
#include "dpl/move.h"

#define KERNEL dpl_depth_to_space_f32__fp32
typedef dpl_block_f32_args args;

#include "dpl/body/depth_to_space.h"
