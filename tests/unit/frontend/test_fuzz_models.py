"""Mutants of models: a short slice of ``python -m tests.fuzz.models``, and what larger ones found.

Each has 2 GiB of address space and 20 s of processor time, in a process of its own.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx_equal import imported

from deployer.errors import ModelError
from deployer.frontend import bounds
from fuzz import contained, mutate_onnx
from models import ModelBuilder, conv_net
from qdq import small_conv_net

ROOT = Path(__file__).resolve().parents[3]


def run_mutants(*arguments: str) -> str:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.models", *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_mutant_gets_a_documented_status() -> None:
    text = run_mutants("--count", "120", "--seed", "7")
    assert "120 mutants of seed 7" in text
    assert "faults: 0" in text
    assert "status   3" in text
    assert "status   0" in text


@pytest.mark.parametrize("change", dict.fromkeys(mutate_onnx.CHANGES), ids=lambda c: c.__name__)
def test_every_mutation_changes_some_model(change: mutate_onnx.Change) -> None:
    """``mutant`` lets what fails pass: an earlier change may have left it nothing to change."""
    changed = 0
    for seed, data in enumerate(
        (conv_net().SerializeToString(), small_conv_net().SerializeToString())
    ):
        model = onnx.ModelProto.FromString(data)
        for draw in range(4):
            change(model, np.random.default_rng((seed, draw)))
        changed += model.SerializeToString() != data
    assert changed


def test_whole_runs_change_nothing_outside_their_folder() -> None:
    text = run_mutants("--whole", "1", "--seed", "7")
    assert "1 whole runs" in text
    assert "faults: 0" in text


# The judge


def work_of(code: str) -> Callable[[], None]:
    return lambda: exec(code, {})


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ("", ""),
        ("raise SystemExit(3)", ""),
        ("raise SystemExit(9)", "status 9"),
        ("raise ValueError", "status 1"),
        ("import os; os.abort()", f"ended by signal {signal.SIGABRT.value}"),
        ("print('MemoryError'); raise SystemExit(2)", "out of memory"),
    ],
)
def test_what_counts_as_a_fault(code: str, fault: str) -> None:
    assert contained.outcome(work_of(code)).fault == fault


def test_time_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contained, "SECONDS", 1)
    assert contained.outcome(work_of("while True: pass")).fault == contained.TOO_LONG


def test_a_changed_neighbour_is_noticed(tmp_path: Path) -> None:
    for name in ("kept", "lost", "own/file"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    with contained.unchanged(tmp_path, but=(tmp_path / "own",)) as changes:
        (tmp_path / "lost").unlink()
        (tmp_path / "new").write_text("y")
        (tmp_path / "own" / "file").write_text("longer")
    assert [Path(name).name for name in changes] == ["lost", "new"]


# What was found


def refused(s: ModelBuilder, output: str, folder: Path, found: str) -> None:
    with pytest.raises(ModelError, match=found):
        imported(s.model(s.node("Tanh", output), checked=False), folder)


def test_a_size_beyond_the_range_of_integers(tmp_path: Path) -> None:
    """The library's inference gives a negative one, and ends the process at the Slice behind."""
    s = ModelBuilder(1, opset=18)
    scales = s.constant(np.float32([1, 1, 2.0**62, 1]))
    x = s.node("Resize", s.relu(s.input(1, 2, 8, 8)), "", scales)
    numbers = (s.constant(np.int64([n])) for n in (-1, -9, 2, -1))
    refused(s, s.node("Slice", x, *numbers), tmp_path, "does not fit|neither empty nor huge")


def test_a_slice_backwards_through_nothing(tmp_path: Path) -> None:
    """The library's inference ends the process."""
    s = ModelBuilder(2)
    empty = s.constant(np.zeros(0, np.int64))
    numbers = (s.constant(np.int64([n])) for n in (-1, -9, 0, -1))
    x = s.node("Reshape", s.relu(s.input(1, 4)), s.node("Slice", empty, *numbers))
    refused(s, x, tmp_path, "steps backwards through nothing")


@pytest.mark.parametrize("pads", [[30_000] * 4, [30_000, 0, 30_000, 0]])
def test_a_border_that_is_larger_than_any_image(pads: list[int], tmp_path: Path) -> None:
    """Large strides make the output small again."""
    s = ModelBuilder(3)
    x = s.conv(s.input(1, 64, 9, 9), (4, 64, 3, 3), pads=pads, strides=[30_000, 30_000])
    refused(s, x, tmp_path, r"not huge; found pads=")


def test_a_window_of_millions_of_taps(tmp_path: Path) -> None:
    s = ModelBuilder(4)
    x = s.node("MaxPool", s.input(1, 1, 2000, 2000), kernel_shape=[1999, 1999])
    refused(s, x, tmp_path, r"not huge; found kernel_shape=\[1999, 1999\]")


@pytest.mark.parametrize("kind", ["Conv", "ConvTranspose"])
def test_weights_of_one_axis(kind: str, tmp_path: Path) -> None:
    s = ModelBuilder(8)
    x, weights = s.input(1, 3, 5, 5), s.constant(np.ones(3, np.float32))
    refused(s, s.node(kind, x, weights, kernel_shape=[1, 1]), tmp_path, "weights of shape|not fit")


def test_an_image_of_millions_of_pixels(tmp_path: Path) -> None:
    s = ModelBuilder(5)
    refused(s, s.conv(s.input(1, 3, 4000, 4000), (4, 3, 3, 3)), tmp_path, "nor huge")


BOMBS: dict[str, Callable[[ModelBuilder], str]] = {
    "fill": lambda s: s.node("ConstantOfShape", s.constant(np.int64([1, 4, 5000, 5000]))),
    "range": lambda s: s.node("Range", *(s.constant(np.int64(n)) for n in (0, 2**40, 1))),
    "expand": lambda s: s.node("Expand", s.constant(np.ones(1)), s.constant(np.int64([2**31, 4]))),
    "tile": lambda s: s.node("Tile", s.constant(np.ones(9)), s.constant(np.int64([2**30]))),
    "product": lambda s: s.node("MatMul", *[s.constant(np.ones((2100, 2100), np.float16))] * 2),
    "outer": lambda s: s.node("Einsum", *[s.constant(np.ones(999))] * 3, equation="a,b,c->abc"),
    "one hot": lambda s: s.node(
        "OneHot", s.constant(np.arange(9)), s.constant(2**33), s.constant(np.float32([0, 1]))
    ),
}


@pytest.mark.parametrize("name", BOMBS)
def test_constants_that_would_be_huge_are_not_computed(name: str, tmp_path: Path) -> None:
    s = ModelBuilder(6)
    x = s.relu(s.input(1, 4))
    refused(s, s.node("Mul", x, BOMBS[name](s)), tmp_path, "too large a constant|does not fit")


def test_many_constants_that_together_are_huge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "MAX_FOLDED_BYTES", 8 << 20)
    s = ModelBuilder(7)
    x = s.input(1, 4)
    for _ in range(9):
        fill = s.node("ConstantOfShape", s.constant(np.int64([1 << 18])))
        x = s.node("Mul", x, s.node("ReduceMean", fill, keepdims=0))
    refused(s, x, tmp_path, "all constants that are computed take more than")
