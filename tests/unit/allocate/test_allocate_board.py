"""A schedule on a board: which memory, what is reserved, and the refusal when nothing fits."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deployer.allocate.allocate import allocate, check, fits, solve
from deployer.allocate.problem import Problem, problem_of
from deployer.allocate.refusal import free_rooms
from deployer.analysis.liveness import owners, step_nodes
from deployer.board.load import load_board
from deployer.errors import FitError
from deployer.ir.graph import Graph, Node
from deployer.ir.plan import MemoryPlan, Schedule
from deployer.ir.verify import InvariantError
from deployer.schedule.order import schedule
from unit.ir.boards import board
from unit.ir.nets import Net, resnet8, vww
from unit.ir.strategies import STEADY, graphs


def with_scratch(families: Sequence[str], graph: Graph, node: Node) -> tuple[str, int]:
    """Every convolution asks for two of its input's pixels as int16."""
    return node.op, 4 * graph.values[node.inputs[0]].shape[-1] if "Conv" in node.op else 0


def run(plan: MemoryPlan, steps: Schedule) -> None:
    """Play the network on real byte arrays: each value is its own number, scratch is rubbish.

    Fails when a step reads a byte that something else has overwritten, or an output is lost.
    """
    graph, owner = steps.graph, owners(steps.graph)
    memory = {name: bytearray(height) for name, height in plan.heights}
    marks = {name: i % 251 + 1 for i, name in enumerate(owner)}

    def put(name: str, mark: int) -> None:
        place = plan.at(name)
        size = place.buffer.size
        memory[place.memory][place.offset : place.offset + size] = bytes([mark]) * size

    def intact(name: str) -> bool:
        place, size = plan.at(owner[name]), graph.values[name].bytes
        found = memory[place.memory][place.offset : place.offset + size]
        return found == bytes([marks[owner[name]]]) * size

    for name in graph.inputs:
        put(name, marks[name])
    for step, node in zip(steps.steps, step_nodes(graph), strict=True):
        if step.scratch:
            put(f"{step.node}.scratch", 255)
        for name in node.outputs:
            put(name, marks[name])
        assert all(intact(name) for name in (*graph.activations(node), *node.outputs)), step.node
    assert all(intact(name) for name in graph.outputs)


@STEADY
@given(graphs())
def test_no_step_of_any_network_loses_a_byte(graph: Graph) -> None:
    steps = schedule(graph, [], choose=with_scratch)
    plan = allocate(steps, board())
    run(plan, steps)
    assert plan.status == "optimal"
    assert plan == allocate(steps, board())


@STEADY
@given(graphs(), st.integers(8, 200))
def test_over_small_memories_it_fits_soundly_or_says_so(graph: Graph, sram: int) -> None:
    steps, where = schedule(graph, [], choose=with_scratch), board(sram=sram, dtcm=100)
    problem = problem_of(steps, where)
    plan = solve(problem)
    if fits(plan, problem):
        assert check(plan, problem) == ()
        assert allocate(steps, where) == plan
        run(plan, steps)
    else:
        assert solve(problem_of(steps, board())).arena > sram // 4 * 4
        with pytest.raises(FitError, match="does not fit 'sram' and 'dtcm'"):
            allocate(steps, where)


def test_the_first_memory_takes_all_it_can() -> None:
    plan = allocate(schedule(resnet8(), ["ref"]), board())
    assert plan.heights == (("sram", 49_152),)
    assert (plan.bound, plan.status) == (49_152, "optimal")


def test_a_network_too_large_for_the_first_memory_spills_into_the_next() -> None:
    steps = schedule(resnet8(), ["ref"])
    where = board(sram=40_000, dtcm=20_000)
    plan = allocate(steps, where)
    assert plan.arena == 49_152
    assert [name for name, _ in plan.heights] == ["sram", "dtcm"]
    assert check(plan, problem_of(steps, where)) == ()
    run(plan, steps)


def test_reserved_bytes_are_not_given_away() -> None:
    steps = schedule(resnet8(), ["ref"])
    assert len(allocate(steps, board(), reserved={"sram": (1 << 16) - 49_152}).heights) == 1
    spilled = allocate(steps, board(), reserved={"sram": (1 << 16) - 49_148})
    assert dict(spilled.heights)["sram"] <= 49_148
    assert spilled.arena == 49_152


def test_scratch_is_part_of_the_arena() -> None:
    net = Net("scratch")
    steps = schedule(
        net.graph(net.conv(net.input(1, 1, 1, 3), 5, name="c")), [], choose=with_scratch
    )
    plan = allocate(steps, board())
    assert plan.at("c.scratch").buffer.size == 12
    assert plan.arena == 4 + 8 + 12


def test_offsets_and_heights_are_multiples_of_the_alignment() -> None:
    net = Net("odd")
    x = net.conv(net.input(1, 1, 1, 3), 5)
    plan = allocate(schedule(net.graph(net.conv(x, 7), x), ["ref"]), board(), alignment=16)
    assert {p.offset % 16 for p in plan.placements} == {0}
    assert plan.arena == plan.bound == 32


def test_the_refusal_names_the_peak_and_what_is_alive_there() -> None:
    where = board(sram=40_000, dtcm=8_000, arena=("sram",))
    with pytest.raises(FitError) as error:
        allocate(schedule(resnet8(), ["ref"]), where)
    assert str(error.value) == (
        "resnet8 does not fit 'sram' on desk\n"
        "  needs 49,152 B of 40,000 B (9,152 too many) at step 3 of 15, conv2d2\n"
        "  alive together: conv2d0_out 16,384  conv2d1_out 16,384  conv2d2_out 16,384\n"
        "  try: a smaller input or fewer channels: these tensors shrink with both\n"
        "       give 'arena' a second memory in the board file: dtcm\n"
        f"       a board with more RAM: {boards_larger_than(49_152)}"
    )
    assert error.value.exit_status == 4


def boards_larger_than(needed: int) -> str:
    from deployer.board.load import board_names

    boards = [load_board(name) for name in board_names()]
    return ", ".join(
        b.name for b in boards if sum(b.memory(m).size for m in b.place.arena) >= needed
    )


def test_the_refusal_lists_scratch_and_what_is_reserved() -> None:
    net = Net("wide")
    x = net.conv(net.input(1, 1, 1, 1000), 1000, name="c")
    where = board(sram=6_000, arena=("sram",))
    with pytest.raises(FitError) as error:
        allocate(schedule(net.graph(x), [], choose=with_scratch), where, reserved={"sram": 500})
    lines = str(error.value).splitlines()
    assert lines[1] == "  needs 6,000 B of 5,500 B (500 too many) at step 1 of 1, c"
    assert lines[2] == "  alive together: in0 1,000  c_out 1,000  scratch 4,000"
    assert lines[3] == "  free for the arena: sram 5,500 of 6,000"


def test_a_memory_that_others_fill_beyond_its_size_has_nothing_free() -> None:
    problem = Problem((), (("sram", -500), ("dtcm", 0)))
    said = free_rooms(board(sram=6_000, dtcm=100), problem)
    assert said == (
        "free for the arena: sram 0 of 6,000, where others take 500 too many  dtcm 0 of 100"
    )


def test_the_refusal_over_two_memories_counts_both() -> None:
    with pytest.raises(FitError) as error:
        allocate(schedule(vww(), ["ref"]), board(sram=30_000, dtcm=20_000))
    lines = str(error.value).splitlines()
    assert lines[0] == "vww does not fit 'sram' and 'dtcm' on desk"
    assert lines[1].startswith("  needs 55,296 B of 50,000 B (5,296 too many) at step 3 of 29")
    assert lines[3] == "  free for the arena: sram 30,000 of 30,000  dtcm 20,000 of 20,000"


def test_the_refusal_when_there_is_room_but_not_in_one_piece() -> None:
    net = Net("piece")
    graph = net.graph(net.conv(net.input(1, 1, 1, 100), 700))
    with pytest.raises(FitError) as error:
        allocate(schedule(graph, ["ref"]), board(sram=600, dtcm=600))
    assert error.value.why[0] == "needs 800 B in one piece; no way was found to divide it"
    assert error.value.why[1] == "most is alive at step 1 of 1, conv2d0"


def test_many_tensors_at_the_peak_are_summed_up() -> None:
    net = Net("many")
    made = [net.input(1, 1, 1, 40 - i) for i in range(9)]
    with pytest.raises(FitError) as error:
        allocate(schedule(net.graph(*made), ["ref"]), board(sram=16, dtcm=16))
    assert error.value.why[1].endswith("in5 35  3 more 99")
    assert error.value.why[0].endswith("at step 1 of 1, the input")


def test_the_refusal_names_the_fewest_tensors_that_are_too_many() -> None:
    """Five meet at the peak; two of them would not fit either."""
    net = Net("few")
    made = [net.input(1, 1, 1, size) for size in (900, 40, 800, 40, 40)]
    with pytest.raises(FitError) as error:
        allocate(schedule(net.graph(*made), ["ref"]), board(sram=1000, dtcm=600))
    assert error.value.why[-1] == "too many already: in0 900  in2 800"


def test_a_schedule_of_other_steps_than_its_graph_is_our_bug() -> None:
    steps = schedule(resnet8(), ["ref"])
    cut = Schedule(steps.graph, steps.steps[:-1], steps.peak)
    with pytest.raises(InvariantError, match="steps"):
        allocate(cut, board())
