"""Tables 2.8 and 2.9 of paper 001 from the zoo, with the planner's figures beside them."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from deployer.bench.markdown import table
from deployer.frontend.onnx_import import import_model
from deployer.ir.graph import Graph
from deployer.restructure.tables import NETWORKS, Figure, Row
from deployer.zoo.build import draw, save

HEAD = (
    *("network", "paper", "Algorithm 3", "in windows", "ours, 0 %", "ours, 5 %"),
    *("streamed input, 0 %", "plain B", "smallest B", "search s"),
)


def zoo_graphs(names: Sequence[str] = NETWORKS) -> dict[str, Graph]:
    """The float graphs by name, at the resolution of the paper."""
    with tempfile.TemporaryDirectory() as folder:
        found = {}
        for name in names:
            path = Path(folder) / f"{name}.onnx"
            save(draw(name), path)
            found[name] = import_model(path)
            path.unlink()
        return found


def markdown(title: str, rows: Sequence[Row]) -> str:
    """Saving of activation memory and added MACs, both counted from shapes, in per cent; with the
    alpha and the slices of Algorithm 3."""
    return "\n".join([title, "", *table(HEAD, map(_cells, rows))]) + "\n"


def _cells(row: Row) -> list[str]:
    settings = (row.paper, row.algorithm3, row.windows)
    figures = (row.none_added, row.capped, row.streamed_input)
    sizes = [f"{row.plain:,}", f"{row.smallest:,}", f"{row.cpu_s:.1f}"]
    return [row.network, *map(_set, settings), *map(_cell, figures), *sizes]


def _cell(figure: Figure) -> str:
    return f"{figure.saving} for {figure.added}"


def _set(figure: Figure) -> str:
    if figure.setting is None:
        return _cell(figure)
    tall, wide = figure.setting.slices
    return f"{_cell(figure)} ({figure.setting.alpha}, {tall}h {wide}w)"
