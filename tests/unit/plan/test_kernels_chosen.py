"""Kernels by the board's cost table, in the memory and the flash there is."""

from __future__ import annotations

from deployer.ir.graph import Graph
from deployer.kernelset.kernel import case_of
from deployer.kernelset.select import by_symbol
from deployer.plan.kernels import fastest, fits_limits
from unit.ir.nets import Net, resnet8
from unit.plan.planner_requests import request_for

KIB = 1024
WINOGRAD = "dpl_conv2d_s8__armv7em_winograd"


def wide_layer() -> Graph:
    """A 3x3 layer of many channels, where Winograd costs least."""
    net = Net("wide")
    return net.graph(net.conv(net.conv(net.input(1, 32, 32, 3), 32, 3), 32, 3))


def named(graph: Graph) -> dict[str, str]:
    return {node.name: node.kernel for node in graph.nodes if node.kernel}


def test_the_kernel_that_costs_least_is_named() -> None:
    assert named(fastest(wide_layer(), request_for("nucleo-f767zi")))["conv2d1"] == WINOGRAD


def test_the_first_kernels_stay_where_they_are_asked_for() -> None:
    for limits in ({"choose": "first"}, {"optimize": "ram"}):
        assert named(fastest(wide_layer(), request_for("nucleo-f767zi", **limits))) == {}


def test_a_board_without_costs_keeps_the_first() -> None:
    assert named(fastest(wide_layer(), request_for("qemu-mps2-an500"))) == {}


def test_kernels_whose_weights_have_no_room_in_flash_are_not_taken() -> None:
    """Winograd stores 16 products for nine: 32 x 32 x 7 bytes more."""
    graph = wide_layer()
    sizes = range(40, 120)
    takes = [
        WINOGRAD
        in named(fastest(graph, request_for("nucleo-f767zi", {"flash": size * KIB}))).values()
        for size in sizes
    ]
    assert takes == sorted(takes)
    assert not takes[0]
    assert takes[-1]


def test_the_kernel_of_most_scratch_is_given_up_first() -> None:
    """In less and less RAM fewer kernels are named, and what is left fits."""
    before = None
    for size in (384, 96, 84, 80, 76, 72):
        request = request_for("nucleo-f767zi", {"sram": size * KIB, "dtcm": 8 * KIB}, share="off")
        found = fastest(wide_layer(), request)
        scratch = sum(
            by_symbol(node.kernel).scratch(case_of(found, node))
            for node in found.nodes
            if node.kernel
        )
        assert before is None or scratch <= before
        before = scratch
        if named(found):
            assert fits_limits(found, request)
    assert before == 0


def test_a_limit_on_ram_is_kept_to_the_byte() -> None:
    """Whole, the first block of ResNet-8 needs three tensors of 16 KiB."""
    graph = fastest(resnet8(), request_for("nucleo-f767zi", choose="first", share="off"))
    exact = next(
        ram for ram in range(48 * KIB, 64 * KIB, 4)
        if fits_limits(graph, request_for("nucleo-f767zi", ram=ram, share="off"))
    )  # fmt: skip
    assert 48 * KIB <= exact < 52 * KIB
    assert not fits_limits(graph, request_for("nucleo-f767zi", ram=exact - 1, share="off"))
    assert fits_limits(graph, request_for("nucleo-f767zi", share="off"))
