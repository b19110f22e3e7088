"""Layers of a sweep through the user's CMSIS-NN, an image at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from deployer.board import Board, load_board, load_twin
from deployer.build import Library
from deployer.errors import UsageError
from deployer.ir import Graph
from deployer.tools.bench.cmsis_nn import link_app, measure_nodes
from deployer.tools.bench.cmsis_nn_jobs import supported
from deployer.tools.bench.sweep_nets import SweepNet
from deployer.tools.timing import Machine


@dataclass(frozen=True)
class SweepPeer:
    """``app`` calls the library on ``target``, the twin; what passes between runs lies in
    ``folder``."""

    app: Path
    target: Board
    machine: Machine
    folder: Path

    def cycles(self, net: SweepNet, graph: Graph) -> list[list[float | None]]:
        """Estimated, of each part of each layer of ``net``, whose integers are ``graph``'s; None
        where the library lacks it. Raises BenchError and MismatchError as ``measure_nodes``."""
        own = net.nodes_of(graph)
        names = [name for layer in own for name in layer]
        nodes = {node.name: node for node in graph.nodes}
        if not any(supported(graph, nodes[name]) for name in names):
            return [_by_part(net, layer, {}) for layer in own]
        found = measure_nodes(
            graph, names, self.app, board=self.target, machine=self.machine, work=self.folder
        )
        times = {name: time.cycles for name, time in found.times.items()}
        return [_by_part(net, layer, times) for layer in own]


def _by_part(
    net: SweepNet, names: tuple[str, ...], cycles: Mapping[str, float]
) -> list[float | None]:
    own: dict[int, tuple[str, ...]] = {}
    for name, part in zip(names, net.parts_of(names), strict=True):
        own[part] = (*own.get(part, ()), name)
    return [_sum(own[part], cycles) for part in sorted(own)]


def _sum(names: tuple[str, ...], cycles: Mapping[str, float]) -> float | None:
    if any(name not in cycles for name in names):
        return None
    return sum(cycles[name] for name in names)


def link_sweep_peer(
    library: Library, board: str, machine: Machine | None, board_dir: Path | None, folder: Path
) -> SweepPeer:
    """Linked in ``folder``. Raises UsageError for a board whose cycles nothing estimates."""
    if machine is None:
        raise UsageError(
            f"nothing estimates cycles of {board}", hints=["--against needs a board with [timing]"]
        )
    target = load_twin(load_board(board, board_dir), machine.runner, board_dir)
    return SweepPeer(link_app(library, target, folder), target, machine, folder)
