"""ONNX Runtime's operator format as QuantizeLinear and DequantizeLinear around float operators.

A node that computes on integers (QLinearConv, QGemm, …) says the same as a float node between a
DequantizeLinear of each input and a QuantizeLinear of the output; only that spelling goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from deployer.frontend.quantized import PAIR

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto

VENDOR = "com.microsoft"
_DROPPED = {"channels_last", "opset"}
_UNARY = ("AveragePool", "GlobalAveragePool", "LeakyRelu", "ReduceMean", "Sigmoid", "Softmax")
_BINARY = ("Add", "Mul")


class _Writer:
    """The nodes in place of one node; names are made from its name."""

    def __init__(self, node: NodeProto, stem: str):
        self.node, self._stem = node, stem
        self.nodes: list[NodeProto] = []
        self.attrs = {
            item.name: _value(item) for item in node.attribute if item.name not in _DROPPED
        }

    def add(self, kind: str, inputs: Sequence[str], output: str = "", **attrs: Any) -> str:
        from onnx import helper

        name = f"{self._stem}/{kind}_{len(self.nodes)}"
        out = output or name
        self.nodes.append(helper.make_node(kind, list(inputs), [out], name=name, **attrs))
        return out

    def real(self, first: int, **attrs: Any) -> str:
        """Three inputs of the node, integers with scale and zero point, as one real tensor."""
        return self.add(PAIR[1], _without_end(self._inputs(first, 3)), **attrs)

    def bias(self, index: int, scales: tuple[int, int], factor: float = 1.0) -> list[str]:
        """An int32 input whose scale is the product of two others, as real numbers; maybe none."""
        name = self._inputs(index, 1)[0]
        if not name:
            return []
        scale = self.add("Mul", [self.node.input[i] for i in scales])
        if factor != 1.0:
            number = self.add("Constant", [], value_float=factor)
            scale = self.add("Mul", [scale, number])
        return [self.add(PAIR[1], [name, scale], axis=0)]

    def finish(self, kind: str, inputs: Sequence[str], scale: int, **attrs: Any) -> None:
        """The float node, and its output quantized by two inputs of the node."""
        numbers = _without_end(self._inputs(scale, 2))
        out = self.node.output[0]
        if not numbers:
            self.add(kind, inputs, out, **attrs)
            return
        self.add(PAIR[0], [self.add(kind, inputs, **attrs), *numbers], out)
        self.nodes[-2].name = self._stem

    def _inputs(self, first: int, count: int) -> list[str]:
        given = [*self.node.input[first : first + count]]
        return given + [""] * (count - len(given))


def _value(attribute: Any) -> Any:
    from onnx import helper

    return helper.get_attribute_value(attribute)


def _without_end(names: list[str]) -> list[str]:
    while names and not names[-1]:
        names = names[:-1]
    return names


def expand(model: ModelProto) -> None:
    """Write the nodes of the operator format that have an equivalent in the other format."""
    found: list[NodeProto] = []
    for index, node in enumerate(model.graph.node):
        rule = _rule(node)
        if rule is None:
            found.append(node)
            continue
        writer = _Writer(node, node.name or f"{node.op_type}_{index}")
        rule(writer)
        for item in writer.nodes:
            item.metadata_props.extend(node.metadata_props)
        found.extend(writer.nodes)
    copies = [_copy(node) for node in found]
    del model.graph.node[:]
    model.graph.node.extend(copies)


def _copy(node: NodeProto) -> NodeProto:
    copy = type(node)()
    copy.CopyFrom(node)
    return copy


def _rule(node: NodeProto) -> Callable[[_Writer], None] | None:
    """What writes the node in the other format; None when it stays."""
    last = any(item.name == "channels_last" and item.i for item in node.attribute)
    if last or node.domain not in ("", "ai.onnx", VENDOR):
        return None
    vendor = node.domain == VENDOR
    return (_VENDORS if vendor else _STANDARD).get(node.op_type)


def _conv(w: _Writer) -> None:
    inputs = [w.real(0), w.real(3, axis=0), *w.bias(8, (1, 4))]
    w.finish("Conv", inputs, 6, **w.attrs)


def _matmul(w: _Writer) -> None:
    w.finish("MatMul", [w.real(0), w.real(3, axis=1)], 6)


def _gemm(w: _Writer) -> None:
    transposed, alpha = w.attrs.get("transB", 0), w.attrs.get("alpha", 1.0)
    inputs = [w.real(0), w.real(3, axis=0 if transposed else 1), *w.bias(6, (1, 4), alpha)]
    w.finish("Gemm", inputs, 7, **w.attrs)


def _unary(w: _Writer) -> None:
    w.finish(w.node.op_type.removeprefix("QLinear"), [w.real(0)], 3, **w.attrs)


def _binary(w: _Writer) -> None:
    w.finish(w.node.op_type.removeprefix("QLinear"), [w.real(0), w.real(3)], 6)


def _concat(w: _Writer) -> None:
    inputs = [w.real(first) for first in range(2, len(w.node.input), 3)]
    w.finish("Concat", inputs, 0, **w.attrs)


def _pair(w: _Writer) -> None:
    """The vendor's spelling of QuantizeLinear and DequantizeLinear."""
    w.add(w.node.op_type, w.node.input, w.node.output[0], **w.attrs)


_STANDARD: Mapping[str, Callable[[_Writer], None]] = MappingProxyType(
    {"QLinearConv": _conv, "QLinearMatMul": _matmul}
)
_VENDORS: Mapping[str, Callable[[_Writer], None]] = MappingProxyType(
    {
        **_STANDARD,
        **dict.fromkeys(PAIR, _pair),
        **dict.fromkeys((f"QLinear{kind}" for kind in _UNARY), _unary),
        **dict.fromkeys((f"QLinear{kind}" for kind in _BINARY), _binary),
        "QGemm": _gemm,
        "QLinearConcat": _concat,
    }
)
