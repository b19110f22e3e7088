"""Blocking of the kernels for ARMv7E-M."""

# Behind the last packed weights inner loops read so many bytes.
WEIGHT_OVERREAD_BYTES = 8

# Convolutions: windows, each a column of int16, that a word of weights meets.
COLUMNS = 3
# What the inner loop reads behind the columns, and windows are copied too far.
COLUMN_OVERREAD_BYTES = 12
# Input channels that fill words of columns, where activations are int8 and where they are int16.
COLUMN_CHANNELS_S8 = 4
COLUMN_CHANNELS_S16 = 2
# Columns made ahead of their products, as triples. Strips need scratch: where the weights stay in
# the cache they are short, as long as makes up for a call.
STRIP_BYTES = 8192
SHORT_STRIP_BYTES = 512
CACHED_WEIGHT_BYTES = 8192
MAX_STRIP_TRIPLES = 32
# Windows of so many bytes at most are gathered on the stack, not in scratch.
STACK_WINDOW_BYTES = 32
# Grouped convolutions whose weights stay in the cache: bytes of columns for all parts, so that a
# part's call is shared by several triples.
PART_STRIP_BYTES = 8192

# Depthwise 3x3: channels of a plane of packed rows, bytes of one of its columns, and bytes of the
# planes of a group of channels.
TAP_CHANNELS = 4
TAP_SLOTS = 3
TAP_SLOT_BYTES = 16
TAP_GROUP_BYTES = 8192

# Depthwise of any window: channels of a plane of packed rows, outputs computed at once, bytes of
# the planes and weights of a group of channels, and output rows that are computed at once.
RING_CHANNELS = 4
RING_OUTPUTS = 4
RING_GROUP_BYTES = 8192
RING_BAND_ROWS = 8
# Terms of a row of taps that lie in one row of instructions; four are filled up to as many.
RING_TERMS = 5
# Blocks of outputs that pass through a room of their own at once.
RING_ROOM_BLOCKS = 16
# Bytes of weights, of 16 KB of cache, beyond which a depthwise takes pixel after pixel of some
# channels, then of others.
PASS_BYTES = 16384
# Depthwise convolutions of little work: channels at most.
SMALL_CHANNELS = 6

# Depthwise pixel after pixel: how many windows of each input pixel make copying it worth more than
# loading its elements by themselves; half of it for int8, except for nine taps. What begins a pixel
# is worth so many more, shared by its fours of channels.
FEW_WINDOWS = 4
BEGUN_WINDOWS = 14

# Depthwise by pixels of a channel: bytes of the input that a band of output rows reads, and
# rectangles of a band that have lists of their own.
PIXEL_BAND_BYTES = 12288
PIXEL_PARTS = 5

# Convolutions of few channels on packed rows: bytes of the planes of a band, and of weights that
# stay packed for all bands.
PLANE_BAND_BYTES = 12288
PLANE_WEIGHT_BYTES = 4096

# Convolutions of int16 read where they lie: words of a tap up to which each is listed, beyond which
# runs of them are; windows of a row after which the next channels have their turn.
LISTED_WORDS = 10
DIRECT_WINDOWS = 64
# Weights and rows of windows of so many bytes stay in the cache, so that a block of windows may
# meet all groups before the next one does.
DIRECT_CACHED_BYTES = 12288
# Bytes of the copied rows of a band, of transposed ones and of others, and bytes behind copies that
# words of the last tap reach.
DIRECT_BAND_BYTES = 24576
DIRECT_CONV_BYTES = 16384
DIRECT_SLACK_BYTES = 16
# Values from a pixel that windows of one column read to the next one, up to which those between are
# copied too.
DIRECT_FEW_VALUES = 16
# Windows of one to so many words: pairs of them from which on they are worth a call of their own.
POINT_WORDS = 3
POINT_PAIRS = 6

# Grouped convolutions of a channel at a time: entries of the list of taps, words of one.
SINGLE_ENTRIES = 64
SINGLE_WORDS = 4

# Fully connected layers: channels of a block, the fewest that are worth one of their own, values of
# the input taken at once, bytes read behind the input, and bytes before their use that weights are
# prefetched.
GEMV_CHANNELS = 8
MIN_GEMV_CHANNELS = 5
GEMV_VALUES = 8
GEMV_OVERREAD_BYTES = 8
GEMV_PREFETCH_BYTES = 128
# Long ones: inputs whose sums of products fit 24 bits whatever they are.
GEMV_CHUNK_VALUES = 504

# Fully connected layers of int16: channels of a block.
GEMV_S16_CHANNELS = 4

# Winograd's F(2x2, 3x3): products of a tile, tiles of a record, and the records of a strip.
TILE_POSITIONS = 16
RECORD_TILES = 3
WINOGRAD_STRIP_BYTES = 20480
MAX_STRIP_RECORDS = 16

# Average pools: taps whose sum of int8 a halfword holds.
MAX_HALFWORD_TAPS = 256

# Pools: elements of a strip of columns that are folded over the rows of a window, outputs of a row
# for which it shall have all channels, channels of one that has not, elements that a row of it
# begins at a multiple of, and bytes of a strip that are folded at once.
POOL_STRIP = 1024
POOL_COLUMNS = 4
POOL_CHANNELS = 64
POOL_ALIGNMENT = 4
POOL_LINE_BYTES = 8
# Maximum pools at strides: channels of int8 which no words hold, of which a row is made output by
# output of the strip, of int16 twice as many, and outputs of such a row.
POOL_OUTPUT_CHANNELS = 16
POOL_OUTPUT_COLUMNS = 3

# Average pools: strides of a window's height from which on sums are made of those of the row above,
# also where a block has one row.
POOL_SLIDE = 3
# Channels from which on all pixels of a plane are summed as rows of one column.
POOL_WIDE = 8

# Extreme pools over whole planes: bytes of pixels that are folded at once, at least.
POOL_RUN_BYTES = 128

# Average pools of wide pixels, and layers of little work: taps of a window.
POOL_LIST_TAPS = 32

# Pools tap by tap: output rows of a band, whose columns at the sides are made together, and bytes
# of outputs that are made at once.
POOL_BAND_ROWS = 4
POOL_GROUP_BYTES = 16

# The same of windows of few taps, that are made output after output: at most so many, and rows of a
# band.
POOL_NEAR_TAPS = 4
POOL_NEAR_ROWS = 16

# Whole planes: below so many groups of channels that fill none several pixels are a row of sums.
POOL_JOINED_GROUPS = 3

# Resize: the longest pixels of a column that is resized as a row.
RESIZE_TURNED_BYTES = 32

# Products of activations: pixels of one side that are packed at once.
MATMUL_PIXELS = 4
