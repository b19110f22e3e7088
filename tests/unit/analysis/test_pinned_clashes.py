"""Which values of a network may share bytes, alone and two at a time, and what else is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

from deployer.analysis.alias_facts import AliasFacts
from deployer.analysis.liveness import alias_facts_of, lifetimes
from deployer.analysis.places import Misplaced
from deployer.analysis.sharing import clusters
from deployer.ir.graph import Graph
from deployer.ir.share import INSIDE, OVER, VIEW, Share
from deployer.ir.types import hwc
from deployer.ir.verify import InvariantError
from planned import pinned
from unit.analysis.spatial_nets import SAME_3, SpatialNet
from unit.schedule.sharing import dense_block

FOLDER = Path(__file__).parent / "pinned"


def branches() -> Graph:
    """Views of views on both sides: slices of a Concat, of which some are joined again."""
    net = SpatialNet(3, joined=True)
    x = net.input(6, 5, 4)
    left, right = net.conv(x, 4, SAME_3), net.table(x)
    both = net.concat(left, right)
    top = net.slice(both, (0, 0, 0), (3, 5, 8))
    part = net.slice(both, (0, 0, 2), (6, 5, 6))
    low = net.slice(top, (1, 0, 4), (3, 5, 8))
    again = net.concat(net.rescale(part), net.add(left, right))
    net.conv(net.concat(low, low), 2, SAME_3)
    return net.graph(net.table(again))


def dense() -> Graph:
    return dense_block()[0]


def inner() -> Graph:
    """A value that begins and ends while a larger one lives, of which a part is free."""
    net = SpatialNet(4, joined=True)
    x = net.input(4, 4, 4)
    wide = net.conv(x, 12, SAME_3)
    small = net.table(net.conv(wide, 2, SAME_3))
    return net.graph(net.concat(net.add(small, small), net.conv(wide, 2, SAME_3)))


NETS: dict[str, Callable[[], Graph]] = {"branches": branches, "dense": dense, "inner": inner}


@pytest.mark.parametrize("name", NETS)
def test_what_may_share_bytes_is_pinned(name: str) -> None:
    facts = alias_facts_of(NETS[name]())
    pinned(FOLDER / f"{name}-clashes.txt", "\n".join(_lines(facts)))


def test_shares_that_clash_are_a_bug_of_ours() -> None:
    graph = branches()
    shares = (Share("conv2d0", "in0", OVER), Share("table1", "in0", OVER))
    with pytest.raises(InvariantError, match=r"^shares: \w+ and \w+ are needed at once$"):
        lifetimes(replace(graph, shares=shares))


def _lines(facts: AliasFacts) -> Iterator[str]:
    every = list(_shares(facts))
    for share in every:
        yield f"{_named(share)}: {_told(facts, share)}"
    able = [share for share in every if _told(facts, share)[0] == "b"]
    for pair in combinations(able, 2):
        if "; " not in (told := _told(facts, *pair)):  # not those of two buffers
            yield f"{' and '.join(map(_named, pair))}: {told}"


def _shares(facts: AliasFacts) -> Iterator[Share]:
    graph = facts.graph
    whole = list(facts.tensors)
    for node in graph.nodes:
        for value in dict.fromkeys(graph.activations(node)):
            yield Share(node.name, value, OVER)
            if node.op in ("Concat", "Slice"):
                yield Share(node.name, value, VIEW)
            elif hwc(graph.values[value].shape) != hwc(graph.values[node.output].shape):
                yield Share(node.name, value, OVER, 16)
        yield Share(node.name, whole[(len(node.output) + len(whole) // 2) % len(whole)], INSIDE, 8)


def _named(share: Share) -> str:
    offset = f" {share.overlap_offset}" if share.overlap_offset else ""
    return f"{share.node} {share.kind} {share.value}{offset}"


def _told(facts: AliasFacts, *shares: Share) -> str:
    try:
        found = list(clusters(facts, shares))
    except Misplaced as error:
        return f"no: {error}"
    places = (
        f"{each.buffer.id} [{each.buffer.lower}, {each.buffer.upper}) {each.buffer.size} "
        + " ".join(f"{n}@{spot.offset}{spot.at}{spot.pitches}" for n, spot in each.spots.items())
        for each in found
    )
    return f"bytes {'; '.join(places)}"
