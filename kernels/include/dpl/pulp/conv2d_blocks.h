/* Convolutions by blocks of four pixels and four channels, for all kernels that are made of them
 * (conv2d_blocks.c). */
#ifndef DPL_PULP_CONV2D_BLOCKS_H
#define DPL_PULP_CONV2D_BLOCKS_H

#include "dpl/conv2d.h"
#include "dpl/pulp/four_by_four.h"

/* blocks: BLOCK_TRANSPOSED or 0. */
void dpl_conv2d_s8_blocks(const dpl_conv2d_s8_args *a, int32_t blocks);

#endif
