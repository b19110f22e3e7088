"""The cheapest sequence of runs whose memory stays below a budget: dynamic programming."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from deployer.restructure.facts import Candidate, Facts

_MAX_LABELS = 12  # labels of a position
_IN_ORDER = attrgetter("cost", "pair", "beside")


class Label(NamedTuple):
    """Nodes up to a position, computed for ``cost``; ``alive`` bytes during the last run.

    ``held`` lies in a buffer of ``pair`` bytes that it shares with what it was made from; beside
    that buffer at most ``beside`` bytes were alive.
    """

    cost: float
    alive: int = 0
    held: str = ""
    pair: int = 0
    beside: int = 0
    before: Label | None = None
    run: tuple[int, int, Candidate] | None = None


def cheapest(
    facts: Facts, candidates: Sequence[Mapping[int, Sequence[Candidate]]], budget: float
) -> tuple[float, list[tuple[int, int, Candidate]]] | None:
    """Cost beyond the plain graph and the runs (first, last, candidate) in order, None without
    one."""
    labels: list[list[Label]] = [[Label(0.0)]]
    beside = Beside(facts)
    for last in range(facts.count):
        found: list[Label] = []
        for first, options in candidates[last].items():
            within = [one for one in options if one.peak + one.pair <= budget]
            for label in labels[first] if within else ():
                found += _steps(beside, label, (first, last), within, budget)
        labels.append(_undominated(found, facts.written(last)))
    if not labels[-1]:
        return None
    best: Label | None = min(labels[-1], key=lambda label: label.cost)
    assert best is not None
    cost, runs = best.cost, []
    while best is not None and best.run is not None:
        runs.append(best.run)
        best = best.before
    return cost, runs[::-1]


class Beside:
    """Bytes alive beside a value since its birth, as of a label; each is counted once."""

    def __init__(self, facts: Facts):
        self.facts = facts
        self._known: dict[tuple[int, str], tuple[Label, int]] = {}

    def most(self, label: Label, name: str) -> int:
        """The buffer of ``name`` is the shared one from its birth on."""
        key = id(label), name  # of a label that is kept here, so that no other one has its id
        if key not in self._known:
            self._known[key] = label, self._counted(label, name)
        return self._known[key][1]

    def _counted(self, label: Label, name: str) -> int:
        most, born, size = 0, self.facts.born[name], self.facts.size[name]
        at: Label | None = label
        while at is not None and at.run is not None and at.run[1] >= born:
            most = max(most, at.alive - size)
            at = at.before
        return most


def _steps(
    beside_of: Beside,
    label: Label,
    run: tuple[int, int],
    options: Sequence[Candidate],
    budget: float,
) -> Iterator[Label]:
    """The cheapest candidate of the run that fits behind ``label``, and each that overlaps.
    ``options``: by rising cost, those that fit by themselves."""
    facts, (first, last) = beside_of.facts, run
    held = label.held if label.held and facts.last[label.held] >= first else ""
    more = label.pair - facts.size[held] if held else 0
    stays = bool(held) and facts.last[held] > last
    plain = False
    for candidate in options:
        if candidate.over:
            step = _overlapped(beside_of, label, held, candidate, run, budget)
            if step is not None:
                yield step
        elif not plain and candidate.peak + more <= budget:
            plain = True
            cost, alive = label.cost + candidate.cost, candidate.peak + more
            if stays:
                beside = max(label.beside, alive - label.pair)
                yield Label(cost, alive, held, label.pair, beside, label, (*run, candidate))
            else:
                yield Label(cost, alive, before=label, run=(*run, candidate))


def _overlapped(
    beside_of: Beside,
    label: Label,
    held: str,
    candidate: Candidate,
    run: tuple[int, int],
    budget: float,
) -> Label | None:
    """None above the budget, and where two shared buffers would be needed behind the run."""
    facts, alive, pair = beside_of.facts, candidate.peak, candidate.pair
    if held == candidate.over:
        pair, beside = max(label.pair, pair), max(label.beside, alive)
    elif held and facts.last[held] > run[1]:
        return None
    else:
        alive += label.pair - facts.size[held] if held else 0
        if alive + pair > budget:  # seen before the labels behind are walked
            return None
        beside = max(alive, beside_of.most(label, candidate.over))
    if beside + pair > budget:
        return None
    grid, cost = facts.graph.nodes[run[1]].output, label.cost + candidate.cost
    return Label(cost, pair + alive, grid, pair, beside, label, (*run, candidate))


def _undominated(labels: Sequence[Label], last: int) -> list[Label]:
    """``last``: bytes of the value written last, the one that may be shared from here on."""
    kept: list[Label] = []
    for label in sorted(labels, key=_IN_ORDER):
        for other in kept:
            if _beats(other, label, last):
                break
        else:
            kept.append(label)
    free = [label for label in kept[_MAX_LABELS:] if not label.held]
    return kept[:_MAX_LABELS] + sorted(free, key=lambda label: label.alive)[:1]


def _beats(a: Label, b: Label, last: int) -> bool:
    """Whether ``a``, which costs no more, leaves as much room, whatever follows."""
    if a.held:
        return a.held == b.held and a.pair <= b.pair and a.beside <= b.beside
    return a.alive - last <= (b.beside if b.held else b.alive - last)
