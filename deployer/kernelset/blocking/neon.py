"""Blocking of the kernels for NEON."""

# Cores that scratch is for.
SCRATCH_CORES = 4

# Pixels and output channels of a block, values of a step.
NARROW_BLOCK_PIXELS = 4
NARROW_BLOCK_CHANNELS = 4
STEP_VALUES = 16

# Bytes of a step, of any type.
STEP_BYTES = 16

# Output channels of a block of one row.
ROW_BLOCK_CHANNELS = 8

# Pixels, output channels and values of int16.
WIDE_BLOCK_PIXELS = 8
WIDE_BLOCK_CHANNELS = 8
WIDE_STEP_VALUES = 8
# Values of a step of floats, in blocks as of int16.
FLOAT_STEP_VALUES = 4
# Outputs of a dense layer of floats at a time: four sums hide the four cycles of a product, and the
# weights of a value are a line of the cache.
DENSE_FLOATS = 16

# Windows that are copied together: what leaves half of a first cache of 32 KiB to the weights, and
# no more pixels than hide what a strip takes of its own.
WINDOW_STRIP_BYTES = 16384
WINDOW_STRIP_PIXELS = 64

# Winograd's F(2x2, 3x3): products of a tile, tiles of a block; bytes of transformed tiles that are
# made together, as for windows, and the most tiles.
WINOGRAD_POSITIONS = 16
WINOGRAD_TILES = 8
TRANSFORMED_STRIP_BYTES = 16384
TRANSFORMED_STRIP_TILES = 64

# Planes: pixels and output channels of a block; bytes of a strip's planes, most of a first cache of
# 32 KiB, and pixels of a strip whose places in the output are listed.
PLANE_PIXELS = 8
PLANE_CHANNELS = 8
PLANES_BYTES = 20480
PLANE_POSITIONS = 640
# Most outputs of a group of which sixteen pixels are summed at once.
PLANE_FEW_OUTPUTS = 2
# Least taps behind the first ones of rows whose cells are loaded once, so that it saves more than
# it takes to begin.
LEAST_SLID_TAPS = 8

# Most channels of several groups that become planes together.
PLANES_TOGETHER = 16
# Most convolutions of a transposed one that use the same planes.
JOINED_REMAINDERS = 16

# Groups that are computed together in lanes.
GROUP_LANES = 8
# Of fewer: groups whose cells are half of a vector, that of two pixels.
GROUPS_IN_PAIRS = 4

# Outputs of a group of many channels that are computed together, of eight pixels.
DEEP_OUTPUTS = 2

# Magnitudes of weights whose products with any input add up in 16 bits.
MAX_MAGNITUDES = 255

# Depthwise: channels of a block.
DEPTHWISE_CHANNELS = 8
# Depthwise: most channels of which rows are copied for the sake of lists alone, and least taps for
# every time that windows share an input pixel; at strides with padding, where blocks at the sides
# have lists of their own, of as many outputs at least.
COPIED_CHANNELS = 16
SHARED_TAPS = 6
STRIDED_TAPS = 2
STRIDED_OUTPUTS = 64
# Of windows that are columns: most channels, not in eights, whose pieces are of several pixels.
COLUMN_CHANNELS = 32
# Depthwise 3x3: most bytes of a strip's copies, most of a first cache of 32 KiB.
TALL_BYTES = 20480
# Transposed by what inputs add to outputs: vectors of a tile, input rows of it.
SCATTER_VECTORS = 4
SCATTER_ROWS = 4
# Products of activations: pixels of the left that are widened together, beside which a piece of the
# right of some hundred channels has room in a first cache.
MATMUL_STRIP_PIXELS = 64
# Before the pieces of packed weights.
HEADER_BYTES = 16
