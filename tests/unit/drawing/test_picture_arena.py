"""The picture of a memory plan shows every buffer where it lies."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings

from deployer.allocate.allocate import allocate, solve
from deployer.allocate.portfolio import NO_EFFORT
from deployer.allocate.problem import Problem
from deployer.drawing.arena import arena_boxes, arena_panels, arena_svg
from deployer.drawing.svg import markup
from deployer.ir.graph import Graph
from deployer.ir.plan import Buffer, MemoryPlan, Placement
from deployer.schedule.order import schedule
from unit.drawing.drawn import SVG, buffers, parsed, size, texts
from unit.ir.boards import board
from unit.ir.nets import Net, resnet8, vww
from unit.ir.strategies import problems


def planned(graph: Graph) -> MemoryPlan:
    return allocate(schedule(graph, ("ref",)), board(), effort=NO_EFFORT)


def two_memories() -> MemoryPlan:
    """Three buffers alive together, one of them in another memory."""
    places = (
        Placement(Buffer("a", 0, 2, 4000), "sram", 0),
        Placement(Buffer("b", 0, 2, 64), "sram", 4000),
        Placement(Buffer("c", 0, 2, 900), "dtcm", 0),
    )
    return MemoryPlan(places, (("sram", 4064), ("dtcm", 900)), 4964, "optimal", "by hand")


@settings(max_examples=40, deadline=None)
@given(problems())
def test_every_buffer_is_drawn_once_inside_and_apart(problem: Problem) -> None:
    plan = solve(problem, NO_EFFORT)
    root = parsed(arena_svg(plan, None, None))
    drawn = {rect.name: rect for rect in buffers(root)}
    visible = [p for p in plan.placements if p.buffer.size]
    assert len(buffers(root)) == len(drawn)
    assert {p.buffer.id for p in visible} <= set(drawn)
    assert all(rect.inside(*size(root)) for rect in drawn.values())
    for one, two in combinations(visible, 2):
        if one.buffer.overlaps(two.buffer):
            assert not drawn[one.buffer.id].meets(drawn[two.buffer.id])


def test_sides_are_the_lifetime_and_the_addresses() -> None:
    plan = two_memories()
    panel = next(arena_panels(plan, None, 2))
    whole, thin = arena_boxes(panel, plan)
    assert (whole.x, whole.width) == (panel.left, 2 * panel.step)
    assert whole.y + whole.height == panel.bottom
    assert thin.y == panel.top
    assert round(whole.height / (panel.bottom - panel.top), 3) == round(4000 / 4064, 3)


def test_a_buffer_too_small_for_a_pixel_is_seen_where_there_is_room() -> None:
    places = (
        Placement(Buffer("big", 0, 1, 1 << 20), "sram", 0),
        Placement(Buffer("tiny", 1, 2, 4), "sram", 0),
        Placement(Buffer("pinched", 2, 3, 4), "sram", 0),
        Placement(Buffer("above", 2, 3, 1 << 19), "sram", 4),
    )
    plan = MemoryPlan(places, (("sram", 1 << 20),), 1 << 20, "optimal", "by hand")
    drawn = {rect.name: rect for rect in buffers(parsed(arena_svg(plan, None, None)))}
    assert drawn["tiny"].height == 1.5
    assert not drawn["pinched"].meets(drawn["above"])


def test_peak_bound_arena_and_limit_are_marked() -> None:
    root = parsed(arena_svg(planned(resnet8()), resnet8(), board()))
    said = texts(root)
    assert f"peak 49,152 B at step 2, {resnet8().nodes[2].name}" in said
    assert {"arena 49,152 B", "proven bound 49,152 B", "sram 65,536 B"} <= set(said)
    assert "75.0% used by the arena" in said


def test_a_limit_far_above_the_arena_stays_on_the_canvas() -> None:
    root = parsed(arena_svg(planned(resnet8()), resnet8(), board(sram=1 << 30)))
    width, height = size(root)
    limits = [item for item in root.iter() if item.get("class") == "limit"]
    assert [0 < float(item.get("y1", -1)) < height for item in limits] == [True]
    assert width < 2000


def test_every_memory_has_a_panel_of_its_own() -> None:
    root = parsed(arena_svg(two_memories(), None, None))
    drawn = {rect.name: rect for rect in buffers(root)}
    assert set(drawn) == {"a", "b", "c"}
    assert drawn["c"].y > drawn["a"].y + drawn["a"].height
    assert {"sram: address in bytes", "dtcm: address in bytes"} <= set(texts(root))


def test_labels_stay_within_their_boxes_or_are_left_out() -> None:
    root = parsed(arena_svg(planned(vww()), vww(), board()))
    labels = [item for item in root.iter(f"{SVG}text") if "name" in str(item.get("class")).split()]
    assert len(labels) > 15
    for label in labels:
        x, y, wide = float(label.get("x", 0)), float(label.get("y", 0)), len(label.text or "") * 6
        if label.get("transform"):
            continue
        under = [b for b in buffers(root) if b.x < x < b.x + b.width and b.y < y < b.y + b.height]
        assert [box.width >= wide for box in under] == [True], label.text


def test_colours_follow_the_operator() -> None:
    graph = resnet8()
    root = parsed(arena_svg(planned(graph), graph, board()))
    kinds = {
        item.get("data-buffer"): (item.get("class") or "").split()[0]
        for item in root.iter()
        if item.get("data-buffer")
    }
    for name, kind in kinds.items():
        if name in graph.inputs:
            assert kind == "k-input"
        elif graph.producer[str(name)].op == "Add":
            assert kind == "k-sum"
    assert {"k-conv", "k-sum", "k-dense", "k-pool", "k-point", "k-input"} == set(kinds.values())


def test_the_same_plan_gives_the_same_bytes() -> None:
    first, second = (markup(arena_svg(planned(resnet8()), resnet8(), board())) for _ in range(2))
    assert first == second


def test_names_that_are_no_xml_are_drawn() -> None:
    net = Net("<svg>&\x00\x1b")
    net.conv(net.input(1, 4, 4, 2), 3, name='a"<b>\x07&amp;')
    graph = net.graph(net.nodes[-1].output)
    root = parsed(arena_svg(planned(graph), graph, board()))
    assert any(r"<svg>&\x00\x1b" in text for text in texts(root))


def test_an_empty_plan_is_a_drawing_too() -> None:
    root = parsed(arena_svg(MemoryPlan((), (), 0, "optimal", "none"), None, None))
    assert buffers(root) == []
