"""Blocking of what runs kernels."""

# The arguments of a tile in L1, of which there are two: of the tile that is computed and of the one
# that is fetched.
TILE_ARGUMENT_BYTES = 288
