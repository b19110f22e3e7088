"""What the layouts of NEON have in common: groups one after the other, tables of four channels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from deployer.kernelset.blocking.neon import NARROW_BLOCK_CHANNELS
from deployer.kernelset.layouts.parameters import Parameters


def groups_of(given: Parameters) -> Iterator[Parameters]:
    """The convolutions of one group that ``given`` consists of."""
    count = len(given.weights) // given.groups
    for first in range(0, len(given.weights), count):
        own = slice(first, first + count)
        tables = {
            name: table[own] if len(table) > 1 else table
            for name in ("bias", "multiplier", "rounding", "shift")
            for table in (getattr(given, name),)
        }
        yield replace(given, weights=given.weights[own], groups=1, **tables)


def tables_of(given: Parameters, blocks: int) -> np.ndarray:
    """[block, of each kind its four channels]: biases, multipliers, roundings and negative shifts.
    Zeros fill up."""
    channels = len(given.weights)
    kinds = [given.bias, given.multiplier, given.rounding, -given.shift.astype(np.int32)]
    full = np.zeros((len(kinds), blocks * NARROW_BLOCK_CHANNELS), "<i4")
    for i, kind in enumerate(kinds):
        full[i, :channels] = np.broadcast_to(kind, channels) if len(kind) else 0
    by_block = full.reshape(len(kinds), blocks, NARROW_BLOCK_CHANNELS).transpose(1, 0, 2)
    return np.ascontiguousarray(by_block).reshape(blocks, -1)


def channel_tables(given: Parameters) -> np.ndarray:
    """[channel, (bias, multiplier, rounding, negative shift)]"""
    count = len(given.weights)
    kinds = [given.bias, given.multiplier, given.rounding, -given.shift.astype(np.int32)]
    columns = [np.broadcast_to(kind if len(kind) else 0, count) for kind in kinds]
    return np.stack(columns, axis=1).astype("<i4")
