"""Instructions per term from counted launches, by least squares of relative errors."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from deployer.analysis import layout_of
from deployer.ir import Graph, Node
from deployer.kernelset import by_symbol
from deployer.restructure import channels_of, depths_of, of_kernel, terms_of, whole
from deployer.tools.bench.cost_runs import Counted

Box = tuple[int, int]  # rows, columns
Term = tuple[str, str]  # kernel symbol or REGION, name of the term
REGION = "region"
_LARGEST = 1e-10  # of the columns' norm, below which two terms are one


@dataclass(frozen=True)
class KernelError:
    """Relative errors of the launches of one kernel."""

    kernel: str
    launches: int
    rms: float
    worst: float


@dataclass(frozen=True)
class Fit:
    """``weights``: instructions of one core for each of a kernel's terms; ``cpi``: cycles an
    instruction of each kernel, where the launches have any."""

    weights: Mapping[str, Mapping[str, float]]
    launches: int
    rms: float
    worst: float
    kernels: tuple[KernelError, ...]
    cpi: Mapping[str, float] = field(default_factory=dict)


def fit(counted: Sequence[Counted], cores: int) -> Fit:
    """No term costs less than nothing; terms that explain nothing are left out."""
    rows = [counts_of(one, cores) for one in counted]
    terms = sorted({term for row in rows for term, count in row.items() if count})
    took = np.array([one.count for one in counted], float)
    matrix = np.array([[row.get(term, 0.0) for term in terms] for row in rows]) / took[:, None]
    found = non_negative(matrix, np.ones(len(rows)))
    errors = matrix @ found - 1
    weights: dict[str, dict[str, float]] = defaultdict(dict)
    for (kernel, name), value in zip(terms, found, strict=True):
        if value > 0:
            weights[kernel][name] = float(value)
    kernels = tuple(_by_kernel(counted, errors))
    return Fit(weights, len(rows), *_size(errors), kernels, _cpi(counted))


def _cpi(counted: Sequence[Counted]) -> dict[str, float]:
    """Of launches that are one kernel's alone."""
    spent: dict[str, list[Counted]] = defaultdict(list)
    for one in counted:
        if one.cycles and one.launch.region is None:
            spent[one.launch.steps[0].kernel].append(one)
    return {
        kernel: sum(one.cycles for one in ones) / sum(one.count for one in ones)
        for kernel, ones in sorted(spent.items())
    }


def counts_of(one: Counted, cores: int) -> dict[Term, float]:
    """How often all cores together do what in a launch."""
    graph = one.graph
    found: dict[Term, float] = defaultdict(float)
    nodes = {node.name: node for node in graph.nodes}
    kernels = {step.node: step.kernel for step in one.launch.steps}
    if one.launch.region is None:
        node = nodes[one.launch.steps[0].node]
        _add_call(found, graph, node, kernels[node.name], whole(graph, node), cores)
        return found
    layout = layout_of(graph, one.launch.region)
    depths = depths_of(layout)
    found[REGION, "begin"] = cores
    for piece in layout.pieces():
        node = graph.producer[piece.value]
        box = piece.rows[1] - piece.rows[0], piece.columns[1] - piece.columns[0]
        _add_call(found, graph, node, kernels[node.name], box, cores)
        found[REGION, "call"] += cores
        found[REGION, "read"] += cores * len(graph.activations(node))
        found[REGION, "hop"] += cores * depths.get(piece.value, 0)
    return found


def _add_call(
    found: dict[Term, float],
    graph: Graph,
    node: Node,
    kernel: str,
    box: tuple[int, int],
    cores: int,
) -> None:
    entry, (tall, wide) = by_symbol(kernel), box
    found[kernel, "call"] += cores
    made = -(-tall // entry.row_block) * entry.row_block
    for channels in _shares(channels_of(graph, node), tall, cores):
        terms = of_kernel(terms_of(graph, node, channels), entry)
        for name, count in terms.once.items():
            found[kernel, name] += count
        for name, count in terms.row.items():
            found[kernel, name] += count * made
        for name, count in terms.pixel.items():
            found[kernel, name] += count * made * wide


def _shares(channels: int, tall: int, cores: int) -> Iterator[int | None]:
    """Channels of each core that computes every row; None: the cores divide the rows."""
    if tall >= cores:
        yield None
        return
    for core in range(cores):
        yield channels * (core + 1) // cores - channels * core // cores


def non_negative(matrix: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """The x of least squares for matrix · x = wanted, all of it 0 or more: the term that would
    take off most is left out until none does."""
    kept = list(range(matrix.shape[1]))
    size = np.maximum(np.linalg.norm(matrix, axis=0), np.finfo(float).tiny)
    while True:
        part = matrix[:, kept] / size[kept]
        found = np.linalg.lstsq(part, wanted, rcond=_LARGEST)[0]
        if (found >= 0).all():
            break
        kept.pop(int(np.argmin(found * part.sum(axis=0))))
    result = np.zeros(matrix.shape[1])
    result[kept] = found / size[kept]
    return result


def _by_kernel(counted: Sequence[Counted], errors: np.ndarray) -> Iterator[KernelError]:
    """Launches of several kernels count for each of them."""
    at: dict[str, list[int]] = defaultdict(list)
    for i, one in enumerate(counted):
        for kernel in dict.fromkeys(step.kernel for step in one.launch.steps):
            at[kernel].append(i)
    for kernel, places in sorted(at.items()):
        yield KernelError(kernel, len(places), *_size(errors[places]))


def _size(errors: np.ndarray) -> tuple[float, float]:
    return float(np.sqrt((errors**2).mean())), float(np.abs(errors).max())
