"""Writes a network layer by layer; every method returns the name of the value it adds."""

from __future__ import annotations

import math
from typing import Any

from deployer.errors import UsageError
from deployer.tools.zoo import windows
from deployer.tools.zoo.layers import Layer, Network, Shape
from deployer.tools.zoo.windows import Kernel, Pads

ROUND_TO = 8
_RECTIFIED = ("relu", "relu6", "leaky", "hardswish")


def divisible(channels: float, divisor: int = ROUND_TO) -> int:
    """The nearest multiple of ``divisor``, not below 90 % (MobileNetV2's reference code)."""
    rounded = max(divisor, int(channels + divisor / 2) // divisor * divisor)
    return rounded + divisor if rounded < 0.9 * channels else rounded


class NetworkBuilder:
    """``norm``: convolutions have batch norm unless told otherwise."""

    def __init__(
        self,
        name: str,
        *,
        width: float = 1.0,
        classes: int = 0,
        norm: bool = True,
        act: str = "relu",
        slope: float = 0.0,
    ):
        self.name = name
        self.width = width
        self.classes = classes
        self.slope = slope
        self._norm = norm
        self._act = act
        self._layers: list[Layer] = []
        self._shapes: dict[str, Shape] = {}
        self._counts: dict[str, int] = {}

    def shape(self, x: str) -> Shape:
        return self._shapes[x]

    def scaled(self, channels: int) -> int:
        """``channels`` times the width multiplier, rounded to 8; as they are at width 1."""
        return channels if self.width == 1 else divisible(channels * self.width)

    def input(self, *shape: int) -> str:
        self._input = shape
        self._shapes["input"] = shape
        return "input"

    def conv(
        self,
        x: str,
        channels: int,
        kernel: Kernel = 3,
        *,
        stride: int = 1,
        pads: Pads | int | None = None,
        groups: int = 1,
        norm: bool | None = None,
        bias: bool | None = None,
        act: str | None = None,
        gain: float = 0.0,
    ) -> str:
        """Convolution, batch norm or bias, activation. By default the size is kept at stride 1.

        ``act=""`` for none. ``gain`` as in Layer; by default what the activation needs.
        """
        span = windows.pair(kernel)
        inputs, height, width = self.shape(x)
        sides = windows.sides(span, pads)
        size = self._size((height, width), span, stride, sides)
        normed = self._norm if norm is None else norm
        after = self._act if act is None else act
        fan_in = math.prod(span) * inputs // groups
        name = self._add(
            "conv",
            (x,),
            (channels, *size),
            attrs={"kernel": span, "stride": stride, "pads": sides, "groups": groups},
            weight=(channels, inputs // groups, *span),
            norm=normed,
            bias=not normed if bias is None else bias,
            fan_in=fan_in,
            gain=gain or _gain(after),
            macs=fan_in * channels * math.prod(size),
        )
        return self.act(name, after) if after else name

    def depthwise(self, x: str, kernel: Kernel = 3, **options: Any) -> str:
        """A convolution of each channel by itself."""
        channels = self.shape(x)[0]
        return self.conv(x, channels, kernel, groups=channels, **options)

    def up(self, x: str, channels: int, *, act: str = "") -> str:
        """2x2 transposed convolution of stride 2, with bias."""
        inputs, height, width = self.shape(x)
        name = self._add(
            "up",
            (x,),
            (channels, 2 * height, 2 * width),
            weight=(inputs, channels, 2, 2),
            bias=True,
            fan_in=inputs,
            gain=_gain(act),
            macs=4 * inputs * channels * height * width,
        )
        return self.act(name, act) if act else name

    def dense(self, x: str, outputs: int, *, act: str = "") -> str:
        (inputs,) = self.shape(x)
        name = self._add(
            "dense",
            (x,),
            (outputs,),
            weight=(outputs, inputs),
            bias=True,
            fan_in=inputs,
            gain=_gain(act),
            macs=inputs * outputs,
        )
        return self.act(name, act) if act else name

    def norm(self, x: str) -> str:
        """Batch norm with no convolution before it."""
        return self._add("norm", (x,), self.shape(x), norm=True)

    def act(self, x: str, kind: str) -> str:
        attrs = {"slope": self.slope} if kind == "leaky" else {}
        return self._add(kind, (x,), self.shape(x), attrs=attrs)

    def max_pool(
        self, x: str, kernel: int, *, stride: int, pad: int = 0, ceil: bool = False
    ) -> str:
        return self._pool("maxpool", x, kernel, stride=stride, pad=pad, ceil=ceil)

    def avg_pool(
        self, x: str, kernel: int, *, stride: int, pad: int = 0, ceil: bool = False
    ) -> str:
        """Average of the whole window: zeros of the border count, as in PyTorch; what ``ceil`` adds
        beyond the tensor does not."""
        return self._pool("avgpool", x, kernel, stride=stride, pad=pad, ceil=ceil)

    def global_pool(self, x: str) -> str:
        """Average of each channel, (channels, 1, 1)."""
        return self._add("globalpool", (x,), (self.shape(x)[0], 1, 1))

    def flatten(self, x: str) -> str:
        return self._add("flatten", (x,), (math.prod(self.shape(x)),))

    def pooled(self, x: str) -> str:
        """Average of each channel, (channels,)."""
        return self.flatten(self.global_pool(x))

    def concat(self, *parts: str) -> str:
        sizes = {self.shape(part)[1:] for part in parts}
        if len(sizes) > 1:
            raise self._impossible("branches of different sizes meet", sorted(sizes))
        channels = sum(self.shape(part)[0] for part in parts)
        return self._add("concat", parts, (channels, *sizes.pop()))

    def add(self, x: str, y: str) -> str:
        return self._add("add", (x, y), self.shape(x))

    def gate(self, x: str, factor: str) -> str:
        """``x`` times one factor per channel."""
        return self._add("mul", (x, factor), self.shape(x))

    def channels(self, x: str, first: int, count: int) -> str:
        attrs = {"first": first, "count": count}
        return self._add("slice", (x,), (count, *self.shape(x)[1:]), attrs=attrs)

    def shuffled(self, x: str, groups: int) -> str:
        """Channels of the groups in turns (ShuffleNet, figure 1 c)."""
        return self._add("shuffle", (x,), self.shape(x), attrs={"groups": groups})

    def network(self, **outputs: str) -> Network:
        """The finished network; its outputs by name."""
        return Network(self.name, self._input, tuple(self._layers), outputs)

    def _pool(self, kind: str, x: str, kernel: int, *, stride: int, pad: int, ceil: bool) -> str:
        channels, *size = self.shape(x)
        result = self._size((size[0], size[1]), (kernel, kernel), stride, (pad,) * 4)
        if ceil:
            height, width = (windows.ceil_extent(n, kernel, stride, pad) for n in size)
            result = (height, width)
        attrs = {"kernel": (kernel, kernel), "stride": stride, "pads": (pad,) * 4, "ceil": ceil}
        return self._add(kind, (x,), (channels, *result), attrs=attrs)

    def _size(
        self, size: tuple[int, int], kernel: tuple[int, int], stride: int, pads: Pads
    ) -> tuple[int, int]:
        height, width = (
            windows.output_extent(size[i], kernel[i], stride, pads[i], pads[i + 2]) for i in (0, 1)
        )
        if min(height, width) < 1:
            why = f"a window of {kernel[0]}x{kernel[1]} meets a tensor of {size[0]}x{size[1]}"
            raise self._impossible(why)
        return height, width

    def _impossible(self, why: str, sizes: Any = ()) -> UsageError:
        height, width = self._input[1:]
        shown = ", ".join("x".join(map(str, size)) for size in sizes)
        return UsageError(
            f"{self.name} cannot take an input of {height}x{width}",
            why=[f"{why}: {shown}" if shown else f"{why} after {len(self._layers)} layers"],
            hints=["a larger --resolution"],
        )

    def _add(self, kind: str, inputs: tuple[str, ...], shape: Shape, **fields: Any) -> str:
        count = self._counts.get(kind, 0)
        self._counts[kind] = count + 1
        name = f"{kind}{count}"
        self._layers.append(Layer(name, kind, inputs, shape, **fields))
        self._shapes[name] = shape
        return name


def _gain(act: str) -> float:
    """He's factor for an activation that halves the power of its input, or about that."""
    return math.sqrt(2) if act in _RECTIFIED else 1.0
