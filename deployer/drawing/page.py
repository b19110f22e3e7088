"""All pictures and the tables behind them as one HTML page that needs nothing else."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator, Sequence

from deployer.analysis import node_macs, node_weight_bytes, step_nodes
from deployer.drawing.arena import arena_svg
from deployer.drawing.memory import memory_svg
from deployer.drawing.network import alive_bytes, graph_svg, window_text
from deployer.drawing.scene import Scene
from deployer.drawing.svg import clean, tag
from deployer.ir import Graph, MemoryPlan, Placement, Schedule, shape_text
from deployer.units import format_bytes

_NUMBERS = {"#", "MACs", "share", "weights", "alive", "from", "to", "bytes", "address"}

_STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif;
  color: #1b222c; background: #ffffff; max-width: 1440px; margin: 0 auto; padding: 24px; }
h1 { font-size: 26px; margin: 0 0 4px; } h2 { font-size: 19px; margin: 36px 0 10px; }
p { margin: 4px 0; } .soft { color: #5a6675; }
figure { margin: 0; overflow-x: auto; border: 1px solid #d9dee5; border-radius: 8px; }
figure svg { display: block; }
.wrap { overflow-x: auto; }
table { border-collapse: collapse; font-size: 13.5px; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding: 0 0 8px; color: #5a6675; }
th, td { padding: 4px 12px; text-align: left; border-bottom: 1px solid #e3e7ec;
  white-space: nowrap; }
td.n, th.n { text-align: right; }
tr.peak td { background: #fdecea; }
@media (prefers-color-scheme: dark) {
  body { color: #e6ebf2; background: #12161c; } .soft, caption { color: #9aa7b6; }
  figure { border-color: #2b3440; } th, td { border-color: #262e39; }
  tr.peak td { background: #331d1f; }
}
"""


def page(scene: Scene) -> str:
    """The document, well-formed as XML too."""
    name = scene.graph.name if scene.graph else "memory plan"
    title = f"{name} on {scene.board.name}" if scene.board else name
    body = "\n".join(_fragment(item) for item in _sections(scene, title))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8"/>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>\n'
        f"{_fragment(tag('title', text=title))}\n<style>{_STYLE}</style>\n</head>\n"
        f"<body>\n{body}\n</body>\n</html>\n"
    )


def _fragment(item: ET.Element) -> str:
    return ET.tostring(item, encoding="unicode", short_empty_elements=False)


def _sections(scene: Scene, title: str) -> Iterator[ET.Element]:
    yield tag("h1", text=title)
    yield from (tag("p", text=clean(text), class_="soft") for text in _facts(scene))
    if scene.profile:
        yield tag("h2", text="Memory before and after planning")
        board = scene.board.name if scene.board else ""
        yield tag("figure", memory_svg(scene.profile, board))
    if scene.plan:
        yield tag("h2", text="Memory over time")
        yield tag("figure", arena_svg(scene.plan, scene.graph, scene.board))
    if scene.graph:
        yield tag("h2", text="Network")
        yield tag("figure", graph_svg(scene.graph, scene.schedule))
        yield tag("h2", text="Layers")
        yield _layers(scene.graph, scene.schedule)
    if scene.plan:
        yield tag("h2", text="Buffers")
        yield _buffers(scene.plan)


def _facts(scene: Scene) -> Iterator[str]:
    if scene.board:
        yield scene.board.description
    if scene.graph:
        yield from scene.graph.notes
    if scene.plan:
        heights = ", ".join(f"{name} {format_bytes(size)}" for name, size in scene.plan.heights)
        yield (
            f"Arena {format_bytes(scene.plan.arena)} ({heights}), {scene.plan.status}; "
            f"proven bound {format_bytes(scene.plan.bound)}."
        )


def _layers(graph: Graph, schedule: Schedule | None) -> ET.Element:
    nodes, alive = step_nodes(graph), alive_bytes(graph, schedule)
    total = sum(node_macs(graph, node) for node in nodes) or 1
    kernels = {step.node: step.kernel for step in schedule.steps} if schedule else {}
    rows = []
    for index, node in enumerate(nodes):
        macs, output = node_macs(graph, node), graph.values[node.output]
        row = [str(index), node.name, window_text(node), shape_text(output.shape[1:])]
        row += [f"{macs:,}", f"{macs / total:.1%}", f"{node_weight_bytes(graph, node):,}"]
        rows.append((*row, f"{alive[index]:,}", kernels.get(node.name, "")))
    header = ("#", "layer", "operator", "output", "MACs", "share", "weights", "alive", "kernel")
    peak = alive.index(max(alive)) if alive else None
    caption = "Bytes of weights and of all tensors alive; the peak is marked."
    return _table(caption, header, rows, peak)


def _buffers(plan: MemoryPlan) -> ET.Element:
    places = sorted(plan.placements, key=lambda p: (p.buffer.lower, p.memory, p.offset))
    rows = [_buffer_cells(place) for place in places]
    header = ("buffer", "from", "to", "bytes", "memory", "address")
    return _table("First and last step of use, and the place in the arena.", header, rows, None)


def _buffer_cells(place: Placement) -> tuple[str, ...]:
    buffer = place.buffer
    span = (str(buffer.lower), str(buffer.upper - 1))
    return (buffer.id, *span, f"{buffer.size:,}", place.memory, f"{place.offset:,}")


def _table(
    caption: str, header: Sequence[str], rows: Iterable[Sequence[str]], peak: int | None
) -> ET.Element:
    classes = ["n" if name in _NUMBERS else "l" for name in header]
    heads = [
        tag("th", text=name, class_=kind, scope="col")
        for name, kind in zip(header, classes, strict=True)
    ]
    lines = [
        tag(
            "tr",
            *(tag("td", text=cell, class_=kind) for cell, kind in zip(row, classes, strict=True)),
            **({"class_": "peak"} if index == peak else {}),
        )
        for index, row in enumerate(rows)
    ]
    body = (tag("caption", text=caption), tag("thead", tag("tr", *heads)), tag("tbody", *lines))
    return tag("div", tag("table", *body), class_="wrap")
