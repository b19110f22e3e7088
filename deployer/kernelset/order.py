"""In which order a kernel writes its output: what decides how far it may lie over an input."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class AccessOrder:
    """Blocks of ``rows`` by ``columns`` output pixels, 0 for all there are, with all channels.

    Blocks are written from left to right, then downwards. Up to a block's last write the kernel
    may read anything that the block or a later one needs, and nothing before. With ``buffered``
    it has read what the block needs, into scratch or registers, before the block's first write.

    ``elementwise``: output element i needs element i of an activation (or, where that is a single
    pixel, its channel), which is read before it is written, in ascending order. Such a kernel may
    run in place even when cores share it.

    ``run``: instead, blocks of so many pixels one after the other, or of so many tiles of ``rows``
    by ``columns`` pixels.
    ``once``: the kernel keeps what windows share. It reads an input row, all of it, for the first
    output pixel whose row needs it, and not again.
    ``parts``: instead, one activation after the other (Concat), each in runs: a pixel's channels
    or, where neither side has gaps, a row.
    """

    rows: int = 1
    columns: int = 0
    buffered: bool = False
    elementwise: bool = False
    parts: bool = False
    run: int = 0
    once: bool = False


BY_ELEMENTS = AccessOrder(elementwise=True)
BY_PARTS = AccessOrder(parts=True)
BY_PIXELS = AccessOrder(columns=1)
BY_ROWS = AccessOrder()
AT_ONCE = AccessOrder(rows=0)
