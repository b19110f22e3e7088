"""A step whose activations have no room, on a board that fetches weights."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest

from deployer.pipeline.integer_network import outline
from deployer.pipeline.job import make_job
from deployer.pipeline.options import Options
from deployer.plan import fetchable
from deployer.plan.prefetch import scheduled
from deployer.plan.verdict import judge
from models import ModelBuilder


def test_it_is_refused_before_tiles_are_sought(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are not asked for, and take longest to find where tensors are largest."""
    s = ModelBuilder(1)
    x = s.conv(s.input(1, 4, 4, 40000), (8, 4, 3, 3), pads=[1, 1, 1, 1])
    onnx.save(s.model(s.relu(s.conv(x, (8, 8, 3, 3), pads=[1, 1, 1, 1]))), tmp_path / "wide.onnx")
    job = make_job(tmp_path / "wide.onnx", "gap8", options=Options())
    schedule = scheduled(outline(job), job.request)
    asked: list[object] = []
    monkeypatch.setattr(fetchable, "best_tiling", lambda *given: asked.append(given))
    refusal = judge(schedule, job.board).refusal
    assert refusal is not None
    assert "step" in refusal.why[0]
    assert not asked
