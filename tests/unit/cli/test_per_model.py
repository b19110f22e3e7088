"""``--calibration NAME=FILE``: options of one of several models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest

from deployer.cli.jobs.per_model import options_by_model, taken_raw
from deployer.cli.options import job_options
from deployer.errors import UsageError


def options(names: tuple[str, ...], *arguments: str) -> list[dict[str, Any]]:
    """What each model gets of a command line."""
    found: list[dict[str, Any]] = []

    @click.command()
    @job_options
    def command(**given: Any) -> None:
        found.extend(options_by_model(originals, given, names))
        assert not set(originals) & set(given)

    originals = taken_raw(command)
    command.main(list(arguments), standalone_mode=False)
    return found


def test_one_model_needs_no_name() -> None:
    (found,) = options(
        ("net",), "--calibration", "net=1.npz", "--cut", "a=b", "--bits-of", "conv=16",
        "--input-scale", "1/4", "--input-shape", "x=1,3,8,8",
    )  # fmt: skip
    assert found == {
        "calibration": Path("net=1.npz"),
        "tuned": None,
        "cut": ("a=b",),
        "bits_of": (("conv", 16),),
        "input_scale": 0.25,
        "input_offset": 0.0,
        "input_shapes": (("x", (1, 3, 8, 8)),),
    }


def test_each_of_several_gets_its_own() -> None:
    first, second = options(
        ("a", "b"), "--calibration", "b=s=1.npz", "--cut", "a=x", "--cut", "a=y=z",
        "--bits-of", "b=conv*=16", "--input-shape", "a=x=1,3,8,8", "--input-scale", "b=1/255",
        "--input-offset", "0.5",
    )  # fmt: skip
    assert (first["calibration"], second["calibration"]) == (None, Path("s=1.npz"))
    assert (first["cut"], second["cut"]) == (("x", "y=z"), ())
    assert (first["bits_of"], second["bits_of"]) == ((), (("conv*", 16),))
    assert (first["input_shapes"], second["input_shapes"]) == ((("x", (1, 3, 8, 8)),), ())
    assert (first["input_scale"], second["input_scale"]) == (1.0, 1 / 255)
    assert (first["input_offset"], second["input_offset"]) == (0.5, 0.5)


@pytest.mark.parametrize(
    ("arguments", "what", "hint"),
    [
        (("--calibration", "s.npz"), "--calibration s.npz: of which", "--calibration mnist=s.npz"),
        (("--calibration", "minst=s.npz"), "of which of the 2", "--calibration mnist=s.npz"),
        (("--cut", "layer"), "--cut layer: of which", "--cut mnist=layer"),
        (("--calibration", "vww=1", "--calibration", "vww=2"), "vww has 2", "give one"),
    ],
)
def test_what_is_not_clear_is_refused(arguments: tuple[str, ...], what: str, hint: str) -> None:
    with pytest.raises(UsageError) as refused:
        options(("mnist", "vww"), *arguments)
    assert what in refused.value.what
    assert refused.value.hints[0] == hint


def test_a_value_of_the_wrong_kind_is_a_usage_error() -> None:
    with pytest.raises(click.BadParameter, match="is not a number"):
        options(("a", "b"), "--input-scale", "a=much")
