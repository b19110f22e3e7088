"""One float node to its integers: output quantization, constants, requantization."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from deployer.errors import ModelError
from deployer.ir import OPS, Entries, operator_table
from deployer.quantize import (
    linear_layers,
    moving_layers,
    norm_layers,
    pointwise_layers,
)
from deployer.quantize.task import IntegerLayer, Task
from deployer.quantize.widen import Misfit

Converter = Callable[[Task], IntegerLayer]


def _by_facts() -> Iterator[tuple[str, Converter]]:
    """Of operators whose facts leave nothing open: what keeps the quantization of its input, and
    what brings each input to the scale of its output by an entry of its own."""
    for op, spec in OPS.items():
        if spec.keeps_quantization:
            yield op, pointwise_layers.bounded if spec.requantizes else moving_layers.moved
        elif spec.entries is Entries.INPUTS:
            yield op, moving_layers.aligned


_CONVERTERS: Mapping[str, Converter] = operator_table(
    "quantizer (quantize.layers)",
    {
        **dict(_by_facts()),
        "Conv2d": linear_layers.linear,
        "DepthwiseConv2d": linear_layers.linear,
        "FullyConnected": linear_layers.linear,
        "ConvTranspose2d": linear_layers.linear,
        "Add": pointwise_layers.add,
        "Sub": pointwise_layers.sub,
        "Mul": pointwise_layers.mul,
        "MatMul": pointwise_layers.matmul,
        "LayerNorm": norm_layers.norm,
        "GroupNorm": norm_layers.norm,
        "PRelu": pointwise_layers.prelu,
        "Rescale": pointwise_layers.rescale,
        "Table": pointwise_layers.table,
        "AveragePool": pointwise_layers.average_pool,
        "Softmax": pointwise_layers.softmax,
        "Pad": moving_layers.pad,
        "Resample": moving_layers.resample,
    },
)


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
