/* Blocking of the kernels for XpulpV2. Written by python -m deployer.codegen.kernel_headers. */
#ifndef DPL_PULP_BLOCKING_H
#define DPL_PULP_BLOCKING_H

/* Cores that scratch and estimates are for. */
#define DPL_CLUSTER_CORES 8

/* Output channels that take their weights from one piece, pixels and channels of a block, values of
 * a word. */
#define DPL_GROUP_CHANNELS 4

/* Bytes of a channel's multiplier, addend and shift behind its weights. */
#define DPL_TABLE_BYTES 12

/* Windows of so few channels, as of first layers, are copied where the words of all kernel rows are
 * more than so many twentieths of those of a copy: it serves many output channels. */
#define DPL_MAX_COPIED_CHANNELS 3
#define DPL_MAX_RUN_TWENTIETHS 21

/* Bytes of a strip that saves a table; one of channels that fill no words is made whatever it
 * takes. */
#define DPL_MAX_OPTIONAL_STRIP_BYTES 1024

/* Dense layers of int16: the most groups of channels of which each core has sums of its own. */
#define DPL_SLICED_GROUPS 32

/* Depthwise: bytes of a core's copy of four channels, unless four rows of outputs need more, and
 * input columns from window to window of a copy, about. */
#define DPL_PLANE_BYTES 1440
#define DPL_PLANE_SPAN_COLUMNS 32

/* Arguments of a convolution that another kernel, or a group of channels, calls: a core's stack is
 * small. */
#define DPL_CALL_ROOM_BYTES 160

/* What would take much of a stack. */
#define DPL_SPREAD_ROOM_BYTES 144

/* Depthwise by pairs of taps: pixels of a piece, in threes, and bytes of a core's copy of what they
 * read of four channels, unless one pixel reads more. */
#define DPL_PAIRED_PIXELS 48
#define DPL_PAIRED_BYTES 1536

/* What would take much of a stack: an odd number of words. */
#define DPL_PAIRED_ROOM_BYTES 260

/* Depthwise, dilated: a core's arguments of a phase, an odd number of words. */
#define DPL_PHASE_ROOM_BYTES 148

#endif
