"""Every single edit of a rule leaves a valid graph that computes the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx_equal import compare

from deployer.frontend.check import check
from deployer.frontend.fix_dims import fix_dims
from deployer.frontend.fold import fold
from deployer.frontend.load import load
from deployer.frontend.lower import lower
from deployer.frontend.net import Net
from deployer.frontend.optimize import AT_INPUTS, RULES
from deployer.frontend.passes import edit
from deployer.frontend.passes.compose import flatten_axes
from deployer.frontend.passes.draft import Draft
from deployer.frontend.passes.sink import sink
from deployer.ir.verify import verify
from deployer.numerics import interpret
from exporters import paddle, tf2onnx, tflite, torch_dynamo, torch_legacy
from models import all_nets

BUILDERS: dict[str, Callable[[], onnx.ModelProto]] = {
    "paddle": paddle,
    "tf2onnx": tf2onnx,
    "tflite": tflite,
    "torch_dynamo": torch_dynamo,
    "torch_legacy": torch_legacy,
    **{name: (lambda model=model: model) for name, model in all_nets().items()},
}


def folded(model: onnx.ModelProto, folder: Path) -> Net:
    onnx.save(model, folder / "model.onnx")
    loaded = load(folder / "model.onnx")
    return check(fold(loaded.model, fix_dims(loaded.model, {}), "model"))


@pytest.mark.parametrize("name", BUILDERS)
def test_every_edit_keeps_what_the_network_computes(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = verify(lower(folded(BUILDERS[name](), tmp_path)))
    rng = np.random.default_rng(0)
    x = {n: rng.normal(size=graph.values[n].shape).astype(np.float32) for n in graph.inputs}
    expected = interpret.run(graph, x)
    plain, edits = edit.apply, []

    def checked(draft: Draft, change: edit.Edit) -> None:
        plain(draft, change)
        edits.append(change)
        found = interpret.run(verify(draft.graph()), x)
        for output, array in expected.items():
            size = max(float(np.abs(array).max()), 1e-3)
            np.testing.assert_allclose(found[output], array, rtol=1e-4, atol=1e-5 * size)

    monkeypatch.setattr(edit, "apply", checked)
    for rules in (RULES, (*RULES, sink), AT_INPUTS, (*RULES, flatten_axes)):
        graph = edit.rewrite(graph, rules)
    assert edits


@pytest.mark.parametrize("name", BUILDERS)
def test_the_lowered_graph_already_computes_the_model(name: str, tmp_path: Path) -> None:
    """Before any rule: what the rules keep is right."""
    net = folded(BUILDERS[name](), tmp_path)
    graph = lower(net)
    shapes = {f"model_shape/{n}": ",".join(map(str, net.shapes[n])) for n in net.inputs}
    compare(replace(graph, meta=shapes), (tmp_path / "model.onnx").read_bytes())
