"""What ``--restructure``, ``--ram``, ``--optimize`` and ``--stream-input`` do to a command."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deployer.tools.zoo.build import draw, save
from pipeline.conftest import Outcome, Run

BOARD = "nucleo-f767zi"
Checked = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def depth_net(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Too large for the board as it is: a monocular depth network of 80x64 pixels."""
    path = tmp_path_factory.mktemp("depth") / "depth.onnx"
    save(draw("upydnet", resolution=(96, 80)), path)
    return path


@pytest.fixture(scope="module")
def small_net(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("small") / "small.onnx"
    save(draw("mobilenetv1", width=0.5, resolution=(64, 64), classes=10), path)
    return path


@pytest.fixture(scope="module")
def known() -> dict[tuple[object, ...], Outcome]:
    return {}


@pytest.fixture
def checked(deployer: Run, known: dict[tuple[object, ...], Outcome]) -> Checked:
    """checked("--ram", …, model): the facts of ``check``, asked once for the same arguments."""

    def facts(*arguments: object, status: int = 0) -> dict[str, Any]:
        if arguments not in known:
            known[arguments] = deployer("check", "-b", BOARD, "--json", *arguments)
        done = known[arguments]
        assert done.status == status, done.err
        found: dict[str, Any] = json.loads(done.out)
        return found

    return facts


def test_what_fits_is_left_alone(checked: Checked, small_net: Path) -> None:
    assert checked(small_net)["restructured"] is None


def test_what_does_not_fit_is_restructured_by_itself(
    deployer: Run, checked: Checked, depth_net: Path
) -> None:
    facts = checked(depth_net)
    found = facts["restructured"]
    assert found["arena_before"] > sum(facts["arena"]["room"].values()) >= found["arena"]
    assert found["added_macs"] <= 0.05 * found["macs_before"]
    assert all(region["calls"] > region["nodes"] for region in found["regions"])
    text = deployer("check", "-b", BOARD, depth_net).out
    assert "restructured" in text
    assert found["regions"][0]["title"] in text


def test_a_refusal_names_the_option_that_makes_it_fit(checked: Checked, depth_net: Path) -> None:
    facts = checked("--restructure", "off", depth_net, status=4)
    assert facts["restructured"] is None
    arena = checked(depth_net)["arena"]["bytes"]
    fits = f"restructured it fits: --restructure auto (arena {arena:,} B)"
    assert fits in facts["refusal"]["hints"]
    assert facts["nearest"]["options"] == "--restructure auto"
    assert (facts["nearest"]["fits"], facts["nearest"]["arena"]) == (True, arena)


def test_ram_is_a_limit_of_the_arena(checked: Checked, small_net: Path) -> None:
    plain = checked(small_net)["arena"]["bytes"]
    facts = checked("--ram", "24KiB", small_net)
    assert facts["arena"]["bytes"] <= 24 << 10 < plain
    facts = checked("--ram", "1KiB", small_net, status=4)
    assert facts["arena"]["bytes"] == plain
    assert any("--ram" in hint for hint in facts["refusal"]["hints"])


def test_flash_is_a_limit_of_the_constants(checked: Checked, small_net: Path) -> None:
    """Apart from the limit of code, for which a layer may take a portable kernel."""
    plain = checked(small_net)["flash"]
    least, code = plain["points"][0]["bytes"], ("--kernel-code", "1MiB")
    facts = checked("--optimize", "flash", *code, small_net)
    assert facts["flash"]["constants"] == least <= plain["constants"]
    facts = checked("--flash", str(least), *code, small_net)
    assert facts["flash"]["constants"] == least
    facts = checked("--flash", str(least - 1), *code, small_net, status=4)
    assert any("--flash" in hint for hint in facts["refusal"]["hints"])


def test_kernel_code_is_a_limit(checked: Checked, small_net: Path) -> None:
    stated = checked(small_net)["kernel_code"]
    assert 0 < stated["bytes"] <= stated["limit"] == 24 << 10
    facts = checked("--kernel-code", "12KiB", small_net)["kernel_code"]
    assert 0 < facts["bytes"] <= facts["limit"] == 12 << 10


def test_goals_and_streaming_take_less(checked: Checked, small_net: Path) -> None:
    asked = (
        (),
        ("--restructure", "alg3"),
        ("--optimize", "ram"),
        ("--optimize", "ram", "--stream-input"),
    )
    sizes = [checked(*options, small_net)["arena"]["bytes"] for options in asked]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == len(sizes)


@pytest.mark.parametrize(
    "options",
    [
        ("--ram", "much"),
        ("--ram", "0"),
        ("--flash", "few"),
        ("--restructure", "on"),
        ("--optimize", "size"),
        ("--seed", "-1"),
    ],
)
def test_what_cannot_be_meant_is_a_usage_error(
    deployer: Run, small_net: Path, options: tuple[str, str]
) -> None:
    assert deployer("check", "-b", BOARD, *options, small_net).status == 2


def test_the_library_of_a_streamed_input_has_its_callback(
    deployer: Run, small_net: Path, tmp_path: Path
) -> None:
    options = ("--optimize", "ram", "--stream-input", "--library", tmp_path / "lib")
    done = deployer("build", "-b", BOARD, "-o", tmp_path, *options, small_net)
    assert done.status == 0, done.err
    assert "void small_input_rows(dpl_row_source source" in (tmp_path / "lib/network.h").read_text()
    assert (tmp_path / "lib/region_rows.c").exists()
