"""How far outputs may lie over inputs: known distances, and the rule against a walk of blocks."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.ir.attrs import Pads
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.order import BY_ELEMENTS, BY_PARTS, BY_PIXELS, BY_ROWS, AccessOrder
from deployer.kernelset.overlap_offset import overlap_offset_of
from deployer.kernelset.select import by_symbol

SHAPE = (1, 10, 6, 8)
ROW, TOTAL = 48, 480


def kernel(order: AccessOrder | None, op: str = "Conv2d") -> Kernel:
    return Kernel(f"dpl_{op.lower()}_s8__ref", op=op, order=order)


def conv(out: tuple[int, ...] = SHAPE, size: int = 1, pad: int = 0, **more: object) -> KernelCase:
    case = KernelCase("Conv2d", "s8", "s8", (SHAPE,), out, (size, size), pads=Pads(*[pad] * 4))
    return replace(case, **more)


@pytest.mark.parametrize(
    ("case", "offset"),
    [
        (conv(), ROW),  # a row is rewritten when all of it has been read
        (conv(size=3, pad=1), 2 * ROW),
        (conv(size=5, pad=2), 3 * ROW),
        (conv(size=3, pad=2, dilation=(2, 2)), 3 * ROW),
        (conv((1, 8, 4, 8), size=3), 4 * 8),  # rows of 32: never beyond the first
        (conv((1, 5, 3, 8), stride=(2, 2)), 3 * 8),
        (conv((1, 10, 6, 2)), 12),  # fewer channels: the first row decides
        (conv((1, 10, 6, 16)), 10 * 96 - 9 * ROW),  # more: the last one does
        (conv((1, 11, 6, 8), size=2, pads=Pads(1, 0, 1, 1)), 2 * ROW),
    ],
)
def test_offset_of_a_convolution_by_rows(case: KernelCase, offset: int) -> None:
    assert overlap_offset_of(kernel(BY_ROWS), case, 0, cores=1) == offset


def test_bytes_of_int16_are_twice_those_of_int8() -> None:
    case = conv(size=3, pad=1, act="s16")
    assert overlap_offset_of(kernel(BY_ROWS), case, 0, cores=1) == 4 * ROW


def test_offsets_are_multiples_of_four() -> None:
    case = KernelCase("Conv2d", "s8", "s8", ((1, 9, 5, 1),), (1, 9, 5, 1))
    assert overlap_offset_of(kernel(BY_ROWS), case, 0, cores=1) == 8  # a row has 5 bytes


def test_two_rows_at_a_time_need_a_row_more() -> None:
    assert (
        overlap_offset_of(kernel(AccessOrder(rows=2)), conv(size=3, pad=1), 0, cores=1) == 3 * ROW
    )


def test_a_buffered_row_no_longer_needs_its_input() -> None:
    assert overlap_offset_of(kernel(AccessOrder(buffered=True)), conv(), 0, cores=1) == 0
    assert (
        overlap_offset_of(kernel(AccessOrder(buffered=True)), conv(size=3, pad=1), 0, cores=1)
        == ROW
    )


def test_a_pool_needs_a_pixel() -> None:
    case = KernelCase("MaxPool", "s8", "", (SHAPE,), (1, 5, 3, 8), (2, 2), (2, 2))
    assert overlap_offset_of(kernel(BY_PIXELS, "MaxPool"), case, 0, cores=1) == 8


def test_outputs_that_could_share_no_byte_have_no_offset() -> None:
    dense = KernelCase("FullyConnected", "s8", "s8", ((1, 640),), (1, 128))
    assert overlap_offset_of(by_symbol("dpl_fully_connected_s8__ref"), dense, 0, cores=1) is None
    whole = conv((1, 1, 1, 8), kernel=(10, 6))
    assert overlap_offset_of(kernel(BY_ROWS), whole, 0, cores=1) is None


def test_a_kernel_that_states_no_order_has_no_offset() -> None:
    assert overlap_offset_of(kernel(None), conv(), 0, cores=1) is None


@pytest.mark.parametrize("cores", [1, 8])
@pytest.mark.parametrize("order", [BY_ROWS, BY_PIXELS, BY_ELEMENTS, BY_PARTS])
def test_an_operator_that_states_nothing_shares_nothing(order: AccessOrder, cores: int) -> None:
    """One that nobody registered, one without an access map, whatever the kernel says."""
    for op in ("Unregistered", "Transpose"):
        case = KernelCase(op, "s8", "", (SHAPE,), SHAPE)
        assert overlap_offset_of(kernel(order, op), case, 0, cores=cores) is None


def test_pixels_of_two_inputs_are_not_judged_by_those_of_the_first() -> None:
    case = KernelCase("Mul", "s8", "", (SHAPE, (1, 1, 1, 8)), SHAPE)
    assert overlap_offset_of(kernel(BY_PIXELS, "Mul"), case, 1, cores=1) is None


def test_elementwise_runs_in_place() -> None:
    case = KernelCase("Add", "s8", "", (SHAPE, SHAPE), SHAPE)
    for index, cores in product((0, 1), (1, 8)):
        assert overlap_offset_of(kernel(BY_ELEMENTS, "Add"), case, index, cores=cores) == 0


def test_a_broadcast_pixel_ends_up_under_the_last_one() -> None:
    case = KernelCase("Mul", "s8", "", (SHAPE, (1, 1, 1, 8)), SHAPE)
    mul = kernel(BY_ELEMENTS, "Mul")
    assert overlap_offset_of(mul, case, 0, cores=1) == 0
    assert overlap_offset_of(mul, case, 1, cores=1) == TOTAL - 8
    assert overlap_offset_of(mul, case, 1, cores=8) is None
    swapped = replace(case, in_shapes=case.in_shapes[::-1])
    assert [overlap_offset_of(mul, swapped, i, cores=1) for i in (0, 1)] == [TOTAL - 8, 0]


def test_wider_elements_grow_towards_their_input() -> None:
    wider = KernelCase("Rescale", "s8", "", (SHAPE,), SHAPE, out_act="s16")
    narrower = KernelCase("Rescale", "s16", "", (SHAPE,), SHAPE, out_act="s8")
    assert overlap_offset_of(by_symbol("dpl_rescale_s8_s16__ref"), wider, 0, cores=1) == TOTAL
    assert overlap_offset_of(by_symbol("dpl_rescale_s16_s8__ref"), narrower, 0, cores=1) == 0
    assert overlap_offset_of(by_symbol("dpl_rescale_s16_s8__ref"), narrower, 0, cores=8) is None


def test_parts_of_a_concat_wait_for_those_before() -> None:
    shapes, out = ((1, 10, 6, 8), (1, 10, 6, 4)), (1, 10, 6, 12)
    case = KernelCase("Concat", "s8", "", shapes, out)
    offsets = [overlap_offset_of(kernel(BY_PARTS, "Concat"), case, i, cores=1) for i in (0, 1)]
    assert offsets == [59 * 4 + 8, 59 * 12 + 8]


def test_rows_after_rows_take_their_places_but_for_one() -> None:
    shapes, out = ((1, 4, 6, 8), (1, 6, 6, 8)), SHAPE
    case = KernelCase("Concat", "s8", "", shapes, out)
    offsets = [overlap_offset_of(kernel(BY_PARTS, "Concat"), case, i, cores=1) for i in (0, 1)]
    assert offsets == [ROW, 5 * ROW]


def test_only_elements_in_place_hold_for_several_cores() -> None:
    for order in (BY_ROWS, BY_PIXELS, AccessOrder(buffered=True)):
        assert overlap_offset_of(kernel(order), conv(), 0, cores=2) is None


def walked(order: AccessOrder, case: KernelCase) -> int:
    """The largest (end of written - first byte read later), block by block, tap by tap."""
    _, height, width, channels = case.in_shapes[0]
    _, rows, columns, depth = case.out_shape
    pads, (taps_y, taps_x) = case.pads, (range(n) for n in case.kernel)

    def reads(y: int, x: int) -> list[int]:
        at = (
            (
                y * case.stride[0] - pads.top + ky * case.dilation[0],
                x * case.stride[1] - pads.left + kx * case.dilation[1],
            )
            for ky, kx in product(taps_y, taps_x)
        )
        inside = ((a, b) for a, b in at if 0 <= a < height and 0 <= b < width)
        return [(a * width + b) * channels for a, b in inside]

    tall, wide = order.rows or rows, order.columns or columns
    corners = list(product(range(0, rows, tall), range(0, columns, wide)))
    blocks = [
        [
            (y, x)
            for y in range(y0, min(rows, y0 + tall))
            for x in range(x0, min(columns, x0 + wide))
        ]
        for y0, x0 in corners
    ]
    need, end = 0, 0
    for i, block in enumerate(blocks):
        end = max(end, *((y * columns + x + 1) * depth for y, x in block))
        later = blocks[i + order.buffered :]
        read = [byte for pixels in later for pixel in pixels for byte in reads(*pixel)]
        need = max([need, *(end - byte for byte in read)])
    return need


@st.composite
def windows(draw: st.DrawFn) -> KernelCase:
    """Pads up to beyond the window, so that some windows read nothing."""
    small = st.tuples(st.integers(1, 3), st.integers(1, 3))
    stride, dilation, output = draw(small), draw(small), draw(st.tuples(*[st.integers(1, 5)] * 2))
    kernel, pads = draw(small), draw(st.tuples(*[st.integers(0, 4)] * 2))
    spans = [
        (n - 1) * s + (k - 1) * d + 1
        for n, s, k, d in zip(output, stride, kernel, dilation, strict=True)
    ]
    extents = [max(1, span - 2 * pad) for span, pad in zip(spans, pads, strict=True)]
    channels, depth = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    around = Pads(*pads, *(n - e - p for n, e, p in zip(spans, extents, pads, strict=True)))
    return conv(
        (1, *output, depth),
        in_shapes=((1, *extents, channels),),
        kernel=kernel,
        stride=stride,
        dilation=dilation,
        pads=around,
    )


ORDERS = st.builds(
    AccessOrder, rows=st.integers(0, 4), columns=st.integers(0, 4), buffered=st.booleans()
)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(windows(), ORDERS)
def test_the_offset_is_what_a_walk_of_the_blocks_needs(
    case: KernelCase, order: AccessOrder
) -> None:
    need = -(-walked(order, case) // 4) * 4
    assert overlap_offset_of(kernel(order), case, 0, cores=1) == (
        need if need < prod(case.out_shape) else None
    )
