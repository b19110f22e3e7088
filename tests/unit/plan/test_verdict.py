"""Whether a schedule fits a board, on both sides of every limit."""

from __future__ import annotations

from dataclasses import replace

import pytest

from deployer.errors import ModelError
from deployer.ir.graph import Graph
from deployer.ir.types import DType
from deployer.plan.prefetch import scheduled
from deployer.plan.regions import restructured
from deployer.plan.verdict import boards_that_fit, judge, require_kernels, with_copies
from deployer.schedule.order import schedule
from unit.ir.nets import Net, resnet8
from unit.plan.planner_requests import request_for, sized

KIB = 1024


def two_tensors(size: int = 20 * KIB) -> Graph:
    """``size`` bytes in and out, and weights of one byte a channel."""
    net = Net("two")
    return net.graph(net.conv(net.input(1, 32, size // (32 * 8), 8), 8))


@pytest.mark.parametrize("missing", [0, 4])
def test_an_arena_fits_to_the_byte(missing: int) -> None:
    """The network's two tensors, 40 KiB, in one memory alone, the input's copy in the other."""
    order = schedule(two_tensors(), ("ref",))
    board = sized("nucleo-f767zi", sram=40 * KIB - missing, dtcm=29 * KIB)
    found = judge(order, board)
    assert (found.refusal is None) == (missing == 0)
    assert found.plan.arena == 40 * KIB


def test_what_is_too_large_is_told_with_its_excess() -> None:
    """Two tensors of 20 KiB and the input's copy, of which 30 KiB have room."""
    found = judge(schedule(two_tensors(), ("ref",)), sized("nucleo-f767zi", sram=30 * KIB, dtcm=0))
    over = {row.memory: row.excess for row in found.report.rows if row.excess > 0}
    assert over["sram"] == 30 * KIB
    assert found.refusal is not None
    assert "'sram'" in found.refusal.what


def test_a_network_that_fetches_its_weights_fits_by_what_is_alive() -> None:
    net = Net("heavy")
    x = net.input(1, 256)
    for _ in range(4):
        x = net.dense(x, 256)
    request = request_for("gap8", {"l2": 160 * KIB})
    order = scheduled(restructured(net.graph(x), request), request)
    found = judge(order, request.board)
    assert found.refusal is None
    assert found.plan.prefetch is not None
    assert judge(order, sized("gap8", l2=30 * KIB)).refusal is not None


def test_copies_of_constants_are_part_of_the_verdict_where_they_are_wanted() -> None:
    board = sized("nucleo-f767zi")
    order = schedule(resnet8(), board.kernels)
    found = judge(order, board)
    copied = with_copies(found, order, board)
    assert not found.plan.constants
    assert any(place.copied for place in copied.plan.constants)
    assert copied.report.fits


def test_boards_that_fit_leave_out_the_one_that_was_asked_for() -> None:
    names = boards_that_fit(two_tensors(), but="rpi3")
    assert {"nucleo-f767zi", "gap8", "host"} <= set(names)
    assert "rpi3" not in names
    large = boards_that_fit(two_tensors(4 << 20), but="host")
    assert large == ("rpi3", "rpi3-32")


def test_every_node_that_no_kernel_takes_is_named() -> None:
    graph = two_tensors()
    odd = {name: replace(value, dtype=DType.S32) for name, value in graph.values.items()}
    wrong = replace(graph, values={**odd, "conv2d0_w": graph.values["conv2d0_w"]})
    require_kernels(graph, graph.nodes, ("ref",))
    with pytest.raises(ModelError, match="no kernel computes 1 of 1 nodes") as caught:
        require_kernels(wrong, wrong.nodes, ("ref",))
    assert caught.value.reasons[0]["operator"] == "Conv2d"
