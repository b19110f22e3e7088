"""Alias classes and lifetimes."""

from __future__ import annotations

from hypothesis import given

from deployer.analysis.liveness import lifetimes, owners, step_nodes
from deployer.ir.graph import Graph
from deployer.ir.plan import Buffer
from unit.ir.nets import Net
from unit.ir.strategies import STEADY, graphs


def spans(graph: Graph) -> dict[str, tuple[int, int]]:
    return {b.id: (b.lower, b.upper) for b in lifetimes(graph)}


def test_a_value_lives_from_its_step_until_after_its_last_reader() -> None:
    net = Net("chain")
    a = net.conv(net.input(1, 2, 2, 1), 3)
    b = net.conv(a, 3)
    c = net.add(a, b)
    assert spans(net.graph(c)) == {"in0": (0, 1), a: (0, 3), b: (1, 3), c: (2, 3)}


def test_sizes_are_bytes_of_the_whole_tensor() -> None:
    net = Net("sizes")
    out = net.conv(net.input(1, 4, 6, 3), 5)
    assert [b.size for b in lifetimes(net.graph(out))] == [4 * 6 * 3, 4 * 6 * 5]


def test_a_reshape_shares_the_bytes_of_its_input_and_takes_no_step() -> None:
    net = Net("alias")
    a = net.conv(net.input(1, 2, 2, 1), 3)
    b = net.reshape(net.reshape(a), 1, 12)
    c = net.dense(b, 4)
    graph = net.graph(c)
    assert owners(graph)[b] == a
    assert spans(graph) == {"in0": (0, 1), a: (0, 2), c: (1, 2)}
    assert [node.op for node in step_nodes(graph)] == ["Conv2d", "FullyConnected"]


def test_an_alias_keeps_the_bytes_alive_for_its_own_readers() -> None:
    net = Net("late")
    a = net.conv(net.input(1, 1, 1, 4), 4)
    flat = net.reshape(a)
    b = net.conv(a, 4)
    c = net.conv(b, 4)
    d = net.add(net.reshape(c), flat)
    assert spans(net.graph(d))[a] == (0, 4)


def test_outputs_live_to_the_end_even_when_read_early() -> None:
    net = Net("early")
    a = net.conv(net.input(1, 1, 1, 4), 4)
    b = net.conv(net.conv(a, 4), 4)
    assert spans(net.graph(a, b))[a] == (0, 3)


def test_an_output_that_is_an_alias_keeps_its_source_to_the_end() -> None:
    net = Net("flat")
    a = net.conv(net.input(1, 1, 1, 4), 4)
    flat = net.reshape(a)
    b = net.conv(a, 2)
    assert spans(net.graph(flat, b))[a] == (0, 2)


def test_all_inputs_meet_at_step_0_since_the_host_writes_them_before() -> None:
    net = Net("two")
    first, unread, late = net.input(1, 1, 1, 4), net.input(1, 1, 1, 4), net.input(1, 1, 1, 4)
    a = net.conv(first, 4)
    found = spans(net.graph(net.add(a, late)))
    assert found[first] == (0, 1)
    assert found[unread] == (0, 1)
    assert found[late] == (0, 2)


def test_an_input_that_is_an_output_lives_throughout() -> None:
    net = Net("through")
    x = net.input(1, 1, 1, 4)
    a = net.conv(net.conv(x, 4), 4)
    assert spans(net.graph(a, x))[x] == (0, 2)


def test_a_network_without_steps_still_has_its_bytes() -> None:
    net = Net("nothing")
    x = net.input(1, 2, 2, 1)
    assert lifetimes(net.graph(net.reshape(x))) == (Buffer("in0", 0, 1, 4),)


def test_a_value_nobody_reads_lives_while_it_is_written() -> None:
    net = Net("dead")
    x = net.input(1, 1, 1, 4)
    dead = net.conv(x, 4)
    assert spans(net.graph(net.conv(x, 4)))[dead] == (0, 1)


def test_scratch_lives_for_its_step() -> None:
    net = Net("scratch")
    a = net.conv(net.input(1, 1, 1, 4), 4)
    b = net.conv(a, 4, name="second")
    found = lifetimes(net.graph(b), {"second": 100, "conv2d0": 0})
    assert found[-1] == Buffer("second.scratch", 1, 2, 100)
    assert len(found) == 4


@STEADY
@given(graphs())
def test_every_read_falls_into_the_lifetime(graph: Graph) -> None:
    owner, found = owners(graph), spans(graph)
    steps = step_nodes(graph)
    for index, node in enumerate(steps):
        for name in (*graph.activations(node), *node.outputs):
            lower, upper = found[owner[name]]
            assert lower <= index < upper
    for name in graph.outputs:
        assert found[owner[name]][1] == max(1, len(steps))
    for name in graph.inputs:
        assert found[name][0] == 0
