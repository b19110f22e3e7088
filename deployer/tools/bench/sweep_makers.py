"""The layers that a sweep's values make: inputs and nodes, None where values do not go together."""

from __future__ import annotations

from collections.abc import Callable

from deployer.frontend import unit_stride_window
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
from deployer.tools.bench.operator_net import RELU
from deployer.tools.bench.sweep_layers import Part, Shape, Values

Made = tuple[tuple[Shape, ...], tuple[Part, ...]]  # inputs and parts
WHOLE = "whole"  # a window over the plane


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


def conv(values: Values) -> Made | None:
    window, groups = _window(values), values["groups"]
    if window is None:
        return None
    image, channels = _image(values, "inputs", groups=groups), _total(values["outputs"], groups)
    return (image,), (_conv(ConvAttrs(window, groups, RELU), image[3], channels),)


def _conv(attrs: ConvAttrs, inputs: int, channels: int) -> Part:
    """Groups of one input channel are depthwise, as the import makes them."""
    kernel, groups = attrs.window.kernel, attrs.groups
    if groups == inputs > 1:
        return Part("DepthwiseConv2d", attrs, (*kernel, channels), Layout.HWC)
    return Part("Conv2d", attrs, (channels, *kernel, inputs // groups), Layout.OHWI)


def depthwise(values: Values) -> Made | None:
    window, image = _window(values), _image(values)
    if window is None:
        return None
    weights = (*window.kernel, image[3] * values["multiplier"])
    return (image,), (_by_channel(window, image[3], weights),)


def _by_channel(window: Window, channels: int, weights: Shape) -> Part:
    return Part("DepthwiseConv2d", ConvAttrs(window, channels), weights, Layout.HWC)


def affine(values: Values) -> Made:
    """A batch norm alone is imported as a depthwise 1x1."""
    image = _image(values)
    return (image,), (_by_channel(Window((1, 1)), image[3], (1, 1, image[3])),)


def dense(values: Values) -> Made:
    inputs, outputs = values["inputs"], values["outputs"]
    return ((1, inputs),), (Part("FullyConnected", PointAttrs(), (outputs, inputs), Layout.OI),)


def transposed(values: Values) -> Made | None:
    """Output extents are those of the input times the stride. At stride 1 those of one input and
    one output a group are depthwise, as the import makes them."""
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
    output = (image[1] * stride, image[2] * stride)
    same = unit_stride_window(window, (image[1], image[2]), output)
    if same and groups == image[3] == channels > 1:
        return (image,), (_by_channel(same, groups, (*kernel, channels)),)
    attrs = ConvTransposeAttrs(window, output, groups)
    weights = (channels, *kernel, image[3] // groups)
    return (image,), (Part("ConvTranspose2d", attrs, weights, Layout.OHWI),)


def pool(op: str) -> Callable[[Values], Made | None]:
    def make(values: Values) -> Made | None:
        window = _window(values)
        whole = values["window"] == WHOLE
        if window is None or (whole and (values["padding"] == "same" or values["stride"] > 1)):
            return None
        return (_image(values),), (Part(op, PoolAttrs(window)),)

    return make


def pair(op: str) -> Callable[[Values], Made]:
    """Of two tensors, the second may be one pixel where the operator takes it."""

    def make(values: Values) -> Made:
        image = _image(values)
        second = (1, 1, 1, image[3]) if values.get("second") == "a pixel" else image
        return (image, second), (Part(op, PointAttrs()),)

    return make


def prelu(values: Values) -> Made:
    image = _image(values)
    return (image,), (Part("PRelu", PointAttrs(), (image[3],)),)


def table(values: Values) -> Made:
    return (_image(values),), (Part("Table", TableAttrs(values["kind"])),)


def softmax(values: Values) -> Made:
    return ((1, values["channels"]),), (Part("Softmax", SoftmaxAttrs()),)


def resize(values: Values) -> Made | None:
    factors, mode = values["factors"], values["kind"]
    if mode == ResizeMode.LINEAR and 3 in factors:
        return None
    return (_image(values),), (Part("Resize", ResizeAttrs(factors, mode)),)


def concat(values: Values) -> Made:
    first, second = _image(values), (1, *values["plane"], values["more"])
    return (first, second), (Part("Concat", ConcatAttrs(3)),)


def shuffle(values: Values) -> Made:
    """A grouped 1x1, its channels shuffled, a depthwise 3x3 and another grouped 1x1."""
    groups = values["groups"]
    image = _image(values, groups=groups)
    _, height, width, channels = image
    apart = (1, height * width, groups, channels // groups)
    point = _conv(ConvAttrs(Window((1, 1)), groups), channels, channels)
    return (image,), (
        point,
        Part("Reshape", ReshapeAttrs(apart)),
        Part("Transpose", TransposeAttrs((0, 1, 3, 2))),
        Part("Reshape", ReshapeAttrs(image)),
        _by_channel(Window((3, 3), pads=Pads(1, 1, 1, 1)), channels, (3, 3, channels)),
        point,
    )
