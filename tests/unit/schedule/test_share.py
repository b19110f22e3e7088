"""Shared bytes: the same integers, never more memory, and what is refused."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.analysis.alias_facts import AliasFacts
from deployer.analysis.liveness import alias_facts_of, lifetimes, places
from deployer.analysis.peak import live_peak
from deployer.ir import serde
from deployer.ir.attrs import Window
from deployer.ir.graph import Graph
from deployer.ir.share import INSIDE, OVER, VIEW, Share
from deployer.ir.verify import InvariantError, verify
from deployer.numerics.interpret import run
from deployer.numerics.tiled import run_tiled
from deployer.schedule.alias_candidates import moves
from deployer.schedule.order import schedule
from deployer.schedule.share import with_shares
from unit.analysis.spatial_nets import SAME_3, SpatialNet, regional, spatial_nets
from unit.ir.strategies import STEADY
from unit.schedule.sharing import dense_block, forced, offsets_of


def peak(graph: Graph) -> int:
    return live_peak(lifetimes(graph)).bytes


def same_integers(graph: Graph, net: SpatialNet) -> None:
    sample = net.sample()
    expected, found = run(graph, sample), run_tiled(graph, sample)
    for name in graph.outputs:
        np.testing.assert_array_equal(found[name], expected[name])


@settings(STEADY, max_examples=80)
@given(spatial_nets(joined=True), st.sampled_from([1, 8]))
def test_shares_that_are_chosen_compute_the_same_in_no_more_memory(net: Any, cores: int) -> None:
    plain = net.graph()
    found = schedule(plain, (), share=True, cores=cores)
    verify(found.graph)
    assert found.peak <= schedule(plain, ()).peak
    same_integers(found.graph, net)


@settings(STEADY, max_examples=80)
@given(st.data())
def test_random_shares_compute_the_same(data: Any) -> None:
    net = data.draw(spatial_nets(joined=True))
    graph = data.draw(forced(net.graph()))
    verify(graph)
    same_integers(graph, net)


@settings(STEADY, max_examples=60)
@given(regional(joined=True))
def test_layers_between_regions_share_too(case: Any) -> None:
    graph, net = case
    found = with_shares(graph, {}, offsets_of(graph))
    verify(found)
    assert peak(found) <= peak(graph)
    same_integers(found, net)


@settings(STEADY, max_examples=60)
@given(st.data())
def test_random_shares_beside_regions_compute_the_same(data: Any) -> None:
    graph, net = data.draw(regional(joined=True))
    found = data.draw(forced(graph))
    verify(found)
    same_integers(found, net)


def test_a_dense_block_becomes_views_of_one_buffer() -> None:
    """The joins of a prefix lie in the last one, each a window with its pitch."""
    graph, net = dense_block()
    found = schedule(graph, (), share=True).graph
    joins = [node for node in found.nodes if node.op == "Concat"]
    where = places(found)
    assert len({where[node.output].buffer for node in joins}) == 1
    widest = found.values[joins[-1].output].shape
    assert {where[node.output].pitches for node in joins[:-1]} == {
        (widest[2] * widest[3], widest[3])
    }
    assert where[joins[-1].output].pitches is None
    same_integers(found, net)


def test_a_slice_is_a_window_of_its_source() -> None:
    net = SpatialNet(4)
    x = net.conv(net.conv(net.input(6, 5, 4), 32, SAME_3), 4, SAME_3)
    half = net.slice(x, (1, 0, 2), (5, 5, 4))
    net.pool(net.conv(half, 2, SAME_3), "MaxPool", Window((2, 2)))
    found = schedule(net.graph(), (), share=True)
    assert Share("slice2", x, VIEW) in found.graph.shares
    assert found.steps[2].kernel == ""
    assert places(found.graph)[half].pitches == (20, 4)
    same_integers(found.graph, net)


def test_inputs_and_outputs_of_the_network_stay_contiguous() -> None:
    net = SpatialNet(5, joined=True)
    x, y = net.input(4, 4, 2), net.input(4, 4, 2)
    net.table(net.concat(x, y))
    graph = net.graph()
    assert all(share.kind != VIEW for share in _chosen(graph))
    with pytest.raises(InvariantError, match="must be contiguous"):
        lifetimes(replace(graph, shares=(Share("concat0", x, VIEW),)))


def chain() -> Graph:
    """Two Tables and an addition to what the first one read."""
    net = SpatialNet(6, joined=True)
    x = net.rescale(net.input(4, 4, 2))
    net.add(net.table(net.table(x)), x)
    return net.graph()


@pytest.mark.parametrize(
    ("share", "fault"),
    [
        (Share("table1", "rescale0_out", OVER), "needed at once"),
        (Share("table2", "table1_out", OVER, 6), "a distance of 6"),
        (Share("table2", "table1_out", VIEW), "not Table"),
        (Share("table2", "in0", OVER), "does not read it once"),
        (Share("nobody", "in0", OVER), "no such node"),
        (Share("table2", "table1_out", "beside"), "unknown kind"),
        (Share("table2", "nothing", INSIDE, 4), "no such value"),
    ],
)
def test_impossible_shares_are_refused(share: Share, fault: str) -> None:
    with pytest.raises(InvariantError, match=fault):
        lifetimes(verify(replace(chain(), shares=(share,))))


def test_a_concat_that_rescales_a_part_has_no_view_of_it() -> None:
    net = SpatialNet(7)
    parts = [net.rescale(net.input(3, 3, 2)) for _ in range(2)]
    net.table(net.concat(*parts))
    graph = net.graph()
    views = {share for move in moves(alias_facts_of(graph), offsets_of(graph)) for share in move}
    rescaled = [p for p in parts if Share("concat2", p, VIEW) not in views]
    assert len(rescaled) == 1
    with pytest.raises(InvariantError, match="not those of the output"):
        verify(replace(graph, shares=(Share("concat2", rescaled[0], VIEW),)))


def test_what_must_be_whole_is_no_window_of_a_concat() -> None:
    net = SpatialNet(7)
    net.table(net.concat(*(net.rescale(net.input(3, 3, 2)) for _ in range(2))))
    graph = net.graph()

    def views(whole: set[str]) -> set[str]:
        found = moves(alias_facts_of(graph), offsets_of(graph), whole)
        return {share.value for move in found for share in move if share.kind == VIEW}

    (same,) = views(set())
    assert views({"some other"}) == {same}
    assert views({same}) == set()


def _chosen(graph: Graph) -> tuple[Share, ...]:
    return schedule(graph, (), share=True).graph.shares


def test_overlaps_go_where_most_is_alive_and_what_lives_long_goes_inside() -> None:
    """The largest pair overlaps; the rest is found room beside it, not on top."""
    net = SpatialNet(8)
    wide = net.conv(net.input(12, 12, 2), 16, SAME_3)
    small = net.pool(wide, "MaxPool", Window((2, 2), (2, 2)))
    skip = net.conv(net.conv(small, 16, SAME_3), 16, SAME_3)
    net.pool(net.add(small, skip), "AveragePool", Window((4, 4)))
    plain, found = schedule(net.graph(), ()), schedule(net.graph(), (), share=True)
    kinds = Counter(share.kind for share in found.graph.shares)
    assert kinds[OVER] >= 1
    assert kinds[INSIDE] >= 1
    assert found.peak < 0.85 * plain.peak
    same_integers(found.graph, net)


def test_shares_survive_the_disk(tmp_path: Any) -> None:
    found = schedule(dense_block()[0], (), share=True)
    serde.save(found, tmp_path / "schedule.json")
    read = serde.load(tmp_path / "schedule.json")
    assert read.graph.shares == found.graph.shares
    assert read.steps == found.steps


def test_the_same_network_shares_the_same_way_twice() -> None:
    graph = dense_block()[0]
    assert schedule(graph, (), share=True).graph.shares == _chosen(graph)


def test_shares_do_not_hang_on_the_order_of_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cluster's anchor is the first of its owners: their order has to be the network's."""
    given: list[Any] = []
    reached = AliasFacts.reached

    def recorded(facts: AliasFacts, owners: Any) -> tuple[str, ...]:
        given.append(owners)
        return reached(facts, owners)

    monkeypatch.setattr(AliasFacts, "reached", recorded)
    assert _chosen(dense_block()[0])
    assert given
    assert [owners for owners in given if isinstance(owners, set | frozenset)] == []


def test_shares_and_order_in_turn_gain_more_than_each() -> None:
    """A branch that can be rewritten in place should run when its input may die."""
    net = SpatialNet(9)
    x = net.conv(net.input(8, 8, 2), 4, SAME_3)
    left = net.table(x)
    right = net.conv(x, 1, SAME_3)
    net.add(net.conv(left, 1, SAME_3), right)
    found = schedule(net.graph(), (), share=True)
    assert found.peak <= with_peak_of_given_order(net.graph())
    same_integers(found.graph, net)


def with_peak_of_given_order(graph: Graph) -> int:
    return peak(with_shares(graph, {}, offsets_of(graph)))
