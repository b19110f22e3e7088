"""The operators of the sweep: what each is varied over, and the layer of a set of values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from deployer.ir import (
    ConcatAttrs,
    ConvAttrs,
    ConvTransposeAttrs,
    Layout,
    Pads,
    PointAttrs,
    PoolAttrs,
    ReshapeAttrs,
    ResizeAttrs,
    ResizeMode,
    SoftmaxAttrs,
    TableAttrs,
    TransposeAttrs,
    Window,
)
from deployer.tools.bench.cost_nets import RELU
from deployer.tools.bench.sweep_layers import Part, Shape, SweepLayer, Values

Made = tuple[tuple[Shape, ...], tuple[Part, ...]]  # inputs and parts
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
WHOLE = "whole"  # a window over the plane


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


def _image(values: Values, name: str = "channels", *, groups: int = 1) -> Shape:
    return (1, *values["plane"], _total(values[name], groups))


def _total(channels: int, groups: int) -> int:
    """``channels`` where groups divide them, else so many in each group."""
    return channels if channels % groups == 0 else channels * groups


def _window(values: Values) -> Window | None:
    """None where it is larger than the plane, or one tap that is dilated."""
    plane, stride, steps = values["plane"], values["stride"], values.get("dilation", 1)
    kernel = plane if values["window"] == WHOLE else values["window"]
    if kernel == (1, 1) and steps > 1:
        return None
    spans = [(extent - 1) * steps + 1 for extent in kernel]
    if any(span > extent for span, extent in zip(spans, plane, strict=True)):
        return None
    tall, wide = ((span - 1) if values["padding"] == "same" else 0 for span in spans)
    pads = Pads(tall // 2, wide // 2, tall - tall // 2, wide - wide // 2)
    return Window(kernel, (stride, stride), (steps, steps), pads)


def _conv(values: Values) -> Made | None:
    window, groups = _window(values), values["groups"]
    if window is None:
        return None
    image, channels = _image(values, "inputs", groups=groups), _total(values["outputs"], groups)
    weights = (channels, *window.kernel, image[3] // groups)
    return (image,), (Part("Conv2d", ConvAttrs(window, groups, RELU), weights, Layout.OHWI),)


def _depthwise(values: Values) -> Made | None:
    window, image = _window(values), _image(values)
    if window is None:
        return None
    weights = (*window.kernel, image[3] * values["multiplier"])
    return (image,), (_by_channel(window, image[3], weights),)


def _by_channel(window: Window, channels: int, weights: Shape) -> Part:
    return Part("DepthwiseConv2d", ConvAttrs(window, channels), weights, Layout.HWC)


def _affine(values: Values) -> Made:
    """A batch norm alone is imported as a depthwise 1x1."""
    image = _image(values)
    return (image,), (_by_channel(Window((1, 1)), image[3], (1, 1, image[3])),)


def _dense(values: Values) -> Made:
    inputs, outputs = values["inputs"], values["outputs"]
    return ((1, inputs),), (Part("FullyConnected", PointAttrs(), (outputs, inputs), Layout.OI),)


def _transposed(values: Values) -> Made | None:
    """Output extents are those of the input times the stride."""
    kernel, stride, groups = values["window"], values["stride"], values["groups"]
    if any(extent < stride for extent in kernel):
        return None
    image, channels = _image(values, "inputs", groups=groups), _total(values["outputs"], groups)
    tall, wide = (extent - stride for extent in kernel)
    window = Window(
        kernel,
        (stride, stride),
        pads=Pads(tall // 2, wide // 2, tall - tall // 2, wide - wide // 2),
    )
    attrs = ConvTransposeAttrs(window, (image[1] * stride, image[2] * stride), groups)
    weights = (channels, *kernel, image[3] // groups)
    return (image,), (Part("ConvTranspose2d", attrs, weights, Layout.OHWI),)


def _pool(op: str) -> Callable[[Values], Made | None]:
    def make(values: Values) -> Made | None:
        window = _window(values)
        whole = values["window"] == WHOLE
        if window is None or (whole and (values["padding"] == "same" or values["stride"] > 1)):
            return None
        return (_image(values),), (Part(op, PoolAttrs(window)),)

    return make


def _pair(op: str) -> Callable[[Values], Made]:
    """Of two tensors, the second may be one pixel where the operator takes it."""

    def make(values: Values) -> Made:
        image = _image(values)
        second = (1, 1, 1, image[3]) if values.get("second") == "a pixel" else image
        return (image, second), (Part(op, PointAttrs()),)

    return make


def _prelu(values: Values) -> Made:
    image = _image(values)
    return (image,), (Part("PRelu", PointAttrs(), (image[3],)),)


def _table(values: Values) -> Made:
    return (_image(values),), (Part("Table", TableAttrs(values["kind"])),)


def _softmax(values: Values) -> Made:
    return ((1, values["channels"]),), (Part("Softmax", SoftmaxAttrs()),)


def _resize(values: Values) -> Made | None:
    factors, mode = values["factors"], values["kind"]
    if mode == ResizeMode.LINEAR and 3 in factors:
        return None
    return (_image(values),), (Part("Resize", ResizeAttrs(factors, mode)),)


def _concat(values: Values) -> Made:
    first, second = _image(values), (1, *values["plane"], values["more"])
    return (first, second), (Part("Concat", ConcatAttrs(3)),)


def _shuffle(values: Values) -> Made:
    """A grouped 1x1, its channels shuffled, a depthwise 3x3 and another grouped 1x1."""
    groups = values["groups"]
    image = _image(values, groups=groups)
    _, height, width, channels = image
    apart = (1, height * width, groups, channels // groups)
    point = Part(
        "Conv2d",
        ConvAttrs(Window((1, 1)), groups),
        (channels, 1, 1, channels // groups),
        Layout.OHWI,
    )
    return (image,), (
        point,
        Part("Reshape", ReshapeAttrs(apart)),
        Part("Transpose", TransposeAttrs((0, 1, 3, 2))),
        Part("Reshape", ReshapeAttrs(image)),
        _by_channel(Window((3, 3), pads=Pads(1, 1, 1, 1)), channels, (3, 3, channels)),
        point,
    )


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
            _conv,
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
            _depthwise,
            layers=28,
        ),
        "FullyConnected": Swept(
            {"inputs": FEATURES, "outputs": CHANNELS, "bits": BITS}, _dense, layers=18
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
            _transposed,
            layers=20,
        ),
        "MaxPool": Swept(_POOLS, _pool("MaxPool"), layers=12),
        "AveragePool": Swept(_POOLS, _pool("AveragePool"), layers=12),
        "Add": Swept(_PLAIN, _pair("Add"), layers=11),
        "Mul": Swept({**_PLAIN, "second": ("as large", "a pixel")}, _pair("Mul"), layers=11),
        "PRelu": Swept(_PLAIN, _prelu, layers=11),
        "affine": Swept(_PLAIN, _affine, layers=11),
        "Softmax": Swept({"channels": CHANNELS, "bits": (8,)}, _softmax, layers=11),
        "Resize": Swept(
            {**_PLAIN, "factors": ((2, 2), (1, 2), (3, 3), (4, 4)), "kind": tuple(ResizeMode)},
            _resize,
            layers=13,
        ),
        "Concat": Swept({**_PLAIN, "more": CHANNELS}, _concat, layers=13),
        "Table": Swept({**_PLAIN, "kind": ("hard_swish", "sigmoid")}, _table, layers=11),
        "shuffle": Swept(
            {"channels": CHANNELS, "groups": (2, 3, 4, 8), "plane": PLANES[::2], "bits": BITS},
            _shuffle,
            layers=11,
        ),
    }
)
