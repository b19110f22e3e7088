"""The networks by which tiles are judged: the six of ``bench kernels``, and those that papers 003
and 004 report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from deployer.choices import Correction
from deployer.errors import UsageError
from deployer.pipeline import Options
from deployer.tools.bench.reference import NETWORKS as SIX
from deployer.tools.bench.reference import with_noise
from deployer.tools.zoo import Network, draw

TILED_NETWORKS: Mapping[str, Callable[[], Network]] = MappingProxyType(
    {
        **SIX,
        "cifar10": lambda: draw("cifar10-cnn"),
        "mobilenetv1-1.0-128": lambda: draw("mobilenetv1", resolution=(128, 128)),
        "mobilenetv2-1.0-128": lambda: draw("mobilenetv2", resolution=(128, 128)),
    }
)


def require_known(models: tuple[str, ...]) -> None:
    """Raise UsageError for what is neither a network of this module nor a file."""
    for model in models:
        if model not in TILED_NETWORKS and not Path(model).is_file():
            raise UsageError(
                f"no network and no file {model!r}",
                hints=[f"an ONNX file, or one of {', '.join(TILED_NETWORKS)}"],
            )


def model_of(name: str, folder: Path) -> tuple[Path, Options]:
    """File and options of a network of this module, made in ``folder``, or of an ONNX file, whose
    ranges come from seeded samples."""
    if name in TILED_NETWORKS:
        return with_noise(TILED_NETWORKS[name](), name, folder)
    return Path(name), Options(
        equalize=Correction.OFF, bias_correction=Correction.OFF, golden_samples=1
    )
