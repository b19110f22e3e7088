"""Networks of the zoo that cannot be drawn or written are refused, and nothing is left behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import onnx
import pytest

from deployer.errors import UsageError
from deployer.tools.zoo import build
from deployer.tools.zoo.build import draw, save
from deployer.tools.zoo.builder import NetworkBuilder
from deployer.tools.zoo.layers import Layer, Network


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


MOST = (2**31 - 2**22) // 4  # numbers of four bytes, with 4 MiB of a file's 2 GiB for its nodes


def _of_weights(count: int) -> Network:
    layer = Layer("dense0", "dense", ("input",), (1,), weight=(count,))
    return Network("large", (1,), (layer,), {"output": "dense0"})


def test_as_many_weights_as_a_file_holds_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "to_onnx", lambda *given, **options: onnx.ModelProto())
    save(_of_weights(MOST), tmp_path / "net.onnx")
    assert (tmp_path / "net.onnx").exists()
    with pytest.raises(UsageError) as found:
        save(_of_weights(MOST + 1), tmp_path / "more.onnx")
    assert found.value.why == (
        f"{MOST + 1:,} weights take {4 * MOST + 4:,} B; a file holds less than 2 GiB",
    )
    assert not (tmp_path / "more.onnx").exists()


@pytest.mark.parametrize(
    ("name", "given", "what", "why", "hint"),
    [
        ("unet", (72, 9), "unet cannot take an input of 72x9",
         "it halves and doubles them: both are multiples of 16", "--resolution 64x16"),
        ("unet", (32, 7), "unet cannot take an input of 32x7",
         "it halves and doubles them: both are multiples of 16", "--resolution 32x16"),
        ("vgg16", (224, 16), "vgg16 cannot take an input of 224x16",
         "a window of 2x2 meets a tensor of 14x1 after 30 layers", "a larger --resolution"),
        ("resnet8", (4097, 3), "--resolution 4097x3 cannot be", None, "1 to 4096 each way"),
    ],
)  # fmt: skip
def test_sizes_that_a_network_cannot_take_are_refused_with_those_it_can(
    name: str, given: tuple[int, int], what: str, why: str | None, hint: str
) -> None:
    with pytest.raises(UsageError) as found:
        draw(name, resolution=given)
    refused = found.value
    assert (refused.what, refused.why, refused.hints) == (what, (why,) if why else (), (hint,))


def test_branches_that_do_not_meet_are_refused_with_their_sizes() -> None:
    s = NetworkBuilder("net")
    x = s.input(3, 8, 6)
    halved = s.conv(x, 8, stride=2)
    with pytest.raises(UsageError) as found:
        s.concat(x, halved)
    assert found.value.why == ("branches of different sizes meet: 4x3, 8x6",)
