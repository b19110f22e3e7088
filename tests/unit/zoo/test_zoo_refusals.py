"""Networks of the zoo that cannot be drawn or written are refused, and nothing is left behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deployer.errors import UsageError
from deployer.zoo.build import draw, save


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"width": 0.0}, "--width 0 cannot be"),
        ({"width": 8.5}, "--width 8.5 cannot be"),
        ({"width": float("nan")}, "--width nan cannot be"),
        ({"classes": 0}, "--classes 0 cannot be"),
        ({"classes": 100_001}, "--classes 100001 cannot be"),
        ({"resolution": (0, 64)}, "--resolution 0x64 cannot be"),
        ({"resolution": (64, 4097)}, "--resolution 64x4097 cannot be"),
    ],
)
def test_what_no_network_has_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words) as found:
        draw("resnet18", **given)
    assert found.value.hints


def test_the_ends_of_what_is_permitted_are_drawn() -> None:
    assert draw("resnet18", width=8.0, classes=100_000, resolution=(64, 4096)).parameters > 0
    assert draw("resnet18", classes=1, resolution=(4096, 64)).parameters > 0


@pytest.mark.parametrize(
    ("width", "given", "words"),
    [
        (0.25, {"style": "oil"}, "unknown style 'oil'"),
        (0.25, {"seed": -1}, "--seed -1 cannot be"),
        (8.0, {}, "resnet18 is too large for an ONNX file"),
    ],
)
def test_what_no_file_holds_is_refused(
    width: float, given: dict[str, Any], words: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=words) as found:
        save(draw("resnet18", width=width), tmp_path / "net.onnx", **given)
    assert found.value.hints
    assert not list(tmp_path.iterdir())
