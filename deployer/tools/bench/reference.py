"""The six networks by which kernels are judged: the four of MLPerf Tiny and two larger ones.

Shapes are theirs, weights are seeded: a kernel's time does not depend on them, so no trained model
is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import numpy as np

from deployer.choices import Correction
from deployer.errors import UsageError, near_hints
from deployer.pipeline import Options
from deployer.tools.zoo import Network, NetworkBuilder, draw, save

_HIDDEN = (128, 128, 128, 128, 8, 128, 128, 128, 128)


def _autoencoder() -> Network:
    """MLPerf Tiny's anomaly detector: dense layers around a bottleneck of eight."""
    builder = NetworkBuilder("ad-autoencoder", norm=False)
    x = builder.flatten(builder.input(640, 1, 1))
    for outputs in _HIDDEN:
        x = builder.dense(x, outputs, act="relu")
    return builder.network(output=builder.dense(x, 640))


NETWORKS: Mapping[str, Callable[[], Network]] = MappingProxyType(
    {
        "resnet8": lambda: draw("resnet8"),
        "vww": lambda: draw("mobilenetv1", width=0.25, resolution=(96, 96), classes=2),
        "kws": lambda: draw("ds-cnn"),
        "autoencoder": _autoencoder,
        "mobilenetv1-0.5-192": lambda: draw("mobilenetv1", width=0.5, resolution=(192, 192)),
        "upydnet-48": lambda: draw("upydnet"),
    }
)


def names_in_order(requested: Sequence[str]) -> list[str]:
    """Those of ``requested``, by default all, in the order of the table. Raises UsageError for a
    name that is none."""
    for name in requested:
        if name not in NETWORKS:
            raise UsageError(f"unknown network {name!r}", hints=near_hints(name, NETWORKS))
    return [name for name in NETWORKS if name in requested or not requested]


def reference_model(name: str, folder: Path) -> tuple[Path, Options]:
    """The network's file in ``folder``, and options under which it is benched: one sample of noise
    sets the ranges, since no accuracy is looked at."""
    return with_noise(NETWORKS[name](), name, folder)


def with_noise(network: Network, name: str, folder: Path) -> tuple[Path, Options]:
    """The same for any network."""
    path, noise = folder / f"{name}.onnx", folder / f"{name}.npz"
    save(network, path)
    sample = np.random.default_rng(0).standard_normal((1, *network.input))
    np.savez(noise, input=sample.astype(np.float32))
    return path, Options(
        equalize=Correction.OFF, bias_correction=Correction.OFF, golden_samples=1, calibration=noise
    )
