"""Graphs that finetune refuses before it begins."""

from __future__ import annotations

from dataclasses import replace

import pytest

from deployer.errors import ModelError
from deployer.ir.ops import OPS
from deployer.tools.train.finetune import check_operators
from unit.ir import nets


def test_an_operator_without_a_gradient_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = nets.mnist()
    check_operators(graph)
    monkeypatch.setitem(OPS, "Conv2d", replace(OPS["Conv2d"], trains=False))
    with pytest.raises(ModelError) as refused:
        check_operators(graph)
    assert any("Conv2d" in line for line in refused.value.why)
