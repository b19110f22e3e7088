"""Kernels of XpulpV2 on eight cores at once: right, within their stacks, as fast as promised."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from catalogue.blob import Trial, operand_bytes
from catalogue.case import Case, build
from catalogue.cluster import Called, run_on_cluster
from catalogue.laid_blocks import is_met
from catalogue.numbers import pick, weights
from catalogue.problem import Problem, Scaling, pose
from catalogue.suite import cases
from catalogue.target import gap8, kernels_of

from deployer.ir.attrs import (
    BlockAttrs,
    ConcatAttrs,
    ConvTransposeAttrs,
    Pads,
    PointAttrs,
    ResizeAttrs,
    SliceAttrs,
    TableAttrs,
    TransposeAttrs,
    Window,
)
from deployer.kernelset.select import by_symbol
from gvsoc_programs import run_in_gvsoc

CASES, ROOM = 10, 40 * 1024  # of each operator; bytes of a case's operands in L1
STACK = 900  # bytes of 1,024, some the program's; most a transposed convolution that sides cut
RNG = np.random.default_rng(6)


@pytest.fixture(autouse=True)
def tools(tool: Callable[[str], str]) -> None:
    for name in ("riscv64-unknown-elf-gcc", "gcc"):
        tool(name)


def some_of_each() -> list[Trial]:
    listed = []
    for kernel in kernels_of(gap8(1)):
        posed = [cases(op, kernel.act, contiguous=kernel.contiguous) for op in kernel.ops]
        taken = [c for each in posed for c in each if is_met(kernel, c)]
        fits = [
            Trial(kernel, c)
            for c in taken
            if sum(len(o.data) for o in c.operands) + kernel.scratch(c.met) < ROOM
        ]
        some = fits[:: max(1, len(fits) // CASES)]
        listed += [trial for trial in some if operand_bytes(trial) < ROOM]
    return listed


def test_eight_cores_compute_what_numerics_says(tmp_path: Path) -> None:
    listed = some_of_each()
    called = run_on_cluster(listed, tmp_path)
    wrong = [
        (t.kernel.symbol, t.case.about) for t, c in zip(listed, called, strict=True) if c.wrong
    ]
    assert not wrong
    deep = [(t.kernel.symbol, c.stack) for t, c in zip(listed, called, strict=True)]
    assert max(stack for _, stack in deep) <= STACK, max(deep, key=lambda entry: entry[1])


def test_gvsoc_computes_the_same_in_as_many_cycles(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """In few images. Calls of some hundred cycles differ by which core comes first at a bank."""
    tool("gvsoc")
    listed = some_of_each()
    ours = run_on_cluster(listed, tmp_path)
    theirs = run_on_cluster(listed, tmp_path, printed=lambda image: run_in_gvsoc(image).stdout)
    assert not [t.kernel.symbol for t, c in zip(listed, theirs, strict=True) if c.wrong]
    assert [c.stack for c in ours] == [c.stack for c in theirs]
    assert sum(c.cycles for c in ours) == pytest.approx(sum(c.cycles for c in theirs), rel=0.02)
    errors = [abs(a.cycles / b.cycles - 1) for a, b in zip(ours, theirs, strict=True)]
    assert sum(errors) / len(errors) < 0.03


def x(*shape: int) -> np.ndarray:
    return RNG.integers(-128, 128, (1, *shape)).astype(np.int8)


def pointwise(op: str, count: int, real: float = 0.7, entries: int = 1) -> Problem:
    bound = np.full(entries, 66000 if op == "Mul" else 256)
    multipliers = pick("i32", np.full(entries, real), bound, 4)
    inputs = [x(16, 16, 32) for _ in range(count)]
    return pose(op, PointAttrs(), inputs, {}, Scaling(3, 4, zero_right=5), multipliers)


def concat(*, rescaled: bool) -> Problem:
    m = pick("i32", np.full(2, 0.7), np.full(2, 128), 4, np.array([3, 5]))
    if not rescaled:
        m.multiplier[:], m.rounding[:], m.shift[:] = 1, 0, 0
    return pose("Concat", ConcatAttrs(3), [x(16, 16, 16), x(16, 16, 16)], {}, Scaling(), m)


def moved(op: str, attrs: object, *shape: int) -> Problem:
    return pose(op, attrs, [x(*shape)], {}, Scaling())


def transposed(height: int, depth: int, channels: int, kernel: int, pad: int) -> Problem:
    window = Window((kernel, kernel), (2, 2), (1, 1), Pads(pad, pad, pad, pad))
    side = (height - 1) * 2 + kernel - 2 * pad
    w = weights(RNG, (channels, kernel, kernel, depth))
    bound = np.abs(w).sum(axis=(1, 2, 3)).astype(np.int64) * 133 + 2000
    bias = RNG.integers(-2000, 2000, channels).astype(np.int32)
    attrs = ConvTransposeAttrs(window, (side, side), 1)
    m = pick("i32", np.full(channels, 0.002), bound, -3)
    inputs = [x(height, height, depth)]
    return pose("ConvTranspose2d", attrs, inputs, {"w": w, "b": bias}, Scaling(5, -3), m)


TABLE = {"t": np.arange(-128, 128).astype(np.int8)}
CYCLES: dict[str, tuple[str, Callable[[], Problem], float]] = {  # an output element
    "mul": ("dpl_mul_s8__xpulpv2", lambda: pointwise("Mul", 2, 1 / 150), 1.31),
    "table": (
        "dpl_table_s8__xpulpv2",
        lambda: pose("Table", TableAttrs("sigmoid"), [x(16, 16, 32)], TABLE, Scaling()),
        0.48,
    ),
    "rescale": ("dpl_rescale_s8__xpulpv2", lambda: pointwise("Rescale", 1), 0.73),
    "prelu": ("dpl_prelu_s8__xpulpv2", lambda: pointwise("PRelu", 1, 0.4, 33), 2.5),
    "concat, copied": ("dpl_concat_s8__xpulpv2", lambda: concat(rescaled=False), 0.3),
    "concat, rescaled": ("dpl_concat_s8__xpulpv2", lambda: concat(rescaled=True), 0.95),
    "slice": (
        "dpl_copy_s8__xpulpv2",
        lambda: moved("Slice", SliceAttrs((0, 0, 0, 8), (1, 16, 16, 24)), 16, 16, 32),
        0.18,
    ),
    "nearest": (
        "dpl_resize_nearest_s8__xpulpv2",
        lambda: moved("Resize", ResizeAttrs((2, 2), "nearest", True), 10, 10, 32),
        0.2,
    ),
    "linear": (
        "dpl_resize_linear_s8__xpulpv2",
        lambda: moved("Resize", ResizeAttrs((2, 2), "linear", True), 10, 10, 32),
        1.2,
    ),
    "depth to space": (
        "dpl_depth_to_space_s8__xpulpv2",
        lambda: moved("DepthToSpace", BlockAttrs(2, column_first=False), 8, 8, 64),
        0.28,
    ),
    "transpose": (
        "dpl_transpose_s8__xpulpv2",
        lambda: moved("Transpose", TransposeAttrs((0, 3, 1, 2)), 16, 16, 32),
        0.53,
    ),
    "transposed 2x2, K 32": (
        "dpl_conv_transpose2d_s8__xpulpv2",
        lambda: transposed(8, 32, 16, 2, 0),
        2.8,
    ),
    "transposed 4x4": (
        "dpl_conv_transpose2d_s8__xpulpv2",
        lambda: transposed(16, 16, 8, 4, 1),
        5.6,
    ),
}


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], dict[str, float]]:
    """Cycles an output element; run once, when the tools are known to be there."""
    kept: dict[str, float] = {}

    def measure() -> dict[str, float]:
        if not kept:
            problems = [make() for _, make, _ in CYCLES.values()]
            entries = [by_symbol(symbol) for symbol, _, _ in CYCLES.values()]
            built = [build(p, RNG) for p in problems]
            listed = [Trial(k, aligned(c)) for k, c in zip(entries, built, strict=True) if c]
            called = run_on_cluster(listed, tmp_path_factory.mktemp("cluster"))
            assert not any(c.wrong for c in called)
            kept.update(zip(CYCLES, map(_rate, problems, called), strict=True))
        return kept

    return measure


def aligned(case: Case) -> Case:
    return replace(case, operands=tuple(replace(o, shift=0) for o in case.operands))


def _rate(problem: Problem, called: Called) -> float:
    return called.cycles / problem.expected.size


@pytest.mark.parametrize("name", CYCLES)
def test_kernels_are_as_fast_as_promised(
    name: str, measured: Callable[[], dict[str, float]]
) -> None:
    assert measured()[name] <= CYCLES[name][2]
