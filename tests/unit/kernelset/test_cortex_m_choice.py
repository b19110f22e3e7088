"""Which kernels of the Cortex-M come first for layers at the edges of what each is made for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from deployer.ir.attrs import Pads
from deployer.kernelset.kernel import KernelCase
from deployer.kernelset.order import AT_ONCE, BY_PIXELS, AccessOrder
from deployer.kernelset.select import candidates

FAMILIES = ("cortex_m", "ref")


def pool(read: tuple[int, ...], made: tuple[int, ...], kernel: tuple[int, int], stride: int,
         act: str = "s8") -> KernelCase:  # fmt: skip
    return KernelCase(
        "AveragePool", act, "", ((1, *read),), (1, *made),
        kernel=kernel, stride=(stride, stride), rule="i32",
    )  # fmt: skip


def first(case: KernelCase) -> str:
    return next(candidates(FAMILIES, case)).symbol


@pytest.mark.parametrize(
    ("read", "made", "kernel", "stride", "kind"),
    [
        ((48, 48, 3), (16, 16, 3), (3, 3), 3, "_small"),  # along rows
        ((128, 1, 10), (60, 1, 10), (9, 1), 2, "_small"),  # along a column
        ((32, 32, 3), (28, 28, 3), (5, 5), 1, ""),  # windows share rows of sums
        ((4, 4, 1), (1, 1, 1), (3, 3), 3, ""),  # a pixel by itself
        ((16, 16, 3), (8, 8, 3), (2, 2), 2, "_taps"),
    ],
)
@pytest.mark.parametrize("act", ["s8", "s16"])
def test_average_pools(
    read: tuple[int, ...], made: tuple[int, ...], kernel: tuple[int, int], stride: int, kind: str,
    act: str,
) -> None:  # fmt: skip
    found = first(pool(read, made, kernel, stride, act))
    assert found == f"dpl_average_pool_{act}__armv7em{kind}"


@pytest.mark.parametrize(
    ("made", "kernel", "order"),
    [
        ((16, 16, 3), (3, 3), AT_ONCE),  # a channel's outputs are made in a line
        ((60, 1, 3), (9, 1), AT_ONCE),
        ((16, 16, 3), (2, 2), BY_PIXELS),
    ],
)
def test_lines_of_nine_taps_bind_the_order(
    made: tuple[int, ...], kernel: tuple[int, int], order: object
) -> None:
    read = tuple(3 * side for side in made[:2]) + made[2:]
    case = pool(read, made, kernel, 3)
    small = next(k for k in candidates(FAMILIES, case) if k.symbol.endswith("_small"))
    assert callable(small.order)
    assert small.order(case) == order


@pytest.mark.parametrize(
    ("made", "kernel", "stride", "kind", "order"),
    [
        ((16, 16, 2), (9, 1), 2, "_small", AT_ONCE),  # down columns
        ((16, 16, 5), (9, 1), 3, "_small", AT_ONCE),
        ((1, 1, 118), (48, 16), 1, "_whole", AccessOrder(columns=1, buffered=True)),
    ],
)
def test_maximum_pools(
    made: tuple[int, ...], kernel: tuple[int, int], stride: int, kind: str, order: object
) -> None:
    read = (48, 16 * stride if made[1] > 1 else 16, made[2])
    case = replace(pool(read, made, kernel, stride, "s16"), op="MaxPool", rule="")
    found = next(candidates(FAMILIES, case))
    assert found.symbol == f"dpl_max_pool_s16__armv7em{kind}"
    assert order == (found.order(case) if callable(found.order) else found.order)


@pytest.mark.parametrize(("outputs", "kind"), [(1, "_channel"), (2, "_planes")])
def test_one_channel_to_one_is_depthwise(outputs: int, kind: str) -> None:
    case = KernelCase(
        "Conv2d", "s8", "s8", ((1, 48, 48, 1),), (1, 48, 48, outputs),
        kernel=(3, 3), pads=Pads(1, 1, 1, 1), rule="q32",
    )  # fmt: skip
    assert first(case) == f"dpl_conv2d_s8__armv7em{kind}"


@pytest.mark.parametrize(("outputs", "kind"), [(1, "_direct"), (8, "")])
def test_large_windows_are_read_in_place_with_less_than_their_columns_take(
    outputs: int, kind: str
) -> None:
    case = KernelCase(
        "Conv2d", "s16", "s8", ((1, 8, 8, 480),), (1, 8, 8, outputs),
        kernel=(5, 5), pads=Pads(2, 2, 2, 2), rule="q32",
    )  # fmt: skip
    assert first(case) == f"dpl_conv2d_s16__armv7em{kind}"


@pytest.mark.parametrize(
    ("act", "channels", "kind"),
    [("s16", 480, "_several"), ("s8", 480, "_several"), ("s16", 482, "_several")],
)
def test_two_outputs_a_channel_share_its_elements(act: str, channels: int, kind: str) -> None:
    case = KernelCase(
        "DepthwiseConv2d", act, "s8", ((1, 8, 8, channels),), (1, 2, 2, 2 * channels),
        kernel=(3, 3), stride=(3, 3), pads=Pads(), groups=channels, rule="q32",
    )  # fmt: skip
    assert first(case) == f"dpl_depthwise_conv2d_{act}__armv7em{kind}"
