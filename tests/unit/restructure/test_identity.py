"""The pass that changes nothing."""

from __future__ import annotations

from deployer.ir.verify import verify
from deployer.restructure.identity import Identity, restructure
from unit.ir.nets import mnist


def test_the_graph_comes_back_as_it_is() -> None:
    graph = mnist()
    assert restructure(graph) is graph
    assert verify(Identity()(graph)) is graph


def test_a_pass_has_a_name_and_is_equal_by_its_options() -> None:
    assert Identity().name == "identity"
    assert Identity() == Identity()
