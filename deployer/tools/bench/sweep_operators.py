"""The operators of the sweep, and what each is varied over."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from deployer.ir import ResizeMode
from deployer.tools.bench.sweep_layers import SweepLayer, Values
from deployer.tools.bench.sweep_makers import (
    WHOLE,
    Made,
    affine,
    concat,
    conv,
    dense,
    depthwise,
    pair,
    pool,
    prelu,
    resize,
    shuffle,
    softmax,
    table,
    transposed,
)

Axes = Mapping[str, Sequence[Any]]

CHANNELS = (1, 2, 3, 5, 8, 10, 17, 63, 64, 118, 480)
FEATURES = (*CHANNELS, 256, 640, 1500, 1537, 2048, 4096)
# what is named twice is drawn twice as often
ODD_WINDOWS = ((5, 5), (1, 3), (3, 1), (9, 1), (7, 1), (2, 2), (10, 4))
WINDOWS = ((1, 1), (1, 1), (3, 3), (3, 3), *ODD_WINDOWS)
PLANES = (
    *((4, 4), (5, 7), (8, 8), (12, 12), (16, 16), (25, 10), (32, 32), (20, 33), (48, 48)),
    *((1, 96), (128, 1)),
)
STRIDES, DILATIONS = (1, 1, 2, 3), (1, 1, 1, 2)
GROUPS, MULTIPLIERS = (1, 1, 1, 2, 4, 16), (1, 1, 2, 4)
BITS = (8, 16)
PADDINGS = ("same", "valid")


@dataclass(frozen=True)
class Swept:
    """An operator. ``make`` gives None where values do not go together; ``layers``: so
    many are drawn by default, no fewer than an axis has values."""

    axes: Axes
    make: Callable[[Values], Made | None]
    layers: int

    def layer(self, operator: str, values: Values) -> SweepLayer | None:
        made = self.make(values)
        return SweepLayer(operator, values, *made) if made else None


_PLAIN: Axes = {"channels": CHANNELS, "plane": PLANES[::2], "bits": BITS}
_WINDOWED: Axes = {"plane": PLANES, "padding": PADDINGS, "stride": STRIDES, "bits": BITS}
_POOLS: Axes = {
    "channels": CHANNELS,
    "window": ((2, 2), (3, 3), (1, 3), (5, 5), (9, 1), WHOLE),
    **_WINDOWED,
}

OPERATORS: Mapping[str, Swept] = MappingProxyType(
    {
        "Conv2d": Swept(
            {
                "inputs": CHANNELS,
                "outputs": CHANNELS,
                "window": WINDOWS,
                "dilation": DILATIONS,
                "groups": GROUPS,
                **_WINDOWED,
            },
            conv,
            layers=36,
        ),
        "DepthwiseConv2d": Swept(
            {
                "channels": CHANNELS,
                "window": WINDOWS[2:],
                "dilation": DILATIONS,
                "multiplier": MULTIPLIERS,
                **_WINDOWED,
            },
            depthwise,
            layers=28,
        ),
        "FullyConnected": Swept(
            {"inputs": FEATURES, "outputs": CHANNELS, "bits": BITS}, dense, layers=18
        ),
        "ConvTranspose2d": Swept(
            {
                "inputs": CHANNELS,
                "outputs": CHANNELS,
                "window": ((2, 2), (3, 3), (4, 4), (5, 5), (1, 4)),
                "stride": STRIDES,
                "groups": GROUPS,
                "plane": PLANES,
                "bits": BITS,
            },
            transposed,
            layers=20,
        ),
        "MaxPool": Swept(_POOLS, pool("MaxPool"), layers=12),
        "AveragePool": Swept(_POOLS, pool("AveragePool"), layers=12),
        "Add": Swept(_PLAIN, pair("Add"), layers=11),
        "Mul": Swept({**_PLAIN, "second": ("as large", "a pixel")}, pair("Mul"), layers=11),
        "PRelu": Swept(_PLAIN, prelu, layers=11),
        "affine": Swept(_PLAIN, affine, layers=11),
        "Softmax": Swept({"channels": CHANNELS, "bits": (8,)}, softmax, layers=11),
        "Resize": Swept(
            {**_PLAIN, "factors": ((2, 2), (1, 2), (3, 3), (4, 4)), "kind": tuple(ResizeMode)},
            resize,
            layers=13,
        ),
        "Concat": Swept({**_PLAIN, "more": CHANNELS}, concat, layers=13),
        "Table": Swept({**_PLAIN, "kind": ("hard_swish", "sigmoid")}, table, layers=11),
        "shuffle": Swept(
            {"channels": CHANNELS, "groups": (2, 3, 4, 8), "plane": PLANES[::2], "bits": BITS},
            shuffle,
            layers=11,
        ),
    }
)
