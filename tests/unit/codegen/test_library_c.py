"""The C of libraries: names, signatures, and the arithmetic of its helpers."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deployer.allocate.allocate import allocate
from deployer.board.load import load_board
from deployer.choices import ArenaOwner
from deployer.codegen.library import (
    Planned,
    library_names,
    library_sources,
    library_view,
)
from deployer.codegen.literals import float_literal
from deployer.schedule.order import schedule
from unit.codegen.test_network import small_network

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("stems", "names"),
    [
        (("net", "net", "net"), ("net", "net_2", "net_3")),
        (("net", "net", "net_2"), ("net", "net_2", "net_2_2")),
        (("7 segments", "int", "Über-Netz"), ("n_7_segments", "int", "ber_netz")),
        (("dpl", "dpl_conv2d", "dplus"), ("n_dpl", "n_dpl_conv2d", "dplus")),
        (("a-b", "a b", "A_B"), ("a_b", "a_b_2", "a_b_3")),
    ],
)
def test_names_are_identifiers_of_their_own(stems: tuple[str, ...], names: tuple[str, ...]) -> None:
    assert library_names(stems) == names


@given(st.lists(st.text(max_size=6), max_size=6))
def test_any_names_become_distinct(stems: list[str]) -> None:
    names = library_names(stems)
    assert len(set(names)) == len(stems)
    assert all(name.isidentifier() and not name.startswith("dpl_") for name in names)


def sources(name: str, arena: str) -> dict[str, str]:
    board = load_board("host")
    order = schedule(small_network(), board.kernels)
    planned = Planned(name, "", order, allocate(order, board), ("fixed",), "host", 1000)
    return library_sources([library_view(planned, arena, version="0")], version="0")[0]


@pytest.mark.parametrize("arena", ArenaOwner)
def test_only_what_was_asked_for_takes_memory(arena: str) -> None:
    files = sources("int", arena)
    assert ("int_static_ram[240]" in files["network.c"]) == (arena == "own")
    assert ("dpl_shared_ram[240]" in files.get("dpl_shared_arena.c", "")) == (arena == "shared")
    header = files["network.h"]
    assert "dpl_status int_init(void *arena, size_t arena_bytes);" in header
    assert "dpl_status int_run(const int8_t *input, int8_t *output);" in header
    assert "#define INT_ARENA_BYTES 240\n" in header
    assert 'extern "C" {' in header
    assert "at most 1,496 B" in header  # a Concat of three inputs: 1000 + 256 + 3 * 80
    assert "{{" not in "".join(files.values())
    assert "static const dpl" not in files["network.c"]  # which could not hold a caller's address


def test_names_that_begin_alike_are_fine() -> None:
    board = load_board("host")
    order = schedule(small_network(), board.kernels)
    plan = allocate(order, board)
    views = [
        library_view(Planned(name, f"{name}_", order, plan, (), "host", 0), "own", version="0")
        for name in ("net", "net_input")
    ]
    files, _ = library_sources(views, version="0")
    assert set(files) >= {"net_weights.c", "net_input_network.h", "network.h"}
    called = [replace(view, net=replace(view.net, model="net_input_y")) for view in views]
    library_sources(called, version="0")  # comments have no symbols


@given(st.floats(width=32, min_value=2.0**-126, allow_infinity=False, allow_nan=False))
def test_a_scale_is_written_exactly(number: float) -> None:
    text = float_literal(number)
    assert text.endswith("f")
    assert np.float32(text[:-1]) == np.float32(number)


def test_a_scale_between_two_floats_goes_to_the_nearer_one() -> None:
    """Nine digits of the double lie on the other side of the middle."""
    low = np.float32(0.1)
    middle = (float(low) + float(np.nextafter(low, np.float32(1)))) / 2
    for number in (np.nextafter(middle, 0), np.nextafter(middle, 1)):
        assert np.float32(float_literal(float(number))[:-1]) == np.float32(number)


HELPERS = r"""
#include "dpl_quantize.h"
void quantize(const float *real, int32_t count, float scale, int32_t zero, int32_t low,
              int32_t high, int32_t *to) {
    for (int32_t i = 0; i < count; i++) {
        to[i] = dpl_quantize(real[i], scale, zero, low, high);
    }
}
void dequantize(const int32_t *from, int32_t count, float scale, int32_t zero, float *to) {
    for (int32_t i = 0; i < count; i++) {
        to[i] = dpl_dequantize(from[i], scale, zero);
    }
}
"""


@pytest.fixture(scope="module")
def helpers(tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    folder = tmp_path_factory.mktemp("helpers")
    (folder / "helpers.c").write_text(HELPERS)
    flags = ["-std=c11", "-O2", "-shared", "-fPIC", "-Wall", "-Wextra", "-Wconversion", "-Werror"]
    command = [tool("gcc"), *flags, f"-I{ROOT / 'firmware' / 'include'}", "helpers.c", "-o", "h.so"]
    subprocess.run(command, cwd=folder, check=True)
    return ctypes.CDLL(str(folder / "h.so"))


def in_c(helpers: ctypes.CDLL, real: np.ndarray, scale: np.float32, *ends: int) -> np.ndarray:
    found = np.zeros(real.size, np.int32)
    given = [ctypes.c_int32(end) for end in ends]
    helpers.quantize(
        real.ctypes.data_as(ctypes.c_void_p), ctypes.c_int32(real.size),
        ctypes.c_float(scale), *given, found.ctypes.data_as(ctypes.c_void_p),
    )  # fmt: skip
    return found


def expected(real: np.ndarray, scale: np.float32, zero: int, low: int, high: int) -> np.ndarray:
    """Division in single precision, half to even, saturated."""
    steps = np.rint(real / scale)
    return np.clip(steps + np.float32(zero), low, high).astype(np.int32)


ENDS = {8: (-128, 127), 16: (-32768, 32767)}


@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize("scale", [0.0280093048, 1 / 255, 1.0, 0.1, 3.0e-5, 7.5, 1.0e-38])
@pytest.mark.parametrize("zero", [-128, -7, 0, 127])
def test_quantize_is_numpys_float32_to_the_bit(
    helpers: ctypes.CDLL, bits: int, scale: float, zero: int
) -> None:
    low, high = ENDS[bits]
    zero = 0 if bits == 16 else zero
    unit = np.float32(scale)
    rng = np.random.default_rng(bits)
    halves = (np.arange(2 * low - 8, 2 * high + 8) / 2).astype(np.float32) * unit
    near = np.concatenate([np.nextafter(halves, np.float32(s)) for s in (-np.inf, np.inf)])
    spread = (rng.normal(size=20000) * unit * high).astype(np.float32)
    ends = np.array([0, -0.0, np.inf, -np.inf, 3e38, -3e38, 1e-45, -1e-45], np.float32)
    with np.errstate(over="ignore"):
        real = np.ascontiguousarray(np.concatenate([halves, near, spread, ends]))
        wanted = expected(real, unit, zero, low, high)
    assert np.array_equal(in_c(helpers, real, unit, zero, low, high), wanted)


@given(
    st.lists(st.floats(width=32, allow_nan=False), min_size=1, max_size=50),
    st.floats(width=32, min_value=2.0**-100, max_value=2.0**100),
    st.integers(-128, 127),
)
def test_any_number_is_quantized_as_numpy_does(
    helpers: ctypes.CDLL, numbers: list[float], scale: float, zero: int
) -> None:
    real, unit = np.array(numbers, np.float32), np.float32(scale)
    with np.errstate(over="ignore", under="ignore"):
        wanted = expected(real, unit, zero, -128, 127)
    assert np.array_equal(in_c(helpers, real, unit, zero, -128, 127), wanted)


def test_what_is_no_number_becomes_the_least_integer(helpers: ctypes.CDLL) -> None:
    found = in_c(helpers, np.array([np.nan], np.float32), np.float32(1), 0, -128, 127)
    assert found.tolist() == [-128]


def test_dequantize_is_numpys_float32_and_quantize_its_inverse(helpers: ctypes.CDLL) -> None:
    integers = np.arange(-32768, 32768, dtype=np.int32)
    for scale in np.float32([0.0280093048, 1 / 255, 3.0e-5, 7.5]):
        real = np.zeros(integers.size, np.float32)
        helpers.dequantize(
            integers.ctypes.data_as(ctypes.c_void_p), ctypes.c_int32(integers.size),
            ctypes.c_float(scale), ctypes.c_int32(0), real.ctypes.data_as(ctypes.c_void_p),
        )  # fmt: skip
        assert np.array_equal(real, integers.astype(np.float32) * scale)
        assert np.array_equal(in_c(helpers, real, scale, 0, -32768, 32767), integers)
