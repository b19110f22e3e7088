"""Text views: golden texts of a small network, and what holds of any."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given

from deployer.allocate.allocate import allocate, solve
from deployer.allocate.problem import Problem
from deployer.ir.graph import Graph, Node
from deployer.ir.plan import Buffer, MemoryPlan, Placement, Schedule
from deployer.ir.show import graph_text, plan_text, schedule_text, show, tiles_text
from deployer.schedule.order import schedule
from deployer.tile.solve import tile
from unit.ir.boards import board
from unit.ir.nets import PEAKS, Net
from unit.ir.strategies import STEADY, problems


def small() -> Graph:
    net = Net("small")
    a = net.conv(net.input(1, 8, 8, 3, name="image"), 4, 3, stride=2, name="stem")
    b = net.add(a, net.depthwise(a, name="dw"), name="join")
    c = net.dense(net.reshape(net.pool(b, name="mean"), name="flat"), 10, name="classes")
    return net.graph(c, notes=("batch fixed to 1",))


def scheduled(graph: Graph) -> Schedule:
    def choose(families: Sequence[str], graph: Graph, node: Node) -> tuple[str, int]:
        return f"dpl_{node.op.lower()}", 96 if node.op == "Conv2d" else 0

    return schedule(graph, [], choose=choose)


GRAPH_VIEW = """\
graph small: 6 nodes, 2,344 MACs, constants 575 B
  in   image: s8 1x8x8x3, 0.5 z-3
  out  classes_out: s8 1x10, 0.5 z-3

#  node     operator             output   type  quant         MACs  weights
0  stem     Conv2d 3x3/2         1x4x4x4  s8    0.5 z-3 i32  1,728      124
1  dw       DepthwiseConv2d 3x3  1x4x4x4  s8    0.5 z-3 i32    576       52
2  join     Add                  1x4x4x4  s8    0.5 z-3 i32      0        0
3  mean     AveragePool 4x4/4    1x1x1x4  s8    0.5 z-3 i32      0        0
4  flat     Reshape              1x4      s8    0.5 z-3          0        0
5  classes  FullyConnected       1x10     s8    0.5 z-3 i32     40       80

note: batch fixed to 1
"""

SCHEDULE_VIEW = """\
schedule of small: 5 steps, at most 352 B alive together

#  node     kernel               output   bytes  scratch
0  stem     dpl_conv2d           1x4x4x4     64       96
1  dw       dpl_depthwiseconv2d  1x4x4x4     64        0
2  join     dpl_add              1x4x4x4     64        0
3  mean     dpl_averagepool      1x1x1x4      4        0
4  classes  dpl_fullyconnected   1x10        10        0
"""

PLAN_VIEW = """\
memory plan: arena 352 B (sram 352 B)
optimal, proven bound 352 B, by gs-first

sram: 352 B; a column is 7 B, > marks the peak
  step      alive  address                                              begins
>    0        352  AAAAAAAAAAAAAAAAAAAAAAAAAAABBBBBBBBBBBBBBCCCCCCCCCC  A=image B=stem.scratch C=s..
     1        128  DDDDDDDDDD...............................CCCCCCCCCC  D=dw_out
     2        192  DDDDDDDDDEEEEEEEEEE......................CCCCCCCCCC  E=join_out
     3         68  .FF......EEEEEEEEEE................................  F=mean_out
     4         14  GGF................................................  G=classes_out

   buffer        from  to  size  memory  offset
A  image            0   1   192  sram         0
D  dw_out           1   3    64  sram         0
G  classes_out      4   5    10  sram         0
F  mean_out         3   5     4  sram        12
E  join_out         2   4    64  sram        64
B  stem.scratch     0   1    96  sram       192
C  stem_out         0   3    64  sram       288
"""

TILE_VIEW = """\
tile plan: 5 steps, 5 in one tile

#  node     tile     tiles
0  stem     1x4x4x4      1
1  dw       1x4x4x4      1
2  join     1x4x4x4      1
3  mean     1x1x1x4      1
4  classes  1x10         1
"""


def test_graph_view() -> None:
    assert graph_text(small()) == GRAPH_VIEW


def test_schedule_view() -> None:
    assert schedule_text(scheduled(small())) == SCHEDULE_VIEW


def test_plan_view() -> None:
    assert plan_text(allocate(scheduled(small()), board())) == PLAN_VIEW


def test_tile_view() -> None:
    steps = scheduled(small())
    assert tiles_text(tile(steps, allocate(steps, board()), board())) == TILE_VIEW


def test_a_memory_each_and_a_buffer_too_small_for_a_column() -> None:
    places = (
        Placement(Buffer("big", 0, 2, 5600), "sram", 0),
        Placement(Buffer("tiny", 1, 2, 4), "sram", 5600),
        Placement(Buffer("late", 1, 2, 8), "dtcm", 0),
    )
    plan = MemoryPlan(places, (("sram", 5604), ("dtcm", 8)), 5612, "optimal", "hand")
    lines = plan_text(plan).splitlines()
    assert lines[0] == "memory plan: arena 5,612 B (sram 5,604 B, dtcm 8 B)"
    assert lines[3] == "sram: 5,604 B; a column is 101 B, > marks the peak"
    assert lines[5].split() == ["0", "5,600", "A" * 56, "A=big"]
    assert lines[6].split() == [">", "1", "5,604", "A" * 55 + "#", "C=tiny"]
    assert lines[10].split() == ["0", "0", "........"]
    assert lines[11].split() == [">", "1", "8", "B" * 8, "B=late"]


def test_an_empty_plan_is_shown() -> None:
    assert plan_text(MemoryPlan((), (), 0, "optimal", "none")).startswith(
        "memory plan: arena 0 B (empty)"
    )


def test_any_artifact_is_shown_and_nothing_else() -> None:
    steps = scheduled(small())
    plan = allocate(steps, board())
    tiles = tile(steps, plan, board())
    assert show(steps.graph) == graph_text(steps.graph)
    assert show(steps) == schedule_text(steps)
    assert show(plan) == plan_text(plan)
    assert show(tiles) == tiles_text(tiles)
    with pytest.raises(TypeError, match="no view of a str"):
        show("text")


@pytest.mark.parametrize("build", PEAKS, ids=lambda build: build.__name__)
def test_reference_networks_are_shown_in_100_columns_of_ascii(build: Callable[[], Graph]) -> None:
    steps = schedule(build(), ["ref"])
    plan = allocate(steps, board())
    views = (graph_text(steps.graph), schedule_text(steps), plan_text(plan))
    for line in "".join(views).splitlines():
        assert len(line) <= 100
        assert line.isascii()
        assert line == line.rstrip()


@STEADY
@given(problems(max_buffers=8, largest=7, alignment=1))
def test_every_buffer_alive_is_seen_in_its_steps(problem: Problem) -> None:
    """Bands are a byte each here, so the chart must hold exactly the live bytes."""
    plan = solve(problem)
    if not plan.arena:
        return
    rows = [line.split() for line in plan_text(plan).splitlines()[5:]]
    for row in rows[: max(b.upper for b in problem.buffers)]:
        cells = row[1:] if row[0] == ">" else row
        alive = [b for b in problem.buffers if b.lower <= int(cells[0]) < b.upper]
        assert int(cells[1]) == sum(b.size for b in alive)
        assert len(cells[2]) == plan.arena
        assert len(cells[2]) - cells[2].count(".") == sum(b.size for b in alive)
