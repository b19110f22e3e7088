"""Generated networks whose values share bytes compute the plain integers, under sanitizers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from deployer.allocate.allocate import allocate
from deployer.analysis.liveness import step_nodes
from deployer.board.load import load_board
from deployer.codegen.network import generate, kernel_sources
from deployer.ir.graph import Graph
from deployer.ir.plan import Schedule, Step
from deployer.ir.views import copies_nothing
from deployer.numerics.interpret import run
from deployer.schedule.order import kernel_of, schedule
from unit.analysis.spatial_nets import SpatialNet, regional, spatial_nets
from unit.codegen.generated_c import Compiler
from unit.ir.strategies import STEADY
from unit.schedule.sharing import dense_block, forced

QUICK = settings(STEADY, max_examples=12, phases=(Phase.generate,))


@pytest.fixture(scope="module")
def compiler(tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Compiler:
    return Compiler(tool("gcc"), tmp_path_factory.mktemp("shares"))


def scheduled(graph: Graph) -> Schedule:
    """The steps of a graph whose shares are settled."""
    nodes = step_nodes(graph)
    chosen = (("", 0) if copies_nothing(graph, n) else kernel_of((), graph, n) for n in nodes)
    steps = (Step(i, n.name, *k) for i, (n, k) in enumerate(zip(nodes, chosen, strict=True)))
    return Schedule(graph, tuple(steps), 0)


def same_integers(compiler: Compiler, order: Schedule, net: SpatialNet) -> None:
    plan = allocate(order, load_board("host"))
    files = generate(order, plan, version="0", options=())
    program = compiler.program(files, [compiler.object(name) for name in kernel_sources(order)])
    sample = net.sample()
    given_bytes = b"".join(sample[name].tobytes() for name in order.graph.inputs)
    found = compiler._split(order.graph, compiler.output(program, given_bytes))
    expected = run(order.graph, sample)
    for name in order.graph.outputs:
        np.testing.assert_array_equal(found[name], expected[name])


@QUICK
@given(net=spatial_nets(joined=True))
def test_chosen_shares_are_bit_exact(compiler: Compiler, net: Any) -> None:
    same_integers(compiler, schedule(net.graph(), (), share=True), net)


@QUICK
@given(data=st.data())
def test_random_shares_are_bit_exact(compiler: Compiler, data: Any) -> None:
    net = data.draw(spatial_nets(joined=True))
    graph = data.draw(forced(schedule(net.graph(), ()).graph))
    same_integers(compiler, scheduled(graph), net)


@QUICK
@given(data=st.data())
def test_random_shares_beside_regions_are_bit_exact(compiler: Compiler, data: Any) -> None:
    graph, net = data.draw(regional(joined=True))
    same_integers(compiler, scheduled(data.draw(forced(graph))), net)


def test_a_dense_block_copies_nothing(compiler: Compiler) -> None:
    graph, net = dense_block()
    order = schedule(graph, (), share=True)
    joins = [step for step in order.steps if step.node.startswith("concat")]
    assert len(joins) == 3
    assert all(step.kernel == "" for step in joins)
    same_integers(compiler, order, net)
