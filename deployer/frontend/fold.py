"""One pass in execution order: constants folded, shapes inferred, nodes decoded.

Every shape is known before a node is reached, so Shape is a constant where it stands and the
pass needs no repetition.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from deployer.errors import ModelError
from deployer.frontend import grids
from deployer.frontend.bounds import excess
from deployer.frontend.fix_dims import Fixed
from deployer.frontend.modules import module_path
from deployer.frontend.net import Net, Op, Shape
from deployer.frontend.norm_constraints import GROUP
from deployer.frontend.quantized import DEQUANTIZE, PAIR, element_of, sound
from deployer.frontend.versions import opset_of

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto, TypeProto

_OF_SHAPE = {"Shape", "Size"}
_WEIGHTS_AT = {"Conv": 1, "ConvTranspose": 1, "ConvInteger": 1, "QLinearConv": 3}
_NEVER = {
    *(*PAIR, "DynamicQuantizeLinear"),  # constants of the first two: below
    *("RandomNormal", "RandomUniform", "RandomNormalLike", "RandomUniformLike"),
    *("Bernoulli", "Multinomial"),
}
_MAX_SMALL_ELEMENTS = 1024  # elements of a constant that shape inference may want to read


def fold(model: ModelProto, fixed: Fixed, name: str) -> Net:
    """The network without constant parts and without nodes that no output needs."""
    state = _State(opset_of(model))
    _read_initializers(state, model)
    for item in model.graph.input:
        if item.name in fixed.shapes:
            state.elements[item.name] = item.type.tensor_type.elem_type
            state.shapes[item.name] = fixed.shapes[item.name]
    for node in model.graph.node:
        _step(state, node)
    outputs = tuple(dict.fromkeys(item.name for item in model.graph.output))
    _check_outputs(state, outputs, fixed.shapes)
    return _prune(state, name, fixed, outputs)


@dataclass
class _State:
    """What is known so far."""

    opset: int
    constants: dict[str, np.ndarray] = field(default_factory=dict)
    shapes: dict[str, Shape] = field(default_factory=dict)
    elements: dict[str, int] = field(default_factory=dict)
    ops: list[Op] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    grids: dict[str, np.ndarray] = field(default_factory=dict)
    folded: int = 0  # bytes of the constants that were computed


def _read_initializers(state: _State, model: ModelProto) -> None:
    from onnx import numpy_helper

    for tensor in model.graph.initializer:
        try:
            array = numpy_helper.to_array(tensor)
        except Exception as error:  # damaged data raises whatever numpy raises
            raise ModelError(
                f"tensor {tensor.name!r} is damaged: its data does not fit its shape",
                why=[str(error)],
                hints=["export or copy the model again"],
            ) from None
        _set_constant(state, tensor.name, array, tensor.data_type)


def _set_constant(state: _State, name: str, array: np.ndarray, element: int) -> None:
    state.constants[name] = array
    state.shapes[name] = array.shape
    state.elements[name] = element


def _step(state: _State, node: NodeProto) -> None:
    """Fold ``node``, or keep it with the shapes of its outputs."""
    inferred = _infer(state, node)
    for name, kind in inferred.items():
        tensor = kind.tensor_type
        state.elements[name] = tensor.elem_type
        dims = tensor.shape.dim
        if tensor.HasField("shape") and all(dim.HasField("dim_value") for dim in dims):
            state.shapes[name] = _whole(state, node, tuple(dim.dim_value for dim in dims))
    if not _foldable(state, node):
        op = _decode(state, node)
        if not _fold_quantized(state, op):
            state.ops.append(op)
        return
    for name, array in zip(filter(None, node.output), _evaluate(state, node), strict=False):
        _set_constant(state, name, array, _element_of(array))
        state.folded += array.nbytes
    if node.op_type in grids.MOVES and node.input[0] in state.grids:
        state.grids[node.output[0]] = _moved_grid(state, node)


def _whole(state: _State, node: NodeProto, shape: Shape) -> Shape:
    """``shape``, unless sizes left the range of integers in the library's inference."""
    if min(shape, default=0) < 0:
        raise _misfit(state, node, ValueError(f"an output of shape {list(shape)}"))
    return shape


def _fold_quantized(state: _State, op: Op) -> bool:
    """Whether ``op`` was a QuantizeLinear or DequantizeLinear of a constant, and now is one."""
    if op.domain or op.type not in PAIR or op.first not in state.constants:
        return False
    net = _view(state)
    if not sound(net, op):
        return False
    array = grids.evaluate(net, op)
    if op.type == DEQUANTIZE and array.size and net.constants[op.first].itemsize == 1:
        state.grids[op.output] = grids.grid(net, op)
    _set_constant(state, op.output, array, _element_of(array))
    return True


def _moved_grid(state: _State, node: NodeProto) -> np.ndarray:
    """The grid of a constant whose elements ``node`` moves."""
    source = node.input[0]
    values = state.constants[source]
    state.constants[source] = state.grids[source]
    try:
        return np.asarray(_evaluate(state, node)[0])
    finally:
        state.constants[source] = values


def _element_of(array: np.ndarray) -> int:
    from onnx import helper

    return helper.np_dtype_to_tensor_dtype(array.dtype)


def _foldable(state: _State, node: NodeProto) -> bool:
    if node.domain not in ("", "ai.onnx") or node.op_type in _NEVER:
        return False
    if any(attribute.HasField("g") or attribute.graphs for attribute in node.attribute):
        return False
    if node.op_type in _OF_SHAPE:
        return all(name in state.shapes for name in node.input)
    return all(not name or name in state.constants for name in node.input)


def _infer(state: _State, node: NodeProto) -> dict[str, TypeProto]:
    """Types of the node's outputs; empty when an input's type or the operator is unknown."""
    import onnx
    from onnx import defs, shape_inference

    inputs = [name for name in node.input if name]
    domain = "" if node.domain == "ai.onnx" else node.domain
    known = all(name in state.shapes and state.elements.get(name) for name in inputs)
    if domain or not known or not defs.has(node.op_type, domain):
        return {}
    if node.op_type in PAIR:
        return _infer_quantized(state, node)
    if node.op_type == GROUP:  # whose schema says nothing of shapes
        return {node.output[0]: _types(state, node.input[:1])[node.input[0]]}
    try:
        _check_parts(state, node)
        schema = defs.get_schema(node.op_type, state.opset, domain)
        return shape_inference.infer_node_outputs(
            schema,
            node,
            _types(state, inputs),
            _small_data(state, inputs),
            opset_imports=[onnx.helper.make_opsetid("", state.opset)],
        )
    except Exception as error:  # inference errors, and unknown versions of an operator
        raise _misfit(state, node, error) from None


def _infer_quantized(state: _State, node: NodeProto) -> dict[str, TypeProto]:
    """Of a QuantizeLinear or DequantizeLinear. Not by its schema: the operator format has scales
    per channel in operator sets whose own pair has none."""
    from onnx import helper

    op = Op("", node.op_type, "", tuple(node.input), tuple(node.output), _attributes(node))
    real = op.type == DEQUANTIZE
    element = state.elements[op.input(1)] if real else element_of(_view(state), op)
    shape = state.shapes[op.first]
    return {op.output: helper.make_tensor_type_proto(element, shape)}


def _view(state: _State) -> Net:
    """What is known so far, for the constraints of quantized.py."""
    return Net("", state.opset, (), (), (), state.shapes, state.elements, state.constants)


def _check_parts(state: _State, node: NodeProto) -> None:
    """What ends the whole process in the library's inference, in some of its releases: a Split
    whose numbers of parts differ, a Slice backwards along an axis of size 0, weights with fewer
    axes than the image."""
    counts = [a.i for a in node.attribute if a.name == "num_outputs"]
    counts += [len(a.ints) for a in node.attribute if a.name == "split"]
    if node.op_type == "Split" and any(count != len(node.output) for count in counts):
        raise ValueError(f"{counts[0]} parts are {len(node.output)} outputs")
    steps = state.constants.get(node.input[4]) if len(node.input) > 4 else None
    empty = node.op_type == "Slice" and 0 in state.shapes[node.input[0]]
    if empty and steps is not None and np.any(steps < 0):
        raise ValueError("steps backwards through nothing")
    at = _WEIGHTS_AT.get(node.op_type, 0)
    if at:  # checked: a node of these has its weights
        image, weights = (len(state.shapes[node.input[index]]) for index in (0, at))
        if image != weights:
            raise ValueError(f"weights of {weights} axes do not fit an image of {image}")


def _types(state: _State, names: Sequence[str]) -> dict[str, TypeProto]:
    from onnx import helper

    return {
        name: helper.make_tensor_type_proto(state.elements[name], state.shapes[name])
        for name in names
    }


def _small_data(state: _State, names: Sequence[str]) -> dict[str, Any]:
    """Constants that may be shapes, axes or sizes; weights only matter by their shape."""
    from onnx import numpy_helper

    return {
        name: numpy_helper.from_array(np.asarray(state.constants[name], order="C"), name)
        for name in names
        if name in state.constants and state.constants[name].size <= _MAX_SMALL_ELEMENTS
    }


def _misfit(state: _State, node: NodeProto, error: Exception) -> ModelError:
    shapes = [f"{name} {list(state.shapes[name])}" for name in node.input if name in state.shapes]
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return ModelError(
        f"node {_label(node)!r} ({node.op_type}) does not fit its inputs",
        why=[*lines[:1], f"inputs: {', '.join(shapes)}"],
        hints=["check it with `python -m onnx.checker FILE`, and the shape given for the input"],
    )


def _evaluate(state: _State, node: NodeProto) -> Sequence[np.ndarray]:
    """The node's outputs, of those with a name, by the ONNX reference implementation."""
    if node.op_type == "Identity":
        return [state.constants[node.input[0]]]
    inputs = [state.shapes[name] for name in node.input if name]
    outputs = [state.shapes.get(name) for name in node.output if name]
    trouble = (
        "" if node.op_type in _OF_SHAPE else excess(node.op_type, inputs, outputs, state.folded)
    )
    if trouble:
        what = f"node {_label(node)!r} ({node.op_type}) makes too large a constant"
        raise ModelError(what, why=[trouble], hints=["export the model again with fixed shapes"])
    try:
        with np.errstate(all="ignore"):
            return [np.asarray(item) for item in _reference(state, node)]
    except Exception as error:  # a damaged constant expression raises whatever numpy raises
        raise _misfit(state, node, error) from None


def _reference(state: _State, node: NodeProto) -> Sequence[Any]:
    from onnx import helper
    from onnx.reference import ReferenceEvaluator

    names = list(dict.fromkeys(name for name in node.input if name))
    opset = [helper.make_opsetid("", state.opset)]
    outputs = [name for name in node.output if name]
    function = helper.make_function("fold", "fold", names, outputs, [node], opset)
    feeds = {name: _operand(state, name) for name in names}
    return list(ReferenceEvaluator(function).run(None, feeds, {}))


def _operand(state: _State, name: str) -> np.ndarray:
    """A constant, or for Shape and Size a stand-in that takes no memory."""
    if name in state.constants:
        return state.constants[name]
    return np.broadcast_to(np.float32(0), state.shapes[name])


def _label(node: NodeProto) -> str:
    return node.name or next((name for name in node.output if name), node.op_type)


def _decode(state: _State, node: NodeProto) -> Op:
    stem = _label(node)
    name, count = stem, 1
    while name in state.names:
        count += 1
        name = f"{stem}_{count}"
    state.names.add(name)
    return Op(
        name=name,
        type=node.op_type,
        domain="" if node.domain == "ai.onnx" else node.domain,
        inputs=tuple(node.input),
        outputs=tuple(node.output),
        attrs=_attributes(node),
        module=module_path({item.key: item.value for item in node.metadata_props}),
    )


def _attributes(node: NodeProto) -> dict[str, Any]:
    from onnx import helper

    return {a.name: _plain(helper.get_attribute_value(a)) for a in node.attribute}


def _plain(item: Any) -> Any:
    return item.decode(errors="replace") if isinstance(item, bytes) else item


def _check_outputs(state: _State, outputs: Sequence[str], inputs: Collection[str]) -> None:
    """Every output is computed from an input."""
    idle = [name for name in outputs if name in state.constants or name in inputs]
    if not outputs:
        raise ModelError("the model has no outputs", hints=["export the model again"])
    if idle:
        raise ModelError(
            f"output {idle[0]!r} is not computed from an input",
            why=["it is an input itself" if idle[0] in inputs else "it is a constant"],
            hints=["export the model again without this output"],
        )


def _prune(state: _State, name: str, fixed: Fixed, outputs: tuple[str, ...]) -> Net:
    needed = set(outputs)
    kept: list[Op] = []
    for op in reversed(state.ops):
        if needed & set(op.outputs):
            kept.append(op)
            needed.update(op.inputs)
    unused = [f"input {item}: unused, left out" for item in fixed.shapes if item not in needed]
    live = needed | {item for op in kept for item in op.outputs}
    return Net(
        name=name,
        opset=state.opset,
        ops=tuple(reversed(kept)),
        inputs=tuple(item for item in fixed.shapes if item in needed),
        outputs=outputs,
        shapes=_only(state.shapes, live),
        elements=_only(state.elements, live),
        constants=_only(state.constants, needed),
        grids=_only(state.grids, needed),
        notes=(*fixed.notes, *unused),
    )


def _only(table: Mapping[str, Any], names: set[str]) -> dict[str, Any]:
    return {name: item for name, item in table.items() if name in names}
