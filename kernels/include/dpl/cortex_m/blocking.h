/* Blocking of the kernels for ARMv7E-M. Written by python -m deployer.codegen.kernel_headers. */
#ifndef DPL_CORTEX_M_BLOCKING_H
#define DPL_CORTEX_M_BLOCKING_H

/* Behind the last packed weights inner loops read so many bytes. */
#define DPL_WEIGHT_OVERREAD_BYTES 8

/* Convolutions: windows, each a column of int16, that a word of weights meets. */
#define DPL_COLUMNS 3

/* What the inner loop reads behind the columns, and windows are copied too far. */
#define DPL_COLUMN_OVERREAD_BYTES 12

/* Input channels that fill words of columns, where activations are int8 and where they are int16.
 */
#define DPL_COLUMN_CHANNELS_S8 4
#define DPL_COLUMN_CHANNELS_S16 2

/* Columns made ahead of their products, as triples. Strips need scratch: where the weights stay in
 * the cache they are short, as long as makes up for a call. */
#define DPL_STRIP_BYTES 8192
#define DPL_SHORT_STRIP_BYTES 512
#define DPL_CACHED_WEIGHT_BYTES 8192
#define DPL_MAX_STRIP_TRIPLES 32

/* Windows of so many bytes at most are gathered on the stack, not in scratch. */
#define DPL_STACK_WINDOW_BYTES 32

/* Grouped convolutions whose weights stay in the cache: bytes of columns for all parts, so that a
 * part's call is shared by several triples. */
#define DPL_PART_STRIP_BYTES 8192

/* Depthwise 3x3: channels of a plane of packed rows, bytes of one of its columns, and bytes of the
 * planes of a group of channels. */
#define DPL_TAP_CHANNELS 4
#define DPL_TAP_SLOTS 3
#define DPL_TAP_SLOT_BYTES 16
#define DPL_TAP_GROUP_BYTES 8192

/* Depthwise of any window: channels of a plane of packed rows, outputs computed at once, bytes of
 * the planes and weights of a group of channels, and output rows that are computed at once. */
#define DPL_RING_CHANNELS 4
#define DPL_RING_OUTPUTS 4
#define DPL_RING_GROUP_BYTES 8192
#define DPL_RING_BAND_ROWS 8

/* Terms of a row of taps that lie in one row of instructions; four are filled up to as many. */
#define DPL_RING_TERMS 5

/* Blocks of outputs that pass through a room of their own at once. */
#define DPL_RING_ROOM_BLOCKS 16

/* Bytes of weights, of 16 KB of cache, beyond which a depthwise takes pixel after pixel of some
 * channels, then of others. */
#define DPL_PASS_BYTES 16384

/* Depthwise convolutions of little work: channels at most. */
#define DPL_SMALL_CHANNELS 6

/* Depthwise pixel after pixel: how many windows of each input pixel make copying it worth more than
 * loading its elements by themselves; half of it for int8, except for nine taps. What begins a
 * pixel is worth so many more, shared by its fours of channels. */
#define DPL_FEW_WINDOWS 4
#define DPL_BEGUN_WINDOWS 14

/* Depthwise by pixels of a channel: bytes of the input that a band of output rows reads, and
 * rectangles of a band that have lists of their own. */
#define DPL_PIXEL_BAND_BYTES 12288
#define DPL_PIXEL_PARTS 5

/* Convolutions of few channels on packed rows: bytes of the planes of a band, and of weights that
 * stay packed for all bands. */
#define DPL_PLANE_BAND_BYTES 12288
#define DPL_PLANE_WEIGHT_BYTES 4096

/* Convolutions of int16 read where they lie: words of a tap up to which each is listed, beyond
 * which runs of them are; windows of a row after which the next channels have their turn. */
#define DPL_LISTED_WORDS 10
#define DPL_DIRECT_WINDOWS 64

/* Weights and rows of windows of so many bytes stay in the cache, so that a block of windows may
 * meet all groups before the next one does. */
#define DPL_DIRECT_CACHED_BYTES 12288

/* Bytes of the copied rows of a band, of transposed ones and of others, and bytes behind copies
 * that words of the last tap reach. */
#define DPL_DIRECT_BAND_BYTES 24576
#define DPL_DIRECT_CONV_BYTES 16384
#define DPL_DIRECT_SLACK_BYTES 16

/* Values from a pixel that windows of one column read to the next one, up to which those between
 * are copied too. */
#define DPL_DIRECT_FEW_VALUES 16

/* Windows of one to so many words: pairs of them from which on they are worth a call of their own.
 */
#define DPL_POINT_WORDS 3
#define DPL_POINT_PAIRS 6

/* Grouped convolutions of a channel at a time: entries of the list of taps, words of one. */
#define DPL_SINGLE_ENTRIES 64
#define DPL_SINGLE_WORDS 4

/* Fully connected layers: channels of a block, the fewest that are worth one of their own, values
 * of the input taken at once, bytes read behind the input, and bytes before their use that weights
 * are prefetched. */
#define DPL_GEMV_CHANNELS 8
#define DPL_MIN_GEMV_CHANNELS 5
#define DPL_GEMV_VALUES 8
#define DPL_GEMV_OVERREAD_BYTES 8
#define DPL_GEMV_PREFETCH_BYTES 128

/* Long ones: inputs whose sums of products fit 24 bits whatever they are. */
#define DPL_GEMV_CHUNK_VALUES 504

/* Fully connected layers of int16: channels of a block. */
#define DPL_GEMV_S16_CHANNELS 4

/* Winograd's F(2x2, 3x3): products of a tile, tiles of a record, and the records of a strip. */
#define DPL_TILE_POSITIONS 16
#define DPL_RECORD_TILES 3
#define DPL_WINOGRAD_STRIP_BYTES 20480
#define DPL_MAX_STRIP_RECORDS 16

/* Average pools: taps whose sum of int8 a halfword holds. */
#define DPL_MAX_HALFWORD_TAPS 256

/* Pools: elements of a strip of columns that are folded over the rows of a window, outputs of a row
 * for which it shall have all channels, channels of one that has not, elements that a row of it
 * begins at a multiple of, and bytes of a strip that are folded at once. */
#define DPL_POOL_STRIP 1024
#define DPL_POOL_COLUMNS 4
#define DPL_POOL_CHANNELS 64
#define DPL_POOL_ALIGNMENT 4
#define DPL_POOL_LINE_BYTES 8

/* Maximum pools at strides: channels of int8 which no words hold, of which a row is made output by
 * output of the strip, of int16 twice as many, and outputs of such a row. */
#define DPL_POOL_OUTPUT_CHANNELS 16
#define DPL_POOL_OUTPUT_COLUMNS 3

/* Average pools: strides of a window's height from which on sums are made of those of the row
 * above, also where a block has one row. */
#define DPL_POOL_SLIDE 3

/* Channels from which on all pixels of a plane are summed as rows of one column. */
#define DPL_POOL_WIDE 8

/* Extreme pools over whole planes: bytes of pixels that are folded at once, at least. */
#define DPL_POOL_RUN_BYTES 128

/* Average pools of wide pixels, and layers of little work: taps of a window. */
#define DPL_POOL_LIST_TAPS 32

/* Pools tap by tap: output rows of a band, whose columns at the sides are made together, and bytes
 * of outputs that are made at once. */
#define DPL_POOL_BAND_ROWS 4
#define DPL_POOL_GROUP_BYTES 16

/* The same of windows of few taps, that are made output after output: at most so many, and rows of
 * a band. */
#define DPL_POOL_NEAR_TAPS 4
#define DPL_POOL_NEAR_ROWS 16

/* Whole planes: below so many groups of channels that fill none several pixels are a row of sums.
 */
#define DPL_POOL_JOINED_GROUPS 3

/* Resize: the longest pixels of a column that is resized as a row. */
#define DPL_RESIZE_TURNED_BYTES 32

/* Products of activations: pixels of one side that are packed at once. */
#define DPL_MATMUL_PIXELS 4

#endif
