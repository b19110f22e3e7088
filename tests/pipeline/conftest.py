"""A small model on disk, and runs of the command line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from deployer.cli import main as cli_main


@dataclass(frozen=True)
class Outcome:
    """How a command ended and what it said."""

    status: int
    out: str
    err: str


Run = Callable[..., Outcome]


@pytest.fixture
def deployer(capfd: pytest.CaptureFixture[str]) -> Run:
    """deployer("run", "-b", "host", …): the outcome of the command."""

    def call(*arguments: object) -> Outcome:
        with pytest.raises(SystemExit) as stop:
            cli_main.main([str(argument) for argument in arguments])
        said = capfd.readouterr()
        return Outcome(int(stop.value.code or 0), said.out, said.err)

    return call


@pytest.fixture(scope="session")
def small_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A residual network with a stride, asymmetric pads, pooling and a dense head."""
    import onnx

    from models import residual_net

    path = tmp_path_factory.mktemp("model") / "residual.onnx"
    onnx.save(residual_net(), path)
    return path


@pytest.fixture(scope="session")
def samples(small_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve seeded calibration samples for the small model, with labels."""
    import onnx

    value = onnx.load(small_model).graph.input[0]
    shape = [dim.dim_value or 1 for dim in value.type.tensor_type.shape.dim]
    rng = np.random.default_rng(7)
    path = tmp_path_factory.mktemp("samples") / "samples.npz"
    data = rng.normal(size=(12, *shape[1:])).astype(np.float32)
    np.savez(path, input=data, label=np.arange(12) % 3)
    return path


@pytest.fixture(scope="session")
def library_models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Networks of one library, by what they are called in C."""
    from pipeline.libraries import save_models

    return save_models(tmp_path_factory.mktemp("models"))
