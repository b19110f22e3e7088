"""How large what a model asks for may be, checked before anything of the size is made.

A file of a few bytes can ask for any amount of memory: by an input's shape, by a factor of a
Resize, by constants that are computed from each other.
"""

from __future__ import annotations

# Of one activation or folded constant. 16 million are twice the largest of a U-Net over 512 x 512
# pixels, more than the memory of any board but a Raspberry Pi, and 128 MiB as int64, of which the
# reference holds several at a time.
MAX_ELEMENTS = 1 << 24

# Bytes of all folded constants together.
MAX_FOLDED_BYTES = 1 << 29

# Bytes of one file: what protobuf reads, and so what one ONNX file can hold.
MAX_FILE_BYTES = (1 << 31) - 1

# Products in a folded constant: a second of work. Constants are products of weights at most.
MAX_PRODUCTS = 1 << 30

# Elements of all operands, multiplied, of a constant node that is computed element by element.
MAX_LOOPED = 1 << 20

# Of the window of a layer, but for a pool over the whole image. The reference goes over them one
# after the other.
MAX_TAPS = 1 << 16

# Of the Transpose kernel.
MAX_AXES = 4
