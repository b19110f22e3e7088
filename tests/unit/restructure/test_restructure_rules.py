"""Rules of restructuring one by one: kernels that come back, tables, defaults, refusals."""

from __future__ import annotations

from dataclasses import astuple, replace
from itertools import pairwise

import pytest

from deployer.board.load import load_board
from deployer.ir.attrs import Pads, Window
from deployer.kernelset.kernel import case_of
from deployer.kernelset.select import select
from deployer.restructure.algorithm3 import Algorithm3
from deployer.restructure.board_cost import model_of
from deployer.restructure.lean import lean, refilled
from deployer.restructure.plan import Planner
from deployer.restructure.tables import tables
from deployer.restructure.terms import terms_of
from unit.analysis.spatial_nets import SAME_3, SpatialNet
from unit.ir.nets import Net
from unit.quantize.graphs import Draft
from unit.restructure.test_algorithm3 import hourglass
from unit.restructure.test_kernel_choice import FAMILIES, points
from unit.restructure.test_terms import counted, last_of, picked


@pytest.mark.parametrize("most", range(6))
def test_as_many_fast_kernels_come_back_as_are_fine(most: int) -> None:
    """Those of least scratch first; one more would be too many."""
    fast = points(64, 8, 32, 16, 4)
    slim = lean(fast, FAMILIES)
    pairs = list(zip(slim.nodes, fast.nodes, strict=True))
    differing = [node for plain, node in pairs if plain.kernel != node.kernel]
    assert len(differing) >= 3
    scratch = {n.name: select(FAMILIES, fast, n).scratch(case_of(fast, n)) for n in differing}
    first = sorted(scratch, key=scratch.__getitem__)[:most]

    def back(graph) -> list[str]:  # type: ignore[no-untyped-def]
        kernels = {node.name: node.kernel for node in fast.nodes}
        found = [node.name for node in graph.nodes if node.kernel == kernels[node.name]]
        return [name for name in found if name in scratch]

    found = refilled(slim, fast, FAMILIES, lambda graph: len(back(graph)) <= most)
    assert sorted(back(found)) == sorted(first)
    assert [n.stored for n in found.nodes if n.name in first] == [
        n.stored for n in fast.nodes if n.name in first
    ]


def test_tables_of_no_network_are_empty() -> None:
    assert tables({}) == ((), ())


def test_rows_of_an_average_are_the_means_of_the_others() -> None:
    graph, _ = hourglass()
    for rows in tables({"vgg16": graph, "resnet18": graph}):
        *each, average = rows
        assert [row.network for row in rows] == ["vgg16", "resnet18", "average"]
        for kind in ("paper", "algorithm3", "windows"):
            figures = [getattr(row, kind) for row in each]
            found = getattr(average, kind)
            assert found.saving == pytest.approx(sum(f.saving for f in figures) / 2, abs=0.051)
            assert found.added == pytest.approx(sum(f.added for f in figures) / 2, abs=0.051)
        assert average.ours.plain == each[0].ours.plain == 576
        assert each[0].ours.smallest <= each[0].ours.plain


def test_algorithm_3_takes_half_of_the_peak_and_two_by_two_pieces() -> None:
    """At that alpha the pool, of 448 of 576 bytes, is critical, the table of 80 is not."""
    graph, _ = hourglass()
    (region,) = Algorithm3()(graph).regions
    assert region == Algorithm3(0.5, (2, 2))(graph).regions[0]
    assert region.nodes == ("conv2d0", "conv2d1", "conv2d2", "maxpool3")
    assert (region.rows, region.columns) == ((0, 2, 4), (0, 2, 4))


def test_algorithm_3_leaves_what_one_piece_holds() -> None:
    graph, _ = hourglass()
    assert Algorithm3(0.5, (1, 1))(graph).regions == ()
    assert Algorithm3(0.5, (1, 2))(graph).regions[0].rows == ()
    assert Algorithm3(0.5, (2, 1))(graph).regions[0].columns == ()


@pytest.mark.parametrize(("dilation", "runs"), [((1, 1), 3), ((2, 1), 3), ((1, 2), 9), ((2, 2), 9)])
def test_taps_beside_each_other_are_a_run(dilation: tuple[int, int], runs: int) -> None:
    """Gaps between rows cut none."""
    draft = Draft(1, 9, 9, 4)
    found = counted(draft, draft.conv("x", 4, Window((3, 3), dilation=dilation)))
    assert picked(found, "run", "stretch") == (runs, runs)


def test_runs_of_groups_are_taps() -> None:
    draft = Draft(1, 9, 9, 4)
    found = counted(draft, draft.conv("x", 4, Window((3, 3)), groups=2))
    assert picked(found, "block", "run", "stretch", "tap_row") == (2, 18, 9, 6)


@pytest.mark.parametrize("zero", [0, 5])
def test_padding_with_zeros_is_folded_into_the_bias_where_they_are_nothing(zero: int) -> None:
    draft = Draft(1, 6, 5, 3)
    window = Window((3, 3), pads=Pads(1, 1, 1, 1))
    graph, node = last_of(draft, draft.conv("x", 4, window))
    x = graph.values["x"]
    values = {**graph.values, "x": replace(x, quant=replace(x.q, zero_point=zero))}
    found = terms_of(replace(graph, values=values), node)
    assert found.pixel["edge"] == pytest.approx(3 * (1 - 12 / 30) if zero else 0.0)
    assert found.pixel["border"] == pytest.approx(3 * (1 - 12 / 30))


def test_other_shapes_of_the_same_bytes_cost_nothing() -> None:
    net = Net("flat")
    flat = net.reshape(net.input(1, 2, 2, 3))
    graph = net.graph(flat)
    found = model_of(load_board("nucleo-f767zi"))(graph, graph.nodes[0])
    assert astuple(found)[:3] == (0.0, 0.0, 0.0)


def test_no_plan_is_within_less_than_the_least() -> None:
    graph, _ = hourglass()
    planner = Planner(graph)
    least = planner.smallest(added=float("inf"))
    assert planner.within(least.arena - 1) is None
    found = planner.within(least.arena)
    assert found is not None
    assert found.arena == least.arena
    plain = planner.within(float("inf"))
    assert plain is not None
    assert plain.graph.regions == ()


def test_the_front_begins_plain_and_ends_with_the_smallest() -> None:
    net = SpatialNet(5)
    net.conv(net.conv(net.conv(net.input(16, 16, 2), 8, SAME_3), 8, SAME_3), 1, SAME_3)
    planner = Planner(net.graph())
    front = planner.front()
    assert front[0].graph.regions == ()
    assert front[-1].arena == planner.smallest(added=float("inf")).arena
    assert all(one.arena > other.arena for one, other in pairwise(front))
