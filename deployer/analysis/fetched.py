"""How many lines of a constant array the data cache misses in one inference: an estimate.

A kernel passes over its weights once for each block of outputs its ``order`` promises. What is
larger than the cache comes from memory again in every pass; what is smaller once, since other
layers have pushed it out since the last inference.
"""

from __future__ import annotations

import math

from deployer.board import Cache
from deployer.ir import Node, RequantRule
from deployer.kernelset import AccessOrder, Kernel, KernelCase, hwc

_ENTRY_BYTES = 4


def bytes_read(kernel: Kernel, node: Node, name: str, size: int) -> int:
    """Of the ``size`` bytes of constant ``name`` those a pass reads: tables that the rule or the
    layout of the weights makes needless are not looked at."""
    requant, layout = node.requant, kernel.weight_layout
    if layout.has_multipliers and name in node.inputs[2:3]:
        return 0
    if requant is None or requant.rule != RequantRule.Q32:
        return size
    if name == requant.shift or (layout.has_multipliers and name == requant.multiplier):
        return 0
    return min(size, _ENTRY_BYTES) if name == requant.rounding else size


def passes(kernel: Kernel, case: KernelCase) -> int:
    """How often ``kernel`` goes over the constants of ``case``; 1 where it states nothing of it."""
    found = kernel.order
    order = found if found is None or isinstance(found, AccessOrder) else found(case)
    height, width, _ = hwc(case.out_shape)
    if kernel.pass_pixels:
        return height * math.ceil(width / kernel.pass_pixels)
    if order is None or order.elementwise or order.parts:
        return 1
    if order.run:
        return math.ceil(height * width / order.run)
    down, across = order.rows or height, order.columns or width
    return math.ceil(height / down) * math.ceil(width / across)


def lines_missed(size: int, times: int, cache: Cache) -> int:
    """Of ``size`` bytes read in order ``times`` over, the least recently used line giving way.

    A set that holds more lines of the array than ways misses all of them each time; one way is
    reckoned to what else the kernel reads.
    """
    lines, sets = math.ceil(size / cache.line), cache.size // (cache.ways * cache.line)
    full, more = divmod(lines, sets)
    ways = max(1, cache.ways - 1)
    again = (full + 1) * more if full + 1 > ways else 0
    again += full * (sets - more) if full > ways else 0
    return lines + (times - 1) * again
