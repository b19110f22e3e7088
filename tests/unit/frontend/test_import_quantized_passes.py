"""Every single edit keeps what a quantized network computes, its rounding included."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx_equal import imported

from deployer.frontend.check import check
from deployer.frontend.fix_dims import fix_dims
from deployer.frontend.fold import fold
from deployer.frontend.load import load
from deployer.frontend.lower import lower
from deployer.frontend.optimize import AT_INPUTS, RULES
from deployer.frontend.passes import edit
from deployer.frontend.passes.compose import flatten_axes
from deployer.frontend.passes.draft import Draft
from deployer.frontend.passes.settle import LAST
from deployer.frontend.passes.sink import sink
from deployer.frontend.state import state
from deployer.ir.graph import Graph
from deployer.ir.verify import verify
from deployer.numerics import interpret
from qdq import QdqBuilder, brevitas_net, expected, save, small_conv_net


def turned_net() -> onnx.ModelProto:
    """As tf2onnx writes them: transposes, a border, ReLU6, MatMul and Add."""
    s = QdqBuilder(31)
    x = s.node("Transpose", s.input(1, 7, 7, 3), perm=[0, 3, 1, 2])
    x = s.pair(x, 0.0311, 5)
    x = s.pair(s.node("Pad", x, s.constant(np.int64([0, 0, 0, 0, 0, 0, 1, 1]))), 0.0311, 5)
    x = s.pair(s.relu6(s.qconv(x, (4, 3, 3, 3), 0.0311, strides=[2, 2])), 0.0193, -128)
    x = s.pair(s.node("Transpose", x, perm=[0, 2, 3, 1]), 0.0193, -128)
    x = s.node("Transpose", x, perm=[0, 3, 1, 2])
    x = s.pair(s.node("Reshape", x, s.constant(np.int64([1, -1]))), 0.0193, -128)
    held = s.node("Transpose", s.stored(s.steps(5, 36), 0.004), perm=[1, 0])
    x = s.node("Add", s.node("MatMul", x, held), s.biased(5, 0.0193 * 0.004))
    return s.model(s.pair(s.node("Softmax", s.pair(x, 0.0711, 3)), 1 / 256, -128))


def joined_net() -> onnx.ModelProto:
    """A swish rounded inside, batch norm, pools of the same and of another scale, a Concat."""
    s = QdqBuilder(32)
    x = s.pair(s.input(1, 3, 8, 8), 0.0311)
    x = s.pair(s.batch_norm(s.qconv(x, (4, 3, 3, 3), 0.0311), 4), 0.0389, -9)
    y = s.pair(s.node("Mul", x, s.pair(s.node("Sigmoid", x), 1 / 256, -128)), 0.0193, -100)
    z = s.node("MaxPool", y, kernel_shape=[2, 2], strides=[2, 2])
    w = s.pair(s.node("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2]), 0.0517, 1)
    x = s.pair(s.node("Concat", z, w, axis=1), 0.0517, 1)
    return s.model(s.pair(s.qconv(s.relu(x), (3, 8, 1, 1), 0.0517), 0.0711))


NETS: dict[str, Callable[[], onnx.ModelProto]] = {
    "brevitas": lambda: brevitas_net(lambda n: 0.9 * 2.0**-n),
    "joined": joined_net,
    "small": small_conv_net,
    "turned": turned_net,
}


def lowered(model: onnx.ModelProto, folder: Path) -> Graph:
    loaded = load(save(model, folder)).model
    return verify(lower(check(state(fold(loaded, fix_dims(loaded, {}), "model")))))


def near(found: np.ndarray, wanted: np.ndarray, step: float) -> bool:
    """All within a step, nearly all the same: sums in another order fall across a tie."""
    off = np.abs(found - wanted) / step
    return bool(off.max() < 1.01 and (off < 0.5).mean() > 0.97)


@pytest.mark.parametrize("name", NETS)
def test_every_edit_keeps_what_a_quantized_network_computes(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = lowered(NETS[name](), tmp_path)
    rng = np.random.default_rng(0)
    feeds = {n: rng.normal(size=(4, *graph.values[n].shape[1:])) for n in graph.inputs}
    x = {n: array.astype(np.float32) for n, array in feeds.items()}
    (output,) = graph.outputs
    wanted = interpret.run(graph, x)[output]
    step = float(np.diff(np.unique(wanted)).min())
    plain, edits = edit.apply, []

    def checked(draft: Draft, change: edit.Edit) -> None:
        plain(draft, change)
        edits.append(change)
        assert near(interpret.run(verify(draft.graph()), x)[output], wanted, step)

    monkeypatch.setattr(edit, "apply", checked)
    for rules in (RULES, (*RULES, sink), AT_INPUTS, (*RULES, flatten_axes), LAST):
        graph = edit.rewrite(graph, rules)
    assert edits


@pytest.mark.parametrize("name", NETS)
def test_what_is_left_is_needed(name: str, tmp_path: Path) -> None:
    """No transposes; a Rescale only where scales differ, or a clamp has no layer to join."""
    left = Counter(node.op for node in imported(NETS[name](), tmp_path).nodes)
    assert left["Transpose"] == 0
    assert left["Rescale"] == {"brevitas": 1, "joined": 2}.get(name, 0)


@pytest.mark.parametrize("name", NETS)
def test_the_lowered_graph_already_computes_the_quantized_model(name: str, tmp_path: Path) -> None:
    model = NETS[name]()
    graph = lowered(model, tmp_path)
    (source,), (output,) = graph.inputs, graph.outputs
    shape = tuple(d.dim_value for d in model.graph.input[0].type.tensor_type.shape.dim)
    x = np.random.default_rng(1).normal(size=(8, *shape[1:])).astype(np.float32)
    stored = x.transpose(0, 2, 3, 1) if len(shape) == 4 else x
    wanted = expected(model, {source: x})[output]
    found = interpret.run(graph, {source: stored})[output].reshape(wanted.shape)
    assert near(found, wanted, float(np.diff(np.unique(wanted)).min()))
