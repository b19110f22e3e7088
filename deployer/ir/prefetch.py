"""Weights that lie behind the arena's memory and are fetched into it while the network runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property


def weights_id(node: str) -> str:
    """The buffer that holds the weights of ``node`` from when they are fetched to its step."""
    return f"{node}.weights"


@dataclass(frozen=True)
class Fetch:
    """The array of constants ``array``, ``bytes`` from ``source`` on in the outer memory. Its
    transfer is issued just before step ``begin`` and waited for before ``step``, that of ``node``;
    ``others`` read it later."""

    node: str
    array: str
    source: int
    bytes: int
    begin: int
    step: int
    others: tuple[str, ...] = ()

    @property
    def buffer(self) -> str:
        return weights_id(self.node)


@dataclass(frozen=True)
class PrefetchPlan:
    """What is fetched from ``memory`` in one inference, in the order in which transfers are issued.

    ``resident``: bytes of all other constants; ``code``: estimated, of the image. ``cycles``:
    estimated, of an inference; ``stalls``: the part in which a node waits for its weights, of nodes
    that do.
    """

    memory: str
    fetches: tuple[Fetch, ...]
    resident: int
    code: int
    cycles: int
    stalls: tuple[tuple[str, int], ...] = ()

    @property
    def bytes(self) -> int:
        """Of the outer memory."""
        return max(fetch.source + fetch.bytes for fetch in self.fetches)

    @property
    def stalled(self) -> int:
        """Estimated cycles of an inference in which weights are waited for."""
        return sum(cycles for _, cycles in self.stalls)

    @cached_property
    def by_node(self) -> Mapping[str, Fetch]:
        return {name: fetch for fetch in self.fetches for name in (fetch.node, *fetch.others)}
