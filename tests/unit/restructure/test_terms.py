"""How often a kernel call does what, counted by hand."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from deployer.ir.attrs import Pads, Window
from deployer.ir.graph import Graph, Node
from deployer.kernelset.kernel import Kernel
from deployer.quantize.quantize import QuantOptions, quantize
from deployer.restructure.terms import Terms, channels_of, of_kernel, terms_of, whole
from unit.quantize.graphs import Draft, noise

SAME = Window((3, 3), pads=Pads(1, 1, 1, 1))


def last_of(draft: Draft, output: str) -> tuple[Graph, Node]:
    plain = draft.graph(output)
    graph = quantize(plain, noise(plain), QuantOptions()).graph
    return graph, next(node for node in graph.nodes if node.output == graph.outputs[0])


def counted(draft: Draft, output: str, channels: int | None = None) -> Terms:
    return terms_of(*last_of(draft, output), channels)


def picked(terms: Terms, *names: str) -> tuple[float, ...]:
    return tuple(terms.pixel[name] for name in names)


def test_a_convolution_counts_blocks_of_four_channels_filled_up() -> None:
    draft = Draft(1, 6, 5, 3)
    found = counted(draft, draft.conv("x", 10, SAME))
    assert picked(found, "block", "element", "tap_row", "run") == (3, 10, 9, 9)
    assert picked(found, "mac", "pair", "fours") == (3 * 4 * 9 * 3, 5, 5 * 7)
    assert picked(found, "column", "gathered", "stretch") == (28, 27, 3)
    assert (found.row, found.once) == ({"row": 1, "row_block": 3}, {"spread": 10 * 9 * 2})


def test_a_convolution_of_some_channels_has_their_share() -> None:
    draft = Draft(1, 6, 5, 3)
    found = counted(draft, draft.conv("x", 10, SAME), 4)
    assert picked(found, "block", "element", "pair") == (1, 4, 2)


def test_windows_at_the_border_are_a_share_of_the_pixels() -> None:
    """Of 6 x 5 pixels 4 x 3 lie inside."""
    draft = Draft(1, 6, 5, 3)
    found = counted(draft, draft.conv("x", 4, SAME))
    assert found.pixel["border"] == pytest.approx(3 * (1 - 12 / 30))
    assert found.pixel["edge"] in (0, pytest.approx(3 * (1 - 12 / 30)))


def test_steps_of_two_reach_the_border_less_often() -> None:
    """3 x 3 windows that begin at -1, 1, 3 of 6 rows and -1, 1, 3 of 5 columns."""
    draft = Draft(1, 6, 5, 3)
    half = Window((3, 3), (2, 2), pads=Pads(1, 1, 1, 1))
    found = counted(draft, draft.conv("x", 4, half))
    assert found.pixel["border"] == pytest.approx(3 * (1 - (2 / 3) * (1 / 3)))


@settings(max_examples=40, deadline=None)
@given(st.tuples(*[st.integers(1, n) for n in (9, 9, 4, 4, 3)]), st.integers(0, 3))
def test_windows_at_the_border_are_those_that_reach_beyond_it(
    sizes: tuple[int, ...], pad: int
) -> None:
    tall, wide, kernel, stride, gap = sizes
    span = (kernel - 1) * gap + 1
    assume(pad < span <= min(tall, wide) + 2 * pad)
    window = Window((kernel, kernel), (stride, stride), (gap, gap), Pads(pad, pad, pad, pad))
    draft = Draft(1, tall, wide, 1)
    found = counted(draft, draft.conv("x", 4, window))
    inside = made = 1
    for extent in (tall, wide):
        starts = range(-pad, extent + pad - span + 1, stride)
        inside *= sum(0 <= at <= extent - span for at in starts)
        made *= len(starts)
    assert found.pixel["border"] == pytest.approx(kernel * (1 - inside / made))


def test_taps_with_gaps_are_runs_of_their_own() -> None:
    draft = Draft(1, 9, 9, 4)
    apart = Window((3, 3), dilation=(2, 2))
    found = counted(draft, draft.conv("x", 4, apart))
    assert picked(found, "run", "stretch", "gathered") == (9, 9, 0)


def test_tiles_of_four_outputs_fill_up_the_last_column() -> None:
    draft = Draft(1, 6, 5, 6)
    found = counted(draft, draft.conv("x", 7, SAME))
    tiles = 3 / 10  # to a pixel: three of two columns for five
    expected = tiles * 8, tiles * 4, tiles * 4 * 2
    assert picked(found, "tile_in", "tile_out", "tile_fours") == pytest.approx(expected)


def test_tiles_and_channels_in_eights_are_filled_up() -> None:
    draft = Draft(1, 6, 7, 9)
    found = counted(draft, draft.conv("x", 25, SAME))
    tiles = 16 / 42  # to a pixel: three by four, two eights of them
    expected = tiles * 2, tiles * 4, tiles * 2 * 4
    assert picked(found, "eights_in", "eights_out", "eights") == pytest.approx(expected)


def test_a_depthwise_layer_counts_blocks_and_single_channels() -> None:
    draft = Draft(1, 6, 5, 10)
    found = counted(draft, draft.depthwise("x", SAME))
    assert picked(found, "block", "tap_row", "mac") == (2, 6, 72)
    assert picked(found, "single", "single_mac", "packed") == (2, 18, 10)
    assert found.row.items() >= {"row": 1, "row_block": 4, "row_taps": 9}.items()
    assert found.once["channels"] == 10
    assert found.pixel["edge"] == pytest.approx(2 * 9 * (1 - 12 / 30))


def test_blocks_of_3x3_on_packed_rows_have_a_term_of_their_own() -> None:
    """A row of 5 outputs is a block and one of a single output, which passes through the room in
    the last row. A
    line has 2 words for each block and 2 for a window behind the last; 8 of 10 channels are packed
    in fours."""
    draft = Draft(1, 6, 5, 10)
    found = counted(draft, draft.depthwise("x", SAME))
    pixels = 6 * 5
    per_pixel = picked(found, "threes", "quads", "roomed", "words", "words_alone")
    counts = (10 * 6 * 2, 0, 10, 8 * 6 * 2, 8 * 6 * 2)
    assert per_pixel == pytest.approx([count / pixels for count in counts])
    assert found.once["weights"] == 10 * 3 * 2


def test_other_windows_on_packed_rows_count_their_rows_and_terms() -> None:
    """3x5 at stride 2 of 9x11 in 2 channels: 4 rows of 4 outputs, each window 3 rows of three pairs
    of taps."""
    draft = Draft(1, 9, 11, 2)
    found = counted(draft, draft.depthwise("x", Window((3, 5), (2, 2))))
    quads = 2 * 4 / 16
    per_pixel = picked(found, "threes", "quads", "quad_rows", "quad_terms", "words")
    assert per_pixel == pytest.approx((0, quads, quads * 3, quads * 3 * 3, 0))


def test_with_several_outputs_a_channel_none_come_in_blocks() -> None:
    draft = Draft(1, 6, 5, 4)
    found = counted(draft, draft.depthwise("x", SAME, multiplier=2))
    assert picked(found, "block", "mac", "single", "single_mac") == (0, 0, 8, 72)


def test_a_pool_counts_blocks_and_single_channels() -> None:
    draft = Draft(1, 6, 6, 7)
    found = counted(draft, draft.largest("x", Window((2, 3), (2, 3))))
    names = ("pixel", "block", "tap_row", "mac", "single", "single_mac")
    assert picked(found, *names) == (1, 1, 8, 24, 3, 18)


def test_a_dense_layer_has_no_pixels_and_no_rows() -> None:
    draft = Draft(1, 20)
    found = counted(draft, draft.dense("x", 6))
    assert (found.pixel, found.row) == ({"block": 2, "element": 6, "mac": 160}, {})


def test_a_transposed_convolution_shares_its_products_among_its_pixels() -> None:
    """3 x 3 inputs of 5 channels make 6 x 6 outputs with 2 x 2 windows that do not overlap."""
    draft = Draft(1, 3, 3, 5)
    found = counted(draft, draft.deconv("x", 4, Window((2, 2), (2, 2)), (6, 6)))
    assert picked(found, "pixel", "block", "mac") == (1, 1, 20)


def test_a_join_counts_the_bytes_of_each_part_by_what_happens_to_them() -> None:
    draft = Draft(1, 4, 4, 6)
    graph, node = last_of(draft, draft.concat("x", draft.conv("x", 2, Window((1, 1))), axis=3))
    found = terms_of(graph, node)
    assert found.row == {"row": 2}
    assert found.pixel["pixel"] == 2
    assert found.pixel["element"] + found.pixel["copied"] == 8
    assert found.pixel["copied"] in (2, 6, 8)  # of the part whose scale is the output's
    half = terms_of(graph, node, 4)
    assert half.pixel["copied"] == found.pixel["copied"] / 2


def test_other_operators_go_element_by_element() -> None:
    draft = Draft(1, 4, 4, 6)
    graph, node = last_of(draft, draft.add("x", "x"))
    assert terms_of(graph, node).pixel == {"pixel": 1, "gap": 0, "element": 6}
    assert terms_of(graph, node, 4).pixel == {"pixel": 1, "gap": 1, "element": 4}
    assert (whole(graph, node), channels_of(graph, node)) == ((4, 4), 6)


def test_a_kernel_keeps_the_terms_it_names_and_those_of_all() -> None:
    terms = Terms({"pixel": 1, "block": 2, "pair": 3, "mac": 4}, {"row": 1, "row_block": 2})
    portable = Kernel("dpl_conv2d_s8__ref", op="Conv2d")
    kept = of_kernel(terms, portable)
    assert (kept.pixel, kept.row) == ({"pixel": 1, "block": 2, "mac": 4}, terms.row)
    pairs = of_kernel(terms, Kernel("dpl_conv2d_s8__armv7em", op="Conv2d", terms=("pair",)))
    assert (pairs.pixel, pairs.row) == ({"pixel": 1, "pair": 3}, {"row": 1})
