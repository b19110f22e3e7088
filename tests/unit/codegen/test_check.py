"""The CRC of the constants: over what is written, in the order it is written, a place each."""

from __future__ import annotations

import re
import subprocess
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from deployer.codegen.check import constants_views, fetched_view
from deployer.codegen.pack import pack
from deployer.ir.types import QuantParams
from deployer.quantize.integer_graph import assemble
from deployer.quantize.multiply_shift import multiply_shift
from unit.codegen.generated_c import INCLUDES, planned
from unit.quantize.graphs import Draft

WEIGHTS = np.array([[1, -2], [3, 4]], dtype=np.int8)
BIAS = np.array([70_000, -5], dtype=np.int32)
MAIN = """
int net_check(void);
int main(void) { return net_check() ? 1 : 0; }
"""


def test_the_crc_is_that_of_the_bytes_in_their_order() -> None:
    arrays = [pack("w", WEIGHTS), pack("b", BIAS)]
    (group,) = constants_views("net", arrays)
    assert (group.where, group.name, group.bytes) == ("image", "net_in_image", 12)
    assert group.crc == zlib.crc32(bytes([1, 254, 3, 4]) + b"\x70\x11\x01\x00\xfb\xff\xff\xff")


def test_what_start_up_copies_is_told_apart() -> None:
    arrays = [pack("w", WEIGHTS, "dtcm"), pack("b", BIAS), pack("c", BIAS, "dtcm")]
    groups = {group.where: group for group in constants_views("net", arrays)}
    assert [array.name for array in groups["dtcm"].arrays] == ["w", "c"]
    assert [array.name for array in groups["image"].arrays] == ["b"]
    assert groups["dtcm"].crc == zlib.crc32(WEIGHTS.tobytes() + BIAS.tobytes())


def test_a_network_without_constants_has_no_groups() -> None:
    assert list(constants_views("net", [])) == []


def test_fetched_weights_have_the_crc_of_their_memory() -> None:
    view = fetched_view("l3", b"weights")
    assert (view.where, view.arrays, view.bytes, view.crc) == ("l3", (), 7, zlib.crc32(b"weights"))


@pytest.fixture
def weights() -> dict[str, str]:
    draft = Draft(1, 6, seed=3)
    graph = draft.graph(draft.dense("x", 4))
    scales = {graph.inputs[0]: QuantParams((0.5,), 0), graph.outputs[0]: QuantParams((0.5,), 0)}
    return planned(assemble(graph, scales, multiply_shift("i32"), means={}).graph)[2]


def checked(files: dict[str, str], folder: Path, gcc: str) -> int:
    """What net_check says in a program of this machine."""
    for name in ("weights.h", "weights.c"):
        (folder / name).write_text(files[name])
    name = re.search(r"int (\w+_check)\(void\);", files["weights.h"])
    assert name
    (folder / "main.c").write_text(MAIN.replace("net_check", name[1]))
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{folder}", *INCLUDES]
    program = folder / "program"
    sources = [folder / "main.c", folder / "weights.c"]
    subprocess.run([gcc, *flags, *sources, "-o", program], check=True)
    return subprocess.run([program], check=False).returncode


def test_the_check_in_c_passes_what_was_generated_and_no_other_weight(
    weights: dict[str, str], tool: Callable[[str], str], tmp_path: Path
) -> None:
    gcc = tool("gcc")
    assert checked(weights, tmp_path, gcc) == 0
    first = re.search(r"= \{\n    (-?\d+),", weights["weights.c"])
    assert first
    other = str((int(first[1]) + 1) % 100)
    text = weights["weights.c"]
    broken = text[: first.start(1)] + other + text[first.end(1) :]
    assert checked({**weights, "weights.c": broken}, tmp_path, gcc) == 1
