"""The depth example: rooms with known depth, and the whole way from data to tuned integers."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from PIL import Image

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "docs" / "examples" / "depth"


def module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"depth_{name}", FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = found
    spec.loader.exec_module(found)
    return found


def test_a_seed_gives_the_same_rooms_whatever_their_number() -> None:
    data = module("make_data")
    few, more, other = data.make(2, 16, 3), data.make(4, 16, 3), data.make(2, 16, 4)
    assert few["image"].shape == (2, 3, 16, 16)
    assert few["inverse"].shape == (2, 1, 16, 16)
    np.testing.assert_array_equal(few["image"], more["image"][:2])
    assert not np.array_equal(few["image"], other["image"])
    assert few["inverse"].min() >= 1 / data.FAR - 1e-6
    assert few["inverse"].max() <= 1 / data.NEAR


def test_the_distances_are_those_of_the_geometry() -> None:
    data = module("make_data")
    ahead = np.array([[[0.0, 0.0, 1.0], [0.0, 0.5, 1.0]]])
    assert data.ball(ahead, np.array([0.0, 0.0, 4.0]), 1.0).depth[0, 0] == pytest.approx(3)
    box = data.box(ahead, np.array([-1.0, -1.0, 2.5]), np.array([1.0, 1.0, 4.0]))
    assert box.depth[0, 0] == pytest.approx(2.5)
    assert box.normal[0, 0].tolist() == [0, 0, -1]
    floor = data.plane(ahead, 1, 1.0).depth[0]
    assert floor[0] == data._NOTHING
    assert floor[1] == pytest.approx(2)


def test_depth_errors_of_a_known_estimate() -> None:
    truth = np.full((1, 2, 2), 0.5)
    guess = np.array([[[0.5, 0.5], [0.25, 0.5]]])
    rmse, close = module("score").errors(guess, truth)
    assert rmse == pytest.approx(1.0)  # one pixel of four is 2 m off
    assert close == 0.75


def test_pictures_show_each_precision_beside_the_true_depth(tmp_path: Path) -> None:
    data = module("make_data")
    np.savez(tmp_path / "rooms.npz", **data.make(8, 16, 0))
    network = ("zoo", "upydnet", "--resolution", "16", "--width", "0.25", "-o", "net.onnx")
    drawn = ("net.onnx", "--calibration", "rooms.npz", "--data", "rooms.npz", "-o", "maps.png")
    for program in (("-m", "deployer", *network), (str(FOLDER / "picture.py"), *drawn)):
        done = subprocess.run(
            (sys.executable, *program), cwd=tmp_path, check=True, capture_output=True, text=True
        )
    rows = [line.split() for line in done.stdout.splitlines()[1:]]
    assert [row[0] for row in rows] == ["float32", "int16", "int8"]
    apart = [float(row[2]) for row in rows]
    assert apart[0] == 0
    assert apart[1] < apart[2]  # wider integers are nearer to the floats
    with Image.open(tmp_path / "maps.png") as page:
        assert page.size == (5 * 102 - 6, 16 + 4 * 102 - 6)
        truth = np.asarray(page)[16:112:6, 102:198:6, 0]  # one of each pixel's 6x6
    inverse = data.make(1, 16, 0)["inverse"][0, 0]
    np.testing.assert_allclose(truth / 255, (inverse - 0.1) / 0.9, atol=0.003)


def test_the_whole_example_at_a_tiny_size(
    need: Callable[[str, bool], None], tmp_path: Path
) -> None:
    need("torch", importlib.util.find_spec("torch") is not None)

    def call(*arguments: object) -> str:
        texts = [sys.executable, *map(str, arguments)]
        return subprocess.run(
            texts, cwd=tmp_path, check=True, capture_output=True, text=True, timeout=120
        ).stdout

    deployer = ("-m", "deployer")
    for name, seed in (("train", 0), ("test", 1)):
        made = ["-o", f"{name}.npz", "--samples", 24, "--size", 16, "--seed", seed]
        call(FOLDER / "make_data.py", *made)
    call(*deployer, "zoo", "upydnet", "--resolution", 16, "--width", 0.25, "-o", "untrained.onnx")
    losses = call(
        FOLDER / "train.py", "untrained.onnx", "train.npz", "-o", "float.onnx", "--epochs", 3
    )
    first, *_, last = (float(line.split()[3].rstrip(",")) for line in losses.splitlines())
    assert last < first
    given = ["--samples", "train.npz", "--input-scale", "1/255", "--scheme", "power-of-two"]
    call(
        *deployer, "finetune", *given, "--epochs", 2, "--device", "cpu", "-o", "tuned", "float.onnx"
    )
    data = ["--calibration", "train.npz", "--data", "test.npz", "--tuned", "tuned"]
    table = call(FOLDER / "score.py", "float.onnx", *data).splitlines()
    assert [row.rsplit(None, 2)[0] for row in table[1:]] == ["float", "plain int8", "tuned int8"]
    errors = [float(row.split()[-2]) for row in table[1:]]
    assert max(errors) - min(errors) < 0.5 * errors[0]
