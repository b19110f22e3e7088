"""Kernels by the flash that their constants take: a budget for them, or the least."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from deployer.analysis import step_nodes
from deployer.errors import LimitError
from deployer.ir import Graph, Node
from deployer.kernelset import Kernel, candidates, case_of, select, weight_bytes
from deployer.schedule import needs_no_kernel, step_arrays
from deployer.units import format_bytes

Cost = Callable[[Graph, Node], float]


@dataclass(frozen=True)
class Cut:
    """``kernel`` for ``node`` instead of ``instead_of``, which takes so many ``bytes`` more and so
    many ``cycles`` less (estimated)."""

    node: str
    kernel: str
    instead_of: str
    bytes: int
    cycles: float


def constant_bytes(graph: Graph, families: Sequence[str]) -> int:
    """Flash that the constants of ``graph`` take with the kernels of its nodes."""
    found: dict[str, int] = {}
    for node in _with_kernels(graph):
        layout = select(families, graph, node).weight_layout
        found.update((key, array.nbytes) for key, array in step_arrays(graph, node, layout))
    return sum(found.values())


def with_least_constants(graph: Graph, families: Sequence[str]) -> Graph:
    """Every node with a kernel of its first one's family that takes the fewest bytes of constants;
    of several such kernels those that serve most nodes, since each is code."""
    least = {node.name: _least(graph, node, families) for node in _with_kernels(graph)}
    served = Counter(kernel.symbol for able in least.values() for kernel in able)
    best = {name: max(able, key=lambda k: served[k.symbol]) for name, able in least.items()}
    return replaced(graph, best, families)


def within(graph: Graph, families: Sequence[str], flash: int, cost: Cost) -> Graph:
    """``graph`` with constants of at most ``flash`` bytes, or as few as there can be: where a byte
    gains least, kernels of fewer bytes take the place of its own."""
    excess = constant_bytes(graph, families) - flash
    taken: list[Cut] = []
    for cut in cuts(graph, families, cost):
        if excess <= 0:
            break
        taken.append(cut)
        excess -= cut.bytes
    return with_cuts(graph, _needed(taken, -excess), families)


def cuts(graph: Graph, families: Sequence[str], cost: Cost) -> list[Cut]:
    """All of them, those that lose fewest cycles a byte first; of one node each follows the one it
    goes on from."""
    found = (cut for node in _with_kernels(graph) for cut in _cuts(graph, node, families, cost))
    return sorted(found, key=lambda cut: cut.cycles / cut.bytes)


def with_cuts(graph: Graph, taken: Iterable[Cut], families: Sequence[str]) -> Graph:
    """``graph`` with the last kernel that ``taken`` names for each node."""
    symbols = {cut.node: cut.kernel for cut in taken}
    kernels = {
        node.name: next(k for k in _able(graph, node, families) if k.symbol == symbols[node.name])
        for node in graph.nodes
        if node.name in symbols
    }
    return replaced(graph, kernels, families)


def require_flash(graph: Graph, families: Sequence[str], flash: int) -> Graph:
    """``graph``; raises LimitError where its constants take more than ``flash`` bytes."""
    size = constant_bytes(graph, families)
    if size <= flash:
        return graph
    least = constant_bytes(with_least_constants(graph, families), families)
    raise LimitError(
        f"the constants of {graph.name} do not fit {format_bytes(flash)}",
        why=[
            f"this plan needs {format_bytes(size)}",
            f"kernels of this family need {format_bytes(least)} at the least",
        ],
        hints=[
            f"--flash {-(-max(size, least) // 1024)}KiB",
            "fewer channels in the largest layers: weights shrink with the square",
        ],
    )


def replaced(graph: Graph, kernels: dict[str, Kernel], families: Sequence[str]) -> Graph:
    """``graph`` with ``kernels`` by the names of nodes; those that nodes have anyway not named."""

    def node_with(node: Node, kernel: Kernel) -> Node:
        plain = replace(node, kernel="", stored=0)
        if select(families, graph, plain).symbol == kernel.symbol:
            return plain
        weights = graph.constants.get(node.inputs[1]) if len(node.inputs) > 1 else None
        if weights is None or not kernel.weight_layout:
            return replace(plain, kernel=kernel.symbol)
        case = case_of(graph, node)
        stored = weight_bytes(kernel, weights, case)
        return replace(plain, kernel=kernel.symbol, stored=stored)

    nodes = (node_with(n, kernels[n.name]) if n.name in kernels else n for n in graph.nodes)
    return replace(graph, nodes=tuple(nodes))


def _with_kernels(graph: Graph) -> list[Node]:
    return [node for node in step_nodes(graph) if not needs_no_kernel(graph, node)]


def _able(graph: Graph, node: Node, families: Sequence[str]) -> Iterator[Kernel]:
    """The node's own kernel, then the others of the family that its first one is of, but those
    that are slower: neither these nor the portable ones are a way to save flash, since they cost
    several times the cycles for a tenth of it."""
    own, case = select(families, graph, node), case_of(graph, node)
    first = select(families, graph, replace(node, kernel=""))
    yield own
    for kernel in candidates(families, case):
        other = kernel.symbol != own.symbol and not kernel.yields(case)
        if kernel.family == first.family and other:
            yield kernel


def _bytes(graph: Graph, node: Node, kernel: Kernel) -> int:
    return sum(array.nbytes for _, array in step_arrays(graph, node, kernel.weight_layout))


def _least(graph: Graph, node: Node, families: Sequence[str]) -> list[Kernel]:
    sizes = {
        kernel.symbol: (kernel, _bytes(graph, node, kernel))
        for kernel in _able(graph, replace(node, kernel=""), families)
    }
    fewest = min(size for _, size in sizes.values())
    return [kernel for kernel, size in sizes.values() if size == fewest]


def _cuts(graph: Graph, node: Node, families: Sequence[str], cost: Cost) -> Iterator[Cut]:
    """Down the lower hull of bytes and cycles, from the node's own kernel."""
    own, *others = (
        (_bytes(graph, node, kernel), cost(graph, replace(node, kernel=kernel.symbol)), kernel)
        for kernel in _able(graph, node, families)
    )
    while smaller := [option for option in others if option[0] < own[0]]:
        size, cycles, kernel = min(
            smaller, key=lambda option: (option[1] - own[1]) / (own[0] - option[0])
        )
        slower = max(cycles - own[1], 0.0)
        yield Cut(node.name, kernel.symbol, own[2].symbol, own[0] - size, slower)
        own = size, cycles, kernel


def _needed(taken: Sequence[Cut], spare: int) -> list[Cut]:
    """``taken`` without those that ``spare`` bytes undo, the dearest first; one that another of its
    node goes on from stays."""
    kept = list(taken)
    for cut in sorted(taken, key=lambda cut: -cut.cycles):
        last = [other for other in kept if other.node == cut.node][-1]
        if cut is last and cut.bytes <= spare:
            kept.remove(cut)
            spare -= cut.bytes
    return kept
