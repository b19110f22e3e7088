"""Counted instructions of networks as rows of a baseline."""

from __future__ import annotations

from collections.abc import Iterable

from deployer.tools.bench.model_time import ModelTime
from deployer.units import CounterUnit, FigureKind
from deployer_hil import gate

RUNNER = "bench"  # in place of a runner: networks that differ in nothing but their name


def counted_rows(board: str, timed: Iterable[ModelTime], commit: str) -> tuple[gate.Row, ...]:
    """One warm inference of each network, a count a layer and their sum."""
    return tuple(_row(board, network, commit) for network in timed)


def _row(board: str, network: ModelTime, commit: str) -> gate.Row:
    layers = ((f"{each.time.index} {each.name}", each.time.instructions) for each in network.layers)
    return gate.Row(
        *(network.name, board, RUNNER),
        options="",
        kind=FigureKind.COUNTED,
        counter=CounterUnit.INSTRUCTIONS,
        compiler=network.compiler,
        clock_hz=0,
        commit=commit,
        exact=True,
        metrics={"total": network.instructions},
        layers=tuple(gate.LayerCount(name, count) for name, count in layers),
    )
