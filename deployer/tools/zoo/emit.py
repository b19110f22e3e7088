"""Each kind of layer as ONNX nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from deployer.tools.zoo import weights
from deployer.tools.zoo.layers import Layer, Network
from deployer.tools.zoo.styles import Style
from deployer.tools.zoo.writer import Writer

if TYPE_CHECKING:
    import numpy as np
    from onnx import ModelProto

_SIXTH = 1 / 6  # hard sigmoid: max(0, min(1, x / 6 + 1 / 2))


def to_onnx(network: Network, style: Style, *, seed: int, batch_norm: bool) -> ModelProto:
    """The network as a model of ``style`` with the weights of ``seed``."""
    writer = Writer(network, style, seed=seed, batch_norm=batch_norm)
    for layer in network.layers:
        _EMITTERS[layer.kind](writer, layer)
    return writer.model()


def _conv(w: Writer, layer: Layer) -> None:
    array, offset = w.weight(layer), w.bias(layer)
    folds = layer.norm and not w.batch_norm
    if folds:
        array, offset = weights.fold(array, offset, w.norm(layer))
    (x,) = w.inputs(layer)
    pads = layer.attrs["pads"]
    if w.style.pad_chain and pads[:2] != pads[2:]:
        x, pads = _pad_chain(w, layer, x), (0, 0, 0, 0)
    inputs = [x, w.tensor(f"{layer.name}.weight", array)]
    if offset is not None:
        inputs.append(w.vector(f"{layer.name}.bias", offset))
    attrs = {**_window(layer), "pads": list(pads), "group": layer.attrs["groups"]}
    if w.style.spells_defaults:
        attrs["auto_pad"] = "NOTSET"
    stays = layer.norm and not folds
    output = w.node(layer, "Conv", inputs, final=not stays, shape=layer.shape, **attrs)
    if stays:
        _batch_norm(w, layer, output)


def _window(layer: Layer) -> dict[str, Any]:
    stride = layer.attrs["stride"]
    return {
        "kernel_shape": list(layer.attrs["kernel"]),
        "strides": [stride, stride],
        "dilations": [1, 1],
    }


def _norm(w: Writer, layer: Layer) -> None:
    _batch_norm(w, layer, w.inputs(layer)[0])


def _batch_norm(w: Writer, layer: Layer, x: str) -> None:
    norm = w.norm(layer)
    parts = {
        "weight": norm.scale,
        "bias": norm.shift,
        "running_mean": norm.mean,
        "running_var": norm.variance,
    }
    names = [w.vector(f"{layer.name}.norm.{part}", array) for part, array in parts.items()]
    w.node(layer, "BatchNormalization", [x, *names], epsilon=weights.EPSILON, momentum=0.9)


def _up(w: Writer, layer: Layer) -> None:
    inputs = [*w.inputs(layer), w.tensor(f"{layer.name}.weight", w.weight(layer)), _bias(w, layer)]
    attrs: dict[str, Any] = {"auto_pad": "NOTSET"} if w.style.spells_defaults else {}
    w.node(
        layer,
        "ConvTranspose",
        inputs,
        kernel_shape=[2, 2],
        strides=[2, 2],
        pads=[0, 0, 0, 0],
        dilations=[1, 1],
        group=1,
        **attrs,
    )


def _dense(w: Writer, layer: Layer) -> None:
    inputs = [*w.inputs(layer), w.tensor(f"{layer.name}.weight", w.weight(layer)), _bias(w, layer)]
    attrs: dict[str, Any] = {"transA": 0} if w.style.spells_defaults else {}
    w.node(layer, "Gemm", inputs, alpha=1.0, beta=1.0, transB=1, **attrs)


def _bias(w: Writer, layer: Layer) -> str:
    return w.vector(f"{layer.name}.bias", weights.bias(layer.shape[0], w.seed))


def _relu6(w: Writer, layer: Layer) -> None:
    import numpy as np

    bounds = [w.constant(layer, np.array(n, np.float32), f"bound{n}") for n in (0, 6)]
    w.node(layer, "Clip", [*w.inputs(layer), *bounds])


def _hard_swish(w: Writer, layer: Layer) -> None:
    """One node from opset 14 on; before, the input times its hard sigmoid."""
    (x,) = w.inputs(layer)
    if w.style.opset >= 14:
        w.node(layer, "HardSwish", [x])
        return
    factor = w.node(layer, "HardSigmoid", [x], final=False, shape=layer.shape, alpha=_SIXTH)
    w.node(layer, "Mul", [x, factor])


def _hard_sigmoid(w: Writer, layer: Layer) -> None:
    w.node(layer, "HardSigmoid", w.inputs(layer), alpha=_SIXTH, beta=0.5)


def _leaky(w: Writer, layer: Layer) -> None:
    w.node(layer, "LeakyRelu", w.inputs(layer), alpha=layer.attrs["slope"])


def _max_pool(w: Writer, layer: Layer) -> None:
    attrs = {**_pool(w, layer), "dilations": [1, 1]}
    w.node(layer, "MaxPool", w.inputs(layer), **attrs)


def _avg_pool(w: Writer, layer: Layer) -> None:
    counted = int(not layer.attrs["ceil"])  # with both, runtimes differ
    w.node(layer, "AveragePool", w.inputs(layer), count_include_pad=counted, **_pool(w, layer))


def _pool(w: Writer, layer: Layer) -> dict[str, Any]:
    attrs = _window(layer)
    del attrs["dilations"]
    attrs |= {"pads": list(layer.attrs["pads"]), "ceil_mode": int(layer.attrs["ceil"])}
    return attrs | ({"auto_pad": "NOTSET"} if w.style.spells_defaults else {})


def _global_pool(w: Writer, layer: Layer) -> None:
    if not w.style.mean_pool:
        w.node(layer, "GlobalAveragePool", w.inputs(layer))
        return
    axes = w.constant(layer, _integers(-1, -2), "axes")
    w.node(layer, "ReduceMean", [*w.inputs(layer), axes], keepdims=1, noop_with_empty_axes=0)


def _flatten(w: Writer, layer: Layer) -> None:
    if not w.style.mean_pool:
        w.node(layer, "Flatten", w.inputs(layer), axis=1)
        return
    target = w.constant(layer, _integers(1, *layer.shape), "shape")
    w.node(layer, "Reshape", [*w.inputs(layer), target], allowzero=1)


def _slice(w: Writer, layer: Layer) -> None:
    """Some of the channels."""
    first = layer.attrs["first"]
    numbers = {"starts": first, "ends": first + layer.attrs["count"], "axes": 1, "steps": 1}
    names = [w.constant(layer, _integers(number), hint) for hint, number in numbers.items()]
    w.node(layer, "Slice", [*w.inputs(layer), *names])


def _shuffle(w: Writer, layer: Layer) -> None:
    """Channels as a matrix of groups, transposed."""
    channels, *plane = layer.shape
    groups = layer.attrs["groups"]
    apart, turned = (groups, channels // groups, *plane), (channels // groups, groups, *plane)
    into = w.constant(layer, _integers(1, *apart), "apart")
    y = w.node(layer, "Reshape", [*w.inputs(layer), into], final=False, shape=apart)
    y = w.node(layer, "Transpose", [y], final=False, shape=turned, perm=[0, 2, 1, 3, 4])
    w.node(layer, "Reshape", [y, w.constant(layer, _integers(1, *layer.shape), "shape")])


def _concat(w: Writer, layer: Layer) -> None:
    w.node(layer, "Concat", w.inputs(layer), axis=1)


def _plain(op: str) -> Callable[[Writer, Layer], None]:
    """The emitter of an operator without attributes."""

    def emit(w: Writer, layer: Layer) -> None:
        w.node(layer, op, w.inputs(layer))

    return emit


def _pad_chain(w: Writer, layer: Layer, x: str) -> str:
    """What the older exporter makes of ZeroPad2d: pads in PyTorch's order, turned by nodes."""
    import numpy as np

    top, left, bottom, right = layer.attrs["pads"]

    def step(op: str, inputs: list[str], **attrs: Any) -> str:
        return w.node(layer, op, inputs, final=False, **attrs)

    given = w.constant(layer, _integers(left, right, top, bottom), "given")
    zeros = step("ConstantOfShape", [w.constant(layer, _integers(4), "rest")], value=_zero())
    pairs = step("Concat", [given, zeros], axis=0)
    pairs = step("Reshape", [pairs, w.constant(layer, _integers(-1, 2), "pairs")])
    ends = (-1, np.iinfo(np.int64).min, 0, -1)
    bounds = [w.constant(layer, _integers(number), "bound") for number in ends]
    turned = step("Transpose", [step("Slice", [pairs, *bounds])], perm=[1, 0])
    flat = step("Reshape", [turned, w.constant(layer, _integers(-1), "flat")])
    value = w.constant(layer, np.zeros((), np.float32), "value")
    return step("Pad", [x, step("Cast", [flat], to=7), value], mode="constant")


def _zero() -> Any:
    from onnx import numpy_helper

    return numpy_helper.from_array(_integers(0))


def _integers(*numbers: int) -> np.ndarray:
    import numpy as np

    return np.array(numbers, np.int64)


_EMITTERS: Mapping[str, Callable[[Writer, Layer], None]] = MappingProxyType(
    {
        "add": _plain("Add"),
        "avgpool": _avg_pool,
        "concat": _concat,
        "conv": _conv,
        "dense": _dense,
        "flatten": _flatten,
        "globalpool": _global_pool,
        "hardsigmoid": _hard_sigmoid,
        "hardswish": _hard_swish,
        "leaky": _leaky,
        "maxpool": _max_pool,
        "mul": _plain("Mul"),
        "norm": _norm,
        "relu": _plain("Relu"),
        "relu6": _relu6,
        "shuffle": _shuffle,
        "sigmoid": _plain("Sigmoid"),
        "slice": _slice,
        "up": _up,
    }
)
