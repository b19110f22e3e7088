"""Trained networks, quantized elsewhere, beside ONNX Runtime as it runs by default."""

from __future__ import annotations

import platform
from collections.abc import Callable
from pathlib import Path

import pytest

from bars.quantized import beside
from bars.trained import trained

HELD = [
    ("QDQ u8s8", "resnet8_cifar10"),
    ("QDQ s8s8 per channel", "kws_dscnn"),
    ("QDQ u8s8 per channel, float biases", "mnist_dscnn"),
    ("operators u8s8", "sww_ds1d"),
    ("operators s8s8 per channel", "ad_autoencoder"),
]


def _saturates() -> bool:
    """Whether the runtime's int8 kernels here sum products of two in 16 bits."""
    facts = Path("/proc/cpuinfo")
    x86 = platform.machine() in ("x86_64", "AMD64")
    return x86 and not (facts.is_file() and "vnni" in facts.read_text(encoding="utf-8"))


@pytest.mark.parametrize(("kind", "name"), HELD)
def test_outputs_are_those_of_the_runtime(
    kind: str, name: str, shared_models: Path, need: Callable[[str, bool], None], tmp_path: Path
) -> None:
    need("vnni", not _saturates())
    found = beside(trained(name, shared_models), kind, tmp_path)
    assert found.default.holds, found
