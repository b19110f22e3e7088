"""Which kernels start-up copies into a memory for code, where ``--hot-code`` names one.

Whole files of the kernel library, those that do the most work together in the room there is. Their
sizes are known once they are compiled, so the choice is made just before the image is linked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from deployer.allocate import Item, choose
from deployer.analysis import node_macs
from deployer.board import Board
from deployer.build import CodeSize, code_size, functions_in
from deployer.bundle_facts import CodeFacts
from deployer.codegen import kernel_sources, kernels_in_groups
from deployer.ir import Graph, Node, Schedule
from deployer.kernelset import by_symbol
from deployer.resources import data_root
from deployer.schedule import channel_layouts

SECTION = ".dpl_itcm"
ITCM_FILE = "hot.ld"  # the linker finds it beside the objects and reads it within .dpl_itcm
KEPT_BYTES = 288  # the most that begin and end of the section take (boards/link/cortex-m.ld.j2)
CALL_BYTES = 16  # the most a jump takes by which the linker reaches far code


def choose_itcm(schedule: Schedule, sizes: Mapping[str, CodeSize], room: int) -> tuple[str, ...]:
    """Kernel files, relative to the data root, whose code with the jumps out of it takes ``room``
    bytes at the most. Exact: no other choice does more work."""
    work, names = work_by_source(schedule), sorted(sizes)
    items = [Item(sizes[name].bytes + CALL_BYTES * sizes[name].calls, work[name]) for name in names]
    return tuple(names[index] for index in choose(items, room))


def work_by_source(schedule: Schedule) -> Counter[str]:
    """MACs and elements written of an inference, by the kernel file that does them. What runs
    regions does none itself and counts 1: it comes where room is left."""
    graph = schedule.graph
    work = Counter(dict.fromkeys(kernel_sources(schedule), 1))
    instead = {
        layout.scope.graph.producer[layout.summed].name: kernels_in_groups(layout)
        for layout in channel_layouts(graph)
        if layout.summed
    }
    nodes = {node.name: node for node in graph.nodes}
    for step in schedule.steps:
        for symbol in instead.get(step.node, (step.kernel,) if step.kernel else ()):
            work[by_symbol(symbol).source] += _work(graph, nodes[step.node])
    return work


def write_itcm_placement(
    schedule: Schedule, target: Board, objects: Mapping[Path, Path], work: Path
) -> None:
    """Write the part of the linker script that names the objects to copy. ``objects``: of every
    source."""
    root, prefix = data_root(), target.toolchain.prefix
    found = {name: objects[root / name] for name in kernel_sources(schedule)}
    sizes = {name: code_size(prefix, path) for name, path in found.items()}
    room = target.memory(target.place.hot).size - KEPT_BYTES
    lines = [f"*/{found[name].name}(.text .text.*)" for name in choose_itcm(schedule, sizes, room)]
    (work / ITCM_FILE).write_text("".join(f"{line}\n" for line in lines))


def _work(graph: Graph, node: Node) -> int:
    return node_macs(graph, node) + graph.values[node.output].elements


def itcm_facts(target: Board, image: Path, size: int) -> CodeFacts | None:
    """Memory, bytes and functions of the code that start-up copies, None when it copies none."""
    if not size:
        return None
    functions = functions_in(target.toolchain.prefix, image, SECTION)
    return {"memory": target.place.hot, "bytes": size, "functions": list(functions)}
