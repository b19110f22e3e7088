"""The generated network.c of one small network, word for word, and the C compiler's opinion."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from deployer.allocate.allocate import allocate
from deployer.board.load import load_board
from deployer.codegen.network import generate
from deployer.ir.attrs import Clamp, PadAttrs, PointAttrs, ResizeAttrs, SliceAttrs, Window
from deployer.ir.graph import Graph
from deployer.ir.types import QuantParams
from deployer.quantize.integer_graph import assemble
from deployer.quantize.multiply_shift import multiply_shift
from deployer.quantize.quantize import QuantOptions, quantize
from deployer.schedule.order import schedule
from unit.quantize.graphs import Draft, noise

ROOT = Path(__file__).parents[3]
GOLDEN = Path(__file__).parent / "golden" / "network.c"


def small_network() -> Graph:
    """Fixed scales, so that no sample or float sum decides a number in the text."""
    draft = Draft(1, 4, 6, 4)
    left = draft.node("Slice", "x", attrs=SliceAttrs((0, 0, 3, 0), (1, 4, 6, 2)))
    right = draft.node("Slice", "x", attrs=SliceAttrs((0, 0, 0, 2), (1, 4, 3, 4)))
    swish = draft.table(left, "hard_swish")
    product = draft.node("Mul", swish, right, attrs=PointAttrs())
    less = draft.node("Sub", product, right, attrs=PointAttrs(Clamp(0.0, 2.0)))
    small = draft.largest(less, Window((2, 1), (2, 1)))
    large = draft.node("Resize", small, attrs=ResizeAttrs((2, 1), "linear"))
    joined = draft.concat(less, right, large, axis=3)
    up = draft.deconv(joined, 2, Window((2, 2), (2, 2)), (8, 6))
    padded = draft.node("Pad", up, attrs=PadAttrs((0, 1, 0, 0), (0, 0, 2, 0)))
    graph = draft.graph(padded)
    scales = {"x": 0.03125, swish: 0.0234375, product: 0.125, less: 0.0078125, joined: 0.0625}
    activations = {n: QuantParams((s,), -7 if n == "x" else 3) for n, s in scales.items()}
    activations[up] = QuantParams((0.25,), 11)
    return assemble(graph, activations, multiply_shift("i32"), means={}).graph


@pytest.fixture(scope="module")
def files() -> dict[str, str]:
    board = load_board("host")
    order = schedule(small_network(), board.kernels)
    return generate(order, allocate(order, board), version="0", options=("fixed scales",))


def test_network_text(files: dict[str, str]) -> None:
    """Golden text: read a difference as a change of every generated network."""
    assert files["network.c"] == GOLDEN.read_text()


def mixed_network() -> dict[str, str]:
    """int16 and int8 layers, every struct of move_arguments among them; an output of each."""
    draft = Draft(1, 4, 6, 4)
    left = draft.node("Slice", "x", attrs=SliceAttrs((0, 0, 3, 0), (1, 4, 6, 2)))
    right = draft.node("Slice", "x", attrs=SliceAttrs((0, 0, 0, 2), (1, 4, 3, 4)))
    joined = draft.concat(left, draft.table(right, "hard_swish"), axis=3)
    turned = draft.transpose(draft.add(joined, joined), 0, 2, 1, 3)
    graph = draft.graph(draft.conv(joined, 3, Window((2, 2))), turned)
    found = quantize(graph, noise(graph), QuantOptions(bits=16, bits_of=(("conv2d*", 8),)))
    board = load_board("host")
    order = schedule(found.graph, board.kernels)
    return generate(order, allocate(order, board), version="0", options=())


def test_int16_has_its_structs_pointers_and_element_sizes() -> None:
    text = mixed_network()
    source = text["network.c"]
    assert "dpl_copy_s16__ref(&step_0_args)" in source
    assert "dpl_concat_part_s16 step_3_parts[]" in source
    assert "static const dpl_rescale_s16_s8_args" in source
    assert ".data = (void *)(net_arena_ram + " in source
    assert "output_element_bytes[] = {1, 2};" in source
    assert "4x6x4 int16" in text["network.h"]
    # the right half of the input: 2 channels of 2 bytes further
    begin = re.search(r'{"x", net_arena_ram \+ (\d+)', source)
    assert begin is not None
    assert f".data = (void *)(net_arena_ram + {int(begin[1]) + 4})," in source


@pytest.mark.parametrize("network", ["int8", "mixed"])
def test_network_compiles_without_a_warning(
    network: str, files: dict[str, str], tool: Callable[[str], str], tmp_path: Path
) -> None:
    files = files if network == "int8" else mixed_network()
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    folders = [f"-I{ROOT / name}" for name in ("kernels/include", "firmware/include")]
    flags = [
        "-std=c11",
        "-Wall",
        "-Wextra",
        "-Wcast-align=strict",
        "-Werror",
        "-fsyntax-only",
        *folders,
    ]
    for name in ("network.c", "weights.c"):
        command = [tool("gcc"), *flags, str(tmp_path / name)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
