"""Tables in Markdown, and the cell that tells what a launch computes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from deployer.analysis import Launch
from deployer.codegen import shape_text
from deployer.ir import Graph, Node


def markdown_table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    """The lines of a table: column names, rule, rows of cells."""
    names = list(head)
    return [_line(names), _line("---" for _ in names), *map(_line, rows)]


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def geometry(graph: Graph, launch: Launch) -> str:
    """``32x32x3 -> 32x32x16, 3x3, stride 2``; of a region, its first input and its grid."""
    nodes = {node.name: node for node in graph.nodes}
    first = nodes[launch.steps[0].node]
    shapes = dict.fromkeys(map(shape_text, graph.shapes(graph.activations(first))))
    text = f"{', '.join(shapes)} -> {shape_text(graph.values[launch.output].shape)}"
    return text if launch.region else ", ".join([text, *_window(first)])


def _window(node: Node) -> Iterator[str]:
    window = getattr(node.attrs, "window", None)
    if window is None:
        return
    yield _pair(window.kernel, always=True)
    for name in ("stride", "dilation"):
        if (extents := getattr(window, name)) != (1, 1):
            yield f"{name} {_pair(extents)}"


def _pair(extents: tuple[int, int], *, always: bool = False) -> str:
    """``2`` for two equal extents, unless both are to be said."""
    if extents[0] == extents[1] and not always:
        return str(extents[0])
    return f"{extents[0]}x{extents[1]}"
