"""What a float graph must hold before its ranges mean anything; all offenders are named at once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from deployer.errors import ModelError
from deployer.ir import Graph, PoolAttrs
from deployer.numerics import taps_inside


def check_graph(graph: Graph) -> None:
    """Raise ModelError for constants that are not finite and pools with windows of padding only."""
    offenders = [*_not_finite(graph), *_empty_windows(graph)]
    if offenders:
        raise ModelError(
            f"{graph.name} cannot be quantized: {len(offenders)} layer(s) have no finite output",
            why=offenders,
            hints=["export the model again, from a checkpoint that holds no NaN"],
        )


def _not_finite(graph: Graph) -> Iterator[str]:
    for node in graph.nodes:
        for name in node.inputs:
            array = graph.constants.get(name, np.zeros(0))
            bad = int(np.count_nonzero(~np.isfinite(array)))
            if bad:
                yield f"{node.op} {node.name}: {bad} of {array.size} weights are NaN or infinite"


def _empty_windows(graph: Graph) -> Iterator[str]:
    for node in graph.nodes:
        if not isinstance(node.attrs, PoolAttrs):
            continue
        (source,) = node.inputs
        _, height, width, _ = graph.values[source].shape
        if taps_inside(node.attrs.window, height, width).min() == 0:
            yield f"{node.op} {node.name}: some windows lie wholly in the padding"
