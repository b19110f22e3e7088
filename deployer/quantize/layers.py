"""One float node to its integers: output quantization, constants, requantization."""

from __future__ import annotations

from collections.abc import Callable

from deployer.errors import ModelError
from deployer.quantize import linear_layers, moving_layers, pointwise_layers
from deployer.quantize.task import IntegerLayer, Task
from deployer.quantize.widen import Misfit

_CONVERTERS: dict[str, Callable[[Task], IntegerLayer]] = {
    "Conv2d": linear_layers.linear,
    "DepthwiseConv2d": linear_layers.linear,
    "FullyConnected": linear_layers.linear,
    "ConvTranspose2d": linear_layers.linear,
    "Add": pointwise_layers.add,
    "Sub": pointwise_layers.sub,
    "Mul": pointwise_layers.mul,
    "PRelu": pointwise_layers.prelu,
    "Rescale": pointwise_layers.rescale,
    "Table": pointwise_layers.table,
    "AveragePool": pointwise_layers.average_pool,
    "MaxPool": pointwise_layers.max_pool,
    "Softmax": pointwise_layers.softmax,
    "Concat": moving_layers.concat,
    "Slice": moving_layers.moved,
    "Pad": moving_layers.pad,
    "Resize": moving_layers.moved,
    "DepthToSpace": moving_layers.moved,
    "SpaceToDepth": moving_layers.moved,
    "Transpose": moving_layers.moved,
    "Reshape": moving_layers.moved,
}
KEEPS_QUANTIZATION = frozenset(
    {
        "MaxPool",
        "Slice",
        "Pad",
        "Resize",
        "DepthToSpace",
        "SpaceToDepth",
        "Transpose",
        "Reshape",
    }
)
LINEAR = frozenset({"Conv2d", "DepthwiseConv2d", "FullyConnected", "ConvTranspose2d"})
OWN_RANGE = frozenset(_CONVERTERS) - KEEPS_QUANTIZATION - {"Softmax"}


def convert(task: Task) -> IntegerLayer:
    """The integers of ``task``. Raises ModelError when its layer cannot be done in int32."""
    try:
        return _CONVERTERS[task.node.op](task)
    except Misfit as error:
        node = task.node
        raise ModelError(
            f"{node.op} {node.name} cannot be quantized",
            why=[str(error)],
            hints=["check the layer's weights and the calibration samples for extreme values"],
        ) from None
