"""Reference networks: the memory the planner must reach, by shapes."""

from __future__ import annotations

from pathlib import Path

import pytest

from deployer.frontend.onnx_import import import_model
from deployer.ir.graph import Graph
from deployer.restructure.cost import macs_only
from deployer.restructure.plan import Planner
from deployer.restructure.tables import NONE_ADDED_SHARE, as_int8
from deployer.tools.zoo.build import draw, save


def network(folder: Path, name: str, resolution: tuple[int, int] | None = None) -> Graph:
    path = folder / f"{name}.onnx"
    save(draw(name, resolution=resolution), path)
    return as_int8(import_model(path))


@pytest.mark.parametrize(
    ("name", "plain", "resident", "streamed"),
    [
        ("mobilenetv2", 1_505_280, 256_000, 180_000),
        ("resnet18", 1_003_520, 250_000, 220_000),
        ("squeezenet1.1", 982_144, 220_000, 220_000),
    ],
)
def test_no_product_is_added(
    tmp_path: Path, name: str, plain: int, resident: int, streamed: int
) -> None:
    graph = network(tmp_path, name)
    for limit, fetch in ((resident, False), (streamed, True)):
        planner = Planner(graph, macs_only, stream_input=fetch)
        assert planner.plain.arena == plain
        plan = planner.smallest(added=NONE_ADDED_SHARE)
        assert plan.arena <= limit
        assert plan.added_macs == 0
        assert plan.arena == plan.bound


@pytest.mark.parametrize(("side", "limit"), [(32, 30_000), (48, 55_000)])
def test_a_decoder_shrinks_too(tmp_path: Path, side: int, limit: int) -> None:
    graph = network(tmp_path, "upydnet", (side, side))
    assert Planner(graph, macs_only).smallest(added=NONE_ADDED_SHARE).arena <= limit
