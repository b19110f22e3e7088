"""Every order of weights, byte for byte, as sums over weights of many shapes."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from deployer.kernelset.layouts import LAYOUTS, Parameters, WeightLayout, packed, packed_bytes
from planned import pinned

FOLDER = Path(__file__).parent / "pinned"
CHANNELS = (1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 16)
DENSE = [(channels, depth) for channels in CHANNELS for depth in (1, 3, 4, 8, 13, 17)]
WINDOWS = [(channels, 3, 3, depth) for channels in CHANNELS for depth in (1, 3, 4, 8, 9)]
WINDOWS += [(5, 1, 1, 7), (8, 5, 5, 4), (6, 2, 3, 5)]
PLANES = [(3, 3, channels) for channels in CHANNELS] + [(5, 5, 6), (1, 3, 4), (2, 2, 7)]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_bytes_are_those_pinned(layout: WeightLayout) -> None:
    pinned(FOLDER / f"{layout}.txt", "\n".join(_lines(layout)))


def _lines(layout: WeightLayout) -> Iterator[str]:
    yield f"{layout} {[layout.has_all(rule) for rule in ('i32', 'shift', 'q31')]}"
    for shape in (*DENSE, *WINDOWS, *PLANES):
        for rule, stride in (("i32", (1, 1)), ("shift", (2, 2))):
            given = _given(shape, rule, stride)
            if layout.startswith("taps_c8"):
                given = replace(given, groups=shape[-1])
            found = _told(layout, given)
            if found:
                yield f"{shape} {rule} {stride}: {found}"


def _told(layout: WeightLayout, given: Parameters) -> str:
    """ "" for weights that the layout is not for."""
    try:
        data = packed(layout, given)
        size = packed_bytes(layout, given.weights, given.stride, given.groups)
        assert packed_bytes(WeightLayout.IR, given.weights, given.stride) == given.weights.nbytes
    except (ValueError, IndexError, AssertionError):
        return ""
    return f"{data.nbytes} {size} {zlib.crc32(data.tobytes()):08x}"


def _given(shape: tuple[int, ...], rule: str, stride: tuple[int, int]) -> Parameters:
    """Integers of a formula, so that no generator of random numbers has a say."""
    count = int(np.prod(shape))
    channels = shape[-1] if len(shape) == 3 else shape[0]
    weights = ((np.arange(count) * 37 + 11) % 251 - 125).astype(np.int8).reshape(shape)
    table = np.arange(channels, dtype=np.int32)
    return Parameters(
        weights,
        bias=table * 1009 - 3000,
        multiplier=table * 3 + 17,
        stride=stride,
        zero=-5,
        rule=rule,
        rounding=table * 7 + 64,
        shift=(table % 9 + 8).astype(np.uint8),
    )
