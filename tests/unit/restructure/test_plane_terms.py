"""What a convolution on packed rows counts, against counts by hand."""

from __future__ import annotations

from deployer.ir import Window
from deployer.restructure.plane_terms import conv_terms, transposed_terms


def test_blocks_have_a_row_of_taps_for_each_input_channel() -> None:
    """Rows of 8 outputs are two blocks; 3x3 taps of two channels are six rows of two pairs."""
    pixel, call = conv_terms(Window((3, 3)), (8, 8), depth=2, channels=4)
    assert pixel == {"quad": 1.0, "quad_row": 6.0, "quad_taps": 12.0}
    assert call == {"spread": 48}


def test_the_last_block_of_a_row_is_filled_up() -> None:
    pixel, _ = conv_terms(Window((3, 3)), (5, 5), depth=1, channels=1)
    assert pixel["quad"] == 2 / 5


def test_dilated_outputs_are_in_blocks_of_their_remainder() -> None:
    """Of six outputs a row, three read even columns and three odd ones: two blocks."""
    pixel, _ = conv_terms(Window((3, 3), dilation=(2, 2)), (6, 6), depth=1, channels=1)
    assert pixel["quad"] == 2 / 6


def test_a_tall_image_lies_on_its_side() -> None:
    """A column of 96 outputs is 24 blocks, where rows of one would be 96."""
    pixel, _ = conv_terms(Window((9, 1)), (96, 1), depth=1, channels=1)
    assert pixel == {"quad": 1 / 4, "quad_row": 1 / 4, "quad_taps": 5 / 4}


def test_at_strides_a_tap_is_in_one_pair_alone() -> None:
    pixel, _ = conv_terms(Window((3, 3), (2, 2)), (4, 4), depth=1, channels=1)
    assert pixel == {"quad": 1 / 4, "quad_row": 3 / 4, "quad_taps": 6 / 4}


def test_remainders_of_a_transposed_convolution_share_its_taps() -> None:
    """Of 4x4 taps at stride 2 each of four remainders has 2x2, its rows 8 of the 16 outputs."""
    pixel, call = transposed_terms(Window((4, 4), (2, 2)), (16, 16), depth=3, channels=2)
    assert pixel == {"quad": 2 / 4, "quad_row": 3.0, "quad_taps": 6.0}
    assert call == {"spread": 4 * 2 * 2 * 3 * 2}
