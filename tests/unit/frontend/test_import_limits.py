"""Limits of an import: what just keeps to each, and what just does not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx_equal import imported

from deployer.errors import ModelError
from deployer.frontend.bounds import excess
from deployer.frontend.express import express
from deployer.frontend.onnx_import import import_model
from deployer.frontend.rearrangement import Pieces, Transpose
from deployer.frontend.transposes import transposes_for
from models import ModelBuilder

LARGEST_FILE = 2_147_483_647


def kept(build: Callable[[ModelBuilder], str], folder: Path) -> bool:
    """Whether a model is imported."""
    s = ModelBuilder(1, opset=18)
    try:
        imported(s.model(build(s), checked=False), folder)
    except ModelError:
        return False
    return True


def pooled(s: ModelBuilder, height: int, width: int) -> str:
    return s.node("MaxPool", s.input(1, 1, height, width), kernel_shape=[height, width])


def stepped(s: ModelBuilder, strides: list[int], **attrs: list[int]) -> str:
    return s.conv(s.input(1, 1, 4, 4), (1, 1, 1, 1), strides=strides, **attrs)


def grown(s: ModelBuilder, extra: int) -> str:
    more = {"strides": [32767, 1], "output_padding": [extra, 0]}
    return s.node("ConvTranspose", s.input(1, 1, 2, 2), s.weight(1, 1, 1, 1), **more)


def flipped(s: ModelBuilder, size: int) -> str:
    """Every second element: an order that is worked out element by element."""
    return s.node("Slice", s.input(1, size), *(s.constant([n]) for n in (0, size, 1, 2)))


def parts(s: ModelBuilder, count: int) -> str:
    names = [f"part_{i}" for i in range(count)]
    s.node_of("Split", [s.input(1, count), s.constant([1] * count)], names, axis=1)
    return s.node("Relu", names[-1])


@pytest.mark.parametrize(
    ("build", "largest", "beyond"),
    [
        (lambda s, n: s.relu(s.input(1, 1, 4096, n)), 4096, 4097),
        (lambda s, n: stepped(s, [1, 1], pads=[0, 0, 4092, n]), 4092, 4093),
        (lambda s, n: pooled(s, 256, n), 256, 257),
        (lambda s, n: stepped(s, [n, 1]), 32767, 32768),
        (lambda s, n: stepped(s, [1, 1], dilations=[1, n]), 32767, 32768),
        (lambda s, n: stepped(s, [2, 2], pads=[n, 0, 0, 0]), 32767, 32768),
        (grown, 32766, 32768),
        (flipped, 1 << 22, (1 << 22) + 2),
        (parts, 1024, 1025),
    ],
)
def test_what_is_as_large_as_can_be(
    build: Callable[[ModelBuilder, int], str], largest: int, beyond: int, tmp_path: Path
) -> None:
    assert kept(lambda s: build(s, largest), tmp_path)
    assert not kept(lambda s: build(s, beyond), tmp_path)


@pytest.mark.parametrize("element", [1, 10, 11, 16])
def test_casts_between_floats_are_nothing(element: int, tmp_path: Path) -> None:
    def build(s: ModelBuilder) -> str:
        return s.relu(s.node("Cast", s.node("Cast", s.input(1, 4), to=element), to=1))

    assert kept(build, tmp_path)


@pytest.mark.parametrize("element", [2, 3, 6, 7, 9, 12])
def test_casts_to_integers_are_refused(element: int, tmp_path: Path) -> None:
    def build(s: ModelBuilder) -> str:
        return s.relu(s.node("Cast", s.node("Cast", s.input(1, 4), to=element), to=1))

    assert not kept(build, tmp_path)


@pytest.mark.parametrize(
    ("kind", "inputs", "outputs", "taken", "said"),
    [
        ("Add", [(1,)], [(1 << 24,)], 0, ""),
        ("Add", [(1,)], [((1 << 24) + 1,)], 0,
         "16,777,217 elements; at most 16,777,216 are computed"),
        ("Add", [(1,)], [(4,)], 536_870_896, ""),
        ("Add", [(1,)], [(4,)], 536_870_897,
         "all constants that are computed take more than 536,870,912 bytes"),
        ("MatMul", [(1, 1 << 20)], [(1024, 1)], 0, ""),
        ("MatMul", [(1, 1 << 20)], [(1024, 2)], 0, "more than 1,073,741,824 products"),
        ("MatMul", [(1 << 20, 3)], [(1024, 2)], 0, "more than 1,073,741,824 products"),
        ("MatMul", [(9, 1 << 20, 1)], [(1024, 2)], 0, "more than 1,073,741,824 products"),
        ("MatMul", [(1 << 21, 1, 1)], [(1024, 2)], 0, ""),
        ("TopK", [(1024,), (1024,)], [(1,)], 0, ""),
        ("TopK", [(1024,), (1025,)], [(1,)], 0,
         "computing TopK of constants of that size takes too long"),
        ("Tile", [(1,)], [None], 0, "its size is not known"),
    ],
)  # fmt: skip
def test_constants_are_computed_up_to_stated_costs(
    kind: str, inputs: list, outputs: list, taken: int, said: str
) -> None:
    assert excess(kind, inputs, outputs, taken) == said


@pytest.mark.parametrize("beside", [False, True])
def test_files_are_read_up_to_what_the_format_can_hold(
    beside: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    s = ModelBuilder(1)
    path, side = tmp_path / "net.onnx", tmp_path / "side"
    model = s.model(s.conv(s.input(1, 3, 6, 6), (4, 3, 3, 3)))
    onnx.save(model, path, save_as_external_data=beside, location="side", size_threshold=0)
    large, read = side if beside else path, Path.read_bytes

    def small(file: Path) -> bytes:
        if file.name == large.name:
            raise OSError(5, "was read")
        return read(file)

    monkeypatch.setattr(Path, "read_bytes", small)
    for size, said in ((LARGEST_FILE, "was read"), (LARGEST_FILE + 1, _told(beside))):
        with large.open("r+b") as file:
            file.truncate(size)
        with pytest.raises(ModelError, match=said):
            import_model(path)


def _told(beside: bool) -> str:
    if beside:
        return "which is too large\n  2,147,483,648 bytes are asked for; at most 2,147,483,647 are"
    return "too large for ONNX\n  it has 2,147,483,648 bytes; at most 2,147,483,647 are read"


def test_what_tensors_ask_for_together_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deployer.frontend.external.MAX_FILE_BYTES", 447)
    s = ModelBuilder(1)
    model = s.model(s.conv(s.input(1, 3, 6, 6), (4, 3, 3, 3)))  # 432 and 16 bytes
    path = tmp_path / "net.onnx"
    for place, tensor in enumerate(model.graph.initializer):
        side = tmp_path / f"side_{place}"
        side.write_bytes(tensor.raw_data)
        onnx.external_data_helper.set_external_data(tensor, side.name)
        tensor.ClearField("raw_data")
    path.write_bytes(model.SerializeToString())
    with pytest.raises(ModelError, match="448 bytes are asked for; at most 447 are read"):
        import_model(path)
    monkeypatch.setattr("deployer.frontend.external.MAX_FILE_BYTES", 448)
    import_model(path)


@pytest.mark.parametrize(("columns", "seen"), [(4096, True), (4097, False)])
def test_the_checker_of_onnx_sees_tensors_of_up_to_64_kib(
    columns: int, seen: bool, tmp_path: Path
) -> None:
    """It refuses numbers in two places; of larger tensors those that are read are all there is."""

    def build(s: ModelBuilder) -> str:
        x = s.node("MatMul", s.input(1, 4), s.weight(4, columns))
        s._weights[0].float_data.append(1.0)
        return x

    assert kept(build, tmp_path) != seen


# Orders of elements


def scattered(count: int, seed: int) -> np.ndarray:
    """A choice of elements that is ``count`` ranges, in no order."""
    rng = np.random.default_rng(seed)
    while True:
        order = rng.permutation(count)
        if np.all(np.diff(order) != 1):
            return np.concatenate([2 * n + np.arange(1 + (n % 3 == 0)) for n in order])


@pytest.mark.parametrize("count", [31, 32, 33])
def test_up_to_32_pieces_of_an_axis_are_moves(count: int) -> None:
    moves = express(2 * count, scattered(count, 1))
    assert (moves is not None) == (count <= 32)


def test_a_short_axis_is_turned_round_at_once_and_a_long_one_in_two() -> None:
    for size, pieces in ((15, [15]), (16, [16]), (18, [3, 6]), (17, [17])):
        moves = express(size, np.arange(size)[::-1])
        assert [len(move.ranges) for move in moves or () if isinstance(move, Pieces)] == pieces


@pytest.mark.parametrize(("row", "ranges"), [(4095, 2), (4096, 4)])
def test_long_rows_are_pieces_each(row: int, ranges: int) -> None:
    """Up to 4095 elements the same pieces of every row are one move."""
    places = np.concatenate([np.roll(np.arange(row), -1), np.roll(np.arange(row), -1) + row])
    (move,) = express(2 * row, places) or ()
    assert isinstance(move, Pieces)
    assert len(move.ranges) == ranges


def test_up_to_six_axes_are_ordered() -> None:
    assert transposes_for([2, 3, 5, 7, 11, 13], (3, 4, 5, 0, 1, 2)) == (
        Transpose((1, 30, 1001), (0, 2, 1)),
    )
    assert transposes_for([2, 3, 5, 7, 11, 13, 17], (3, 4, 5, 6, 0, 1, 2)) is None


def test_three_moves_order_what_no_two_do() -> None:
    assert len(transposes_for([2, 3, 5, 7, 11], (0, 2, 1, 4, 3)) or ()) == 3
