"""Clusters: tensors that share bytes outside of regions, at fixed distances in one buffer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from deployer.analysis.alias_facts import AliasFacts
from deployer.analysis.conflicts import Conflicts
from deployer.analysis.places import Misplaced, Spot, Tensor, arranged, is_contiguous, pieces_of
from deployer.ir import Buffer, Share


@dataclass(frozen=True, eq=False)
class Cluster:
    """One buffer for the tensors of ``spots``, from the birth of the first to the death of the
    last. ``shares`` are those that hold it together."""

    shares: tuple[Share, ...]
    spots: Mapping[str, Spot]
    buffer: Buffer

    def with_inside(self, other: Cluster, share: Share, offset: int) -> Cluster:
        """With ``other`` at ``offset``, where nothing is in its way; ``share`` says so."""
        moved = {n: replace(spot, offset=spot.offset + offset) for n, spot in other.spots.items()}
        first = min(self.buffer, other.buffer, key=lambda b: (b.lower, b.id))
        upper = max(self.buffer.upper, other.buffer.upper)
        merged = Buffer(first.id, first.lower, upper, self.buffer.size)
        return Cluster((*self.shares, *other.shares, share), {**self.spots, **moved}, merged)


def cluster(facts: AliasFacts, shares: Iterable[Share]) -> Cluster:
    """The buffer that ``shares``, all connected, make. Raises Misplaced when they cannot all be, or
    when two values that are needed at once would take the same bytes."""
    shares = tuple(shares)
    missing = [n for s in shares for n in facts.members(s) if n not in facts.tensors]
    if missing:
        raise Misplaced(f"{missing[0]} is no whole tensor")
    owners = facts.reached(name for share in shares for name in facts.members(share))
    fixed = (edge for name in owners for edge in facts.fixed.get(name, ()))
    edges = dict.fromkeys((*map(facts.edge, shares), *fixed))
    spots = arranged(edges, facts.tensors)
    _check_forms(facts, spots)
    Conflicts(facts, shares, spots).check(owners)
    return Cluster(shares, spots, _buffer(facts, spots, owners))


def alone(facts: AliasFacts, owner: str) -> Cluster:
    """A value with its aliases."""
    edges = facts.fixed.get(owner, ())
    spots = (
        arranged(edges, facts.tensors)
        if edges
        else {owner: Spot(0, facts.tensors[owner].pitches, owner, (0, 0, 0))}
    )
    return Cluster((), spots, facts.live[owner])


def _buffer(facts: AliasFacts, spots: Mapping[str, Spot], owners: Iterable[str]) -> Buffer:
    names = sorted(owners, key=lambda n: (facts.live[n].lower, n))
    ends = [spots[n].offset + span(facts.tensors[n], spots[n]) for n in names]
    upper = max(facts.live[n].upper for n in names)
    return Buffer(names[0], facts.live[names[0]].lower, upper, max(ends))


def _check_forms(facts: AliasFacts, spots: Mapping[str, Spot]) -> None:
    for name, spot in spots.items():
        tensor = facts.tensors[name]
        if spot.offset % tensor.element:
            raise Misplaced(f"{name} is not aligned")
        if is_contiguous(tensor.extents, spot.pitches):
            continue
        if name in facts.contiguous:
            raise Misplaced(f"{name} must be contiguous")
        if pieces_of(tensor.extents, spot.pitches, tensor.element) is None:
            raise Misplaced(f"{name} is no row of runs")


def span(tensor: Tensor, spot: Spot) -> int:
    """Bytes from the first element to the end of the last."""
    (height, width, channels), (rows, pixels) = tensor.extents, spot.pitches
    return ((height - 1) * rows + (width - 1) * pixels + channels) * tensor.element


def clusters(facts: AliasFacts, shares: Sequence[Share]) -> Iterator[Cluster]:
    """``shares`` as buffers, each as large as what is connected."""
    groups: list[tuple[set[str], list[Share]]] = []
    for share in shares:
        touched = set(facts.reached(facts.members(share)))
        joined = [group for group in groups if group[0] & touched]
        groups = [group for group in groups if not group[0] & touched]
        names = touched.union(*(group[0] for group in joined))
        groups.append((names, [*(s for group in joined for s in group[1]), share]))
    yield from (cluster(facts, members) for _, members in groups)
