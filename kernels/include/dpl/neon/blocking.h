/* Blocking of the kernels for NEON. Written by python -m deployer.codegen.kernel_headers. */
#ifndef DPL_NEON_BLOCKING_H
#define DPL_NEON_BLOCKING_H

/* Cores that scratch is for. */
#define DPL_SCRATCH_CORES 4

/* Pixels and output channels of a block, values of a step. */
#define DPL_NARROW_BLOCK_PIXELS 4
#define DPL_NARROW_BLOCK_CHANNELS 4
#define DPL_STEP_VALUES 16

/* Bytes of a step, of any type. */
#define DPL_STEP_BYTES 16

/* Output channels of a block of one row. */
#define DPL_ROW_BLOCK_CHANNELS 8

/* Pixels, output channels and values of int16. */
#define DPL_WIDE_BLOCK_PIXELS 8
#define DPL_WIDE_BLOCK_CHANNELS 8
#define DPL_WIDE_STEP_VALUES 8

/* Values of a step of floats, in blocks as of int16. */
#define DPL_FLOAT_STEP_VALUES 4

/* Outputs of a dense layer of floats at a time: four sums hide the four cycles of a product, and
 * the weights of a value are a line of the cache. */
#define DPL_DENSE_FLOATS 16

/* Windows that are copied together: what leaves half of a first cache of 32 KiB to the weights, and
 * no more pixels than hide what a strip takes of its own. */
#define DPL_WINDOW_STRIP_BYTES 16384
#define DPL_WINDOW_STRIP_PIXELS 64

/* Winograd's F(2x2, 3x3): products of a tile, tiles of a block; bytes of transformed tiles that are
 * made together, as for windows, and the most tiles. */
#define DPL_WINOGRAD_POSITIONS 16
#define DPL_WINOGRAD_TILES 8
#define DPL_TRANSFORMED_STRIP_BYTES 16384
#define DPL_TRANSFORMED_STRIP_TILES 64

/* Planes: pixels and output channels of a block; bytes of a strip's planes, most of a first cache
 * of 32 KiB, and pixels of a strip whose places in the output are listed. */
#define DPL_PLANE_PIXELS 8
#define DPL_PLANE_CHANNELS 8
#define DPL_PLANES_BYTES 20480
#define DPL_PLANE_POSITIONS 640

/* Most outputs of a group of which sixteen pixels are summed at once. */
#define DPL_PLANE_FEW_OUTPUTS 2

/* Least taps behind the first ones of rows whose cells are loaded once, so that it saves more than
 * it takes to begin. */
#define DPL_LEAST_SLID_TAPS 8

/* Most channels of several groups that become planes together. */
#define DPL_PLANES_TOGETHER 16

/* Most convolutions of a transposed one that use the same planes. */
#define DPL_JOINED_REMAINDERS 16

/* Groups that are computed together in lanes. */
#define DPL_GROUP_LANES 8

/* Of fewer: groups whose cells are half of a vector, that of two pixels. */
#define DPL_GROUPS_IN_PAIRS 4

/* Outputs of a group of many channels that are computed together, of eight pixels. */
#define DPL_DEEP_OUTPUTS 2

/* Magnitudes of weights whose products with any input add up in 16 bits. */
#define DPL_MAX_MAGNITUDES 255

/* Depthwise: channels of a block. */
#define DPL_DEPTHWISE_CHANNELS 8

/* Depthwise: most channels of which rows are copied for the sake of lists alone, and least taps for
 * every time that windows share an input pixel; at strides with padding, where blocks at the sides
 * have lists of their own, of as many outputs at least. */
#define DPL_COPIED_CHANNELS 16
#define DPL_SHARED_TAPS 6
#define DPL_STRIDED_TAPS 2
#define DPL_STRIDED_OUTPUTS 64

/* Of windows that are columns: most channels, not in eights, whose pieces are of several pixels. */
#define DPL_COLUMN_CHANNELS 32

/* Depthwise 3x3: most bytes of a strip's copies, most of a first cache of 32 KiB. */
#define DPL_TALL_BYTES 20480

/* Transposed by what inputs add to outputs: vectors of a tile, input rows of it. */
#define DPL_SCATTER_VECTORS 4
#define DPL_SCATTER_ROWS 4

/* Products of activations: pixels of the left that are widened together, beside which a piece of
 * the right of some hundred channels has room in a first cache. */
#define DPL_MATMUL_STRIP_PIXELS 64

/* Before the pieces of packed weights. */
#define DPL_HEADER_BYTES 16

#endif
