"""Blocking of the kernels for XpulpV2."""

# Cores that scratch and estimates are for.
CLUSTER_CORES = 8

# Output channels that take their weights from one piece, pixels and channels of a block, values of
# a word.
GROUP_CHANNELS = 4
# Bytes of a channel's multiplier, addend and shift behind its weights.
TABLE_BYTES = 12

# Windows of so few channels, as of first layers, are copied where the words of all kernel rows are
# more than so many twentieths of those of a copy: it serves many output channels.
MAX_COPIED_CHANNELS = 3
MAX_RUN_TWENTIETHS = 21

# Bytes of a strip that saves a table; one of channels that fill no words is made whatever it takes.
MAX_OPTIONAL_STRIP_BYTES = 1024

# Dense layers of int16: the most groups of channels of which each core has sums of its own.
SLICED_GROUPS = 32

# Depthwise: bytes of a core's copy of four channels, unless four rows of outputs need more, and
# input columns from window to window of a copy, about.
PLANE_BYTES = 1440
PLANE_SPAN_COLUMNS = 32
# Arguments of a convolution that another kernel, or a group of channels, calls: a core's stack is
# small.
CALL_ROOM_BYTES = 160
# What would take much of a stack.
SPREAD_ROOM_BYTES = 144

# Depthwise by pairs of taps: pixels of a piece, in threes, and bytes of a core's copy of what they
# read of four channels, unless one pixel reads more.
PAIRED_PIXELS = 48
PAIRED_BYTES = 1536
# What would take much of a stack: an odd number of words.
PAIRED_ROOM_BYTES = 260

# Depthwise, dilated: a core's arguments of a phase, an odd number of words.
PHASE_ROOM_BYTES = 148
