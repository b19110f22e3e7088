"""Blocking of the portable kernels."""

# Output channels that a loop over values or taps computes at once.
BLOCK_CHANNELS = 4
