"""Which kernel computes a layer: the one that costs least on the board, while its weights fit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from deployer.ir import OPS, Graph, Node
from deployer.kernelset import FALLBACK, Kernel, by_symbol, candidates, case_of, select
from deployer.restructure.cost import CostModel, whole_cost

WORTH_SHARE = 0.12  # of a layer: twice what the table is off by, rms
# What a portable kernel must save over a tuned one, in the model's unit: what a call costs is all
# that tells them apart in layers as small, and it is the table's least certain part.
WORTH_OF_PORTABLE = 1000.0
# And of the tuned one's cost: how a library copies, and from which addresses, is in no term.
SHARE_OF_PORTABLE = 0.3


@dataclass(frozen=True)
class Option:
    """A kernel for a node: its cost whole, in the model's unit, and bytes of constants."""

    node: str
    kernel: str
    cost: float
    bytes: int


@dataclass(frozen=True)
class Prices:
    """``model``: cost of a node with the kernel it names; ``known``: kernels it tells apart;
    ``constant``: cost of a byte of constants, read once; ``stored``: bytes of a node's constants
    with a kernel; ``room``: bytes that all nodes together may take beyond their first kernels'."""

    model: CostModel
    known: Callable[[str], bool]
    constant: float
    stored: Callable[[Graph, Node, Kernel], int]
    room: int


def choose(graph: Graph, families: Sequence[str], prices: Prices) -> Graph:
    """``graph`` with the kernel that costs least named in every node that the first one is not
    best for. Where flash is short the bytes go to those that gain most with each."""
    found: dict[str, Option] = {}
    room = prices.room
    for gain, more, option in sorted(_gains(graph, families, prices), key=_by_worth):
        if option.node not in found and more <= room and gain > 0:
            found[option.node] = option
            room -= max(more, 0)
    return with_kernels(graph, found)


def with_kernels(graph: Graph, options: Mapping[str, Option]) -> Graph:
    """Nodes named in ``options`` by those kernels, all others by their first."""
    nodes = (
        replace(node, kernel=options[node.name].kernel, stored=options[node.name].bytes)
        if node.name in options
        else replace(node, kernel="", stored=0)
        for node in graph.nodes
    )
    return replace(graph, nodes=tuple(nodes))


def _by_worth(entry: tuple[float, int, Option]) -> tuple[bool, float]:
    """Those that take no more bytes first, the rest by what a byte gains."""
    gain, more, _ = entry
    return more > 0, -gain / max(more, 1)


def _gains(
    graph: Graph, families: Sequence[str], prices: Prices
) -> Iterator[tuple[float, int, Option]]:
    """Of every kernel worth it: gain, bytes more, and what it is."""
    for node in graph.nodes:
        if OPS[node.op].alias:
            continue
        first, *others = options_of(graph, node, families, prices)
        best = min(_worthy(first, others), key=lambda option: option.cost, default=first)
        if best.cost < (1 - WORTH_SHARE) * first.cost:
            yield first.cost - best.cost, best.bytes - first.bytes, best


def _worthy(first: Option, others: Sequence[Option]) -> Sequence[Option]:
    """Without portable kernels that would save next to nothing over a tuned one."""
    if _portable(first.kernel):
        return others
    least = first.cost - max(WORTH_OF_PORTABLE, SHARE_OF_PORTABLE * first.cost)
    return [one for one in others if one.cost < least or not _portable(one.kernel)]


@cache
def _portable(symbol: str) -> bool:
    return by_symbol(symbol).family == FALLBACK


def options_of(
    graph: Graph, node: Node, families: Sequence[str], prices: Prices
) -> tuple[Option, ...]:
    """The first kernel, as ``select`` gives it, then the others the model knows."""
    node = replace(node, kernel="")
    first = select(families, graph, node)
    case = case_of(graph, node)
    others = [
        kernel
        for kernel in candidates(families, case)
        if kernel.symbol != first.symbol and prices.known(kernel.symbol)
    ]
    if first.formula_decides or not prices.known(first.symbol):
        others = []
    return tuple(_option(graph, node, kernel, prices) for kernel in (first, *others))


def _option(graph: Graph, node: Node, kernel: Kernel, prices: Prices) -> Option:
    named = replace(node, kernel=kernel.symbol)
    size = prices.stored(graph, named, kernel)
    cost = whole_cost(graph, named, prices.model(graph, named)) + prices.constant * size
    return Option(node.name, kernel.symbol, cost, size)
