"""Scratch of convolutions on strips of columns, beside what the C code lays out."""

from __future__ import annotations

import pytest

from deployer.kernelset.cortex_m.strips import by_strips, column_scratch
from deployer.kernelset.kernel import KernelCase

TAIL = 12  # bytes behind the columns


def conv(
    depth: int, channels: int, *, act: str = "s8", side: int = 16, kernel: int = 3
) -> KernelCase:
    shapes = ((1, side, side, depth),), (1, side, side, channels)
    return KernelCase("Conv2d", act, "s8", *shapes, kernel=(kernel, kernel))


@pytest.mark.parametrize(
    ("case", "triples"),
    [
        (conv(64, 64), 2),  # 36 KiB of weights: as many triples as 8 KiB hold
        (conv(16, 16), 1),  # a triple of 864 bytes is more than a short strip
        (conv(8, 16, kernel=1), 10),  # cached weights: as many as 512 bytes hold
        (conv(8, 2048, kernel=1), 32),  # never more
        (conv(512, 512), 1),  # never fewer
        (conv(8, 16, kernel=1, side=2), 2),  # no more than there are pixels
    ],
)
def test_triples_of_a_strip(case: KernelCase, triples: int) -> None:
    values = case.kernel[0] * case.kernel[1] * case.in_channels
    assert column_scratch(case) == triples * 6 * values + TAIL


@pytest.mark.parametrize(
    ("act", "depth", "gathered"),
    [
        ("s8", 3, 3 * (28 + 4)),  # three windows of 27 bytes, filled up, and a word each
        ("s16", 3, 3 * (2 * 28 + 4)),
        ("s16", 2, 0),  # neighbours share words
        ("s8", 2, 3 * (20 + 4)),
    ],
)
def test_windows_gathered_first(act: str, depth: int, gathered: int) -> None:
    values = -(-9 * depth // 4) * 4
    triples = 512 // (6 * values)
    case = conv(depth, 8, act=act)
    assert column_scratch(case) == triples * 6 * values + TAIL + gathered


def test_a_strip_is_written_at_once() -> None:
    assert by_strips(conv(8, 16, kernel=1)).run == 30
    assert by_strips(conv(64, 64)).run == 6
