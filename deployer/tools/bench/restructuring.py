"""Tables 2.8 and 2.9 of paper 001 from the zoo, with the planner's figures beside them."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from deployer.frontend import import_model
from deployer.ir import Graph
from deployer.restructure import NETWORKS, Figure, Row, tables
from deployer.tools.bench.markdown import markdown_table
from deployer.tools.zoo import draw, save

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


def restructuring_markdown(graphs: Mapping[str, Graph]) -> str:
    """Both tables: saving of activation memory and added MACs, counted from shapes, in per cent;
    with the alpha and the slices of Algorithm 3. Seconds are CPU time of the planner's search."""
    first, second = tables(graphs)
    parts = (("2.8: 2 by 2 slices.", first), ("2.9: the best slices.", second))
    return "\n".join(f"Table {title}\n\n{_rows(rows)}" for title, rows in parts)


def _rows(rows: Sequence[Row]) -> str:
    return "\n".join(markdown_table(HEAD, map(_cells, rows))) + "\n"


def _cells(row: Row) -> list[str]:
    ours, settings = row.ours, (row.paper, row.algorithm3, row.windows)
    figures = (ours.none_added, ours.capped, ours.streamed_input)
    sizes = [f"{ours.plain:,}", f"{ours.smallest:,}", f"{ours.cpu_s:.1f}"]
    return [row.network, *map(_set, settings), *map(_cell, figures), *sizes]


def _cell(figure: Figure) -> str:
    return f"{figure.saving} for {figure.added}"


def _set(figure: Figure) -> str:
    if figure.setting is None:
        return _cell(figure)
    tall, wide = figure.setting.slices
    return f"{_cell(figure)} ({figure.setting.alpha}, {tall}h {wide}w)"
