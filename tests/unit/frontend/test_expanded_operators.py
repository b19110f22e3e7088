"""What the operator format is written as keeps where each node came from."""

from __future__ import annotations

import numpy as np

from deployer.frontend.qoperator import expand
from models import ModelBuilder


def test_nodes_keep_the_module_of_the_one_they_stand_for() -> None:
    s = ModelBuilder(1)
    x = s.input(1, 4)
    scale, zero = s.constant(np.float32(0.5)), s.constant(np.int8(3))
    y = s.node("QLinearAdd", x, scale, zero, x, scale, zero, scale, zero)
    s.node("Relu", y, output="output")
    model = s.model("output", checked=False)
    added, relu = model.graph.node
    added.domain = "com.microsoft"
    entry = added.metadata_props.add()
    entry.key, entry.value = "pkg.torch.onnx.name_scopes", "['', 'block.add']"
    expand(model)
    *written, last = model.graph.node
    assert last == relu
    assert [node.op_type for node in written].count("Add") == 1
    assert all(list(node.metadata_props) == [entry] for node in written)
    assert len({node.name for node in written}) == len(written) > 1
