"""Where tensors lie that share bytes, from what is said of pairs of them."""

from __future__ import annotations

import pytest

from deployer.analysis.places import Edge, Misplaced, Tensor, arranged

WHOLE = Tensor("whole", (4, 6, 8), 1, 0, 1)
PART = Tensor("part", (4, 6, 3), 1, 0, 1)
INNER = Tensor("inner", (2, 3, 8), 1, 0, 1)
FLAT = Tensor("flat", (1, 1, 192), 1, 0, 1)
TENSORS = {tensor.name: tensor for tensor in (WHOLE, PART, INNER, FLAT)}


def offsets(*edges: Edge) -> dict[str, int]:
    return {name: spot.offset for name, spot in arranged(edges, TENSORS).items()}


def test_a_part_begins_at_its_element_and_has_the_pitches_of_the_whole() -> None:
    found = arranged([Edge("part", "whole", (0, 0, 5)), Edge("inner", "whole", (1, 2, 0))], TENSORS)
    assert {name: spot.offset for name, spot in found.items()} == {
        "whole": 0,
        "part": 5,
        "inner": 1 * 48 + 2 * 8,
    }
    assert {spot.pitches for spot in found.values()} == {(48, 8)}
    assert {spot.grid for spot in found.values()} == {"whole"}
    assert found["inner"].at == (1, 2, 0)


def test_an_alias_of_another_shape_begins_where_its_owner_does() -> None:
    assert offsets(Edge("flat", "whole", None)) == {"flat": 0, "whole": 0}


@pytest.mark.parametrize("gap", [8, -8, 6, -6, 1])
def test_a_gap_is_kept_and_the_lowest_begins_at_0_to_3(gap: int) -> None:
    found = offsets(Edge("flat", "whole", None, gap))
    assert found["flat"] - found["whole"] == gap
    assert min(found.values()) in range(4)


def test_what_is_said_twice_must_agree() -> None:
    one = Edge("part", "whole", (0, 0, 5))
    assert offsets(one, one) == {"part": 5, "whole": 0}
    with pytest.raises(Misplaced, match="two places"):
        offsets(one, Edge("part", "whole", (0, 0, 4)))
    with pytest.raises(Misplaced, match="two places"):
        offsets(Edge("flat", "whole", None, 4), Edge("flat", "whole", None, 8))


def test_a_window_cannot_be_renamed() -> None:
    with pytest.raises(Misplaced, match="part is a window"):
        offsets(Edge("part", "whole", (0, 0, 5)), Edge("flat", "part", None))


def test_no_tensor_that_holds_all_is_no_place() -> None:
    with pytest.raises(Misplaced, match="no tensor holds all of"):
        offsets(Edge("part", "whole", (0, 0, 6)))
