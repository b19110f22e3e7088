"""An ONNX file to the float graph: NHWC, batch 1, activations fused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from deployer.choices import SoftmaxOn
from deployer.errors import ModelError, UsageError
from deployer.frontend.binary import in_pairs
from deployer.frontend.chains import collapse_chains
from deployer.frontend.check import check, finite
from deployer.frontend.cut import cut as end_at
from deployer.frontend.final_choice import leave_choice
from deployer.frontend.fix_dims import fix_dims
from deployer.frontend.focus import join_blocks
from deployer.frontend.fold import fold
from deployer.frontend.joined_axes import join_axes
from deployer.frontend.limits import MAX_AXES
from deployer.frontend.load import load
from deployer.frontend.lower import lower
from deployer.frontend.many_axes import without_many_axes
from deployer.frontend.net import Net
from deployer.frontend.norms import join_norms
from deployer.frontend.one_variable import in_one_variable
from deployer.frontend.operators import OPERATORS
from deployer.frontend.optimize import optimize
from deployer.frontend.passes.sink import moved
from deployer.frontend.qoperator import expand
from deployer.frontend.quantized import UINT8
from deployer.frontend.rows import restore_batch
from deployer.frontend.sequences import batch_in_front
from deployer.frontend.state import state
from deployer.ir import Graph, verify


def import_model(
    path: Path,
    *,
    input_shapes: Mapping[str, tuple[int, ...]] | None = None,
    softmax: SoftmaxOn = SoftmaxOn.HOST,
    cut: Sequence[str] = (),
) -> Graph:
    """The float graph of the model at ``path``.

    ``input_shapes`` are in the model's own layout. ``softmax``: the host's leaves a final one
    out, the device's keeps it. ``cut`` names nodes or tensors that become outputs; what lies behind
    them is dropped. Raises ModelError for a file that cannot be read or deployed, and UsageError
    for input shapes or names that contradict it.
    """
    if softmax not in tuple(SoftmaxOn):
        raise UsageError(f"softmax is {softmax!r}", hints=[f"one of {', '.join(SoftmaxOn)}"])
    loaded = load(path)
    end_at(loaded.model, cut)
    expand(loaded.model)
    fixed = fix_dims(loaded.model, input_shapes or {})
    facts = {**loaded.hashes, "opset": str(loaded.opset)}
    net = check(_simpler(fold(loaded.model, fixed, path.stem)))
    del loaded  # as large as the weights
    graph, on_host, layouts = optimize(lower(net), softmax_on_host=softmax == SoftmaxOn.HOST)
    meta = {
        **facts,
        "model_file": path.name,
        "softmax_on_host": str(on_host).lower(),
        "parameters": str(count_parameters(net)),
        **_shapes(net),
        **_types(net),
        **{f"model_layout/{name}": layout for name, layout in layouts.items()},
    }
    graph = replace(graph, notes=_notes(net, graph, on_host), meta=meta)
    return verify(_in_range(_few_axes(graph)))


def _simpler(net: Net) -> Net:
    """``net`` without what exporters write around what the device has."""
    few = join_axes(without_many_axes(net))
    whole = join_norms(batch_in_front(leave_choice(few)))
    return state(collapse_chains(in_pairs(restore_batch(join_blocks(in_one_variable(whole))))))


def count_parameters(net: Net) -> int:
    """Trained numbers of the model as it was given, batch norm not yet folded."""
    names = {name for op in net.ops if OPERATORS[op.type].parameters for name in op.inputs}
    return sum(net.constants[name].size for name in names if name in net.constants)


def _shapes(net: Net) -> dict[str, str]:
    """ONNX shapes of the inputs, and of the outputs that are images."""
    images = [name for name in net.outputs if len(net.shapes[name]) == 4]
    names = dict.fromkeys((*net.inputs, *images))
    return {f"model_shape/{name}": ",".join(map(str, net.shapes[name])) for name in names}


def _types(net: Net) -> dict[str, str]:
    """Integer types of the inputs that are not real numbers in the model."""
    integers = [name for name in net.inputs if name in net.quants]
    return {
        f"model_type/{name}": "uint8" if net.elements[name] == UINT8 else "int8"
        for name in integers
    }


def _notes(net: Net, graph: Graph, on_host: bool) -> tuple[str, ...]:
    notes = list(graph.notes)
    widths = {array.dtype.name for array in net.constants.values()}
    if widths & {"float16", "float64", "bfloat16"}:
        notes.append("numbers of other widths are read as float32")
    if on_host:
        notes.append("the final softmax is left to the host (--softmax device keeps it)")
    left = [node for node in graph.nodes if node.op == "Transpose"]
    if left:
        names = ", ".join(node.name for node in left)
        notes.append(
            f"transposes that remain: {len(left)}, moving {moved(graph):,} elements ({names})"
        )
    return tuple(notes)


def _few_axes(graph: Graph) -> Graph:
    """Raises ModelError for what is left with more axes than any kernel takes."""
    many = [
        node
        for node in graph.nodes
        if node.op != "Reshape"
        and max(map(len, graph.shapes((*graph.activations(node), node.output)))) > MAX_AXES
    ]
    if many:
        raise ModelError(
            f"{graph.name}: {len(many)} nodes have more than {MAX_AXES} axes",
            why=[f"{n.op} {n.name!r}: {list(graph.values[n.output].shape)}" for n in many],
            hints=["join axes with Reshape before computing on them"],
        )
    return graph


def _in_range(graph: Graph) -> Graph:
    """Raises ModelError when folding took a weight out of the range of float32."""
    bad = [name for name, array in graph.constants.items() if not finite(array)]
    if bad:
        raise ModelError(
            f"{graph.name}: weights leave the range of float32 when constants are folded",
            why=[f"tensor {name!r}" for name in bad],
            hints=["look for scales, variances or divisors near zero"],
        )
    return graph
