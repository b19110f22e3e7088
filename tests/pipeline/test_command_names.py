"""A name that is none is refused with the nearest one; what cannot be is refused with what can."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deployer.pipeline import stages
from pipeline.conftest import Run


@pytest.mark.parametrize(
    ("words", "near"),
    [
        ("run -b nucleo-f767z MODEL", "nucleo-f767zi"),
        ("run -b gap8 --runner qemu-sytem MODEL", "qemu_system"),
        ("build -b nucleo-f767zi --runner pyocdd MODEL", "pyocd"),
        ("run -b host --until alocate MODEL", "allocate"),
        ("run -b host --from shedule MODEL", "schedule"),
        ("check -b gap9 MODEL", "gap8"),
        ("inspect -b gap9 MODEL", "gap8"),
        ("ops -b gp8", "gap8"),
        ("zoo resnet9x", "resnet9"),
        ("bench zoo mobilenet", "mobilenetv2"),
        ("bench fits mobilenetv3", "mobilenetv2"),
        ("bench kernels --network resnet9", "resnet8"),
        ("bench kernels -b gap8 --layer con3x3", "conv3x3"),
        ("bench kernels -b gap8 --runner gap8sim", "gap8_sim"),
        ("bench accuracy MODEL --data SAMPLES --scheme power", "power-of-two"),
        ("allocate x.csv -o y.csv --solver cpsat", "cp-sat"),
        ("bnch", "bench"),
        ("bench zo", "zoo"),
    ],
)
def test_the_nearest_name_is_told(
    deployer: Run, small_model: Path, samples: Path, words: str, near: str
) -> None:
    given = {"MODEL": small_model, "SAMPLES": samples}
    done = deployer(*(given.get(word, word) for word in words.split()))
    assert (done.status, done.out) == (2, "")
    assert f"did you mean {near}?" in done.err


def test_a_folder_of_boards_that_is_none_is_refused(deployer: Run, tmp_path: Path) -> None:
    (tmp_path / "boards").mkdir()
    for command in (("boards",), ("check", "-b", "host", "net.onnx"), ("ops", "-b", "host")):
        done = deployer(*command, "--board-dir", tmp_path / "board")
        assert done.status == 2, command
        assert f"no such folder: {tmp_path / 'board'}" in done.err
        assert f"did you mean {tmp_path / 'boards'}?" in done.err


def test_stages_in_the_wrong_order_are_refused(
    deployer: Run, small_model: Path, tmp_path: Path
) -> None:
    asked = ("run", "-b", "host", "-o", tmp_path, "--from", "build", "--until", "import")
    done = deployer(*asked, small_model)
    assert done.status == 2
    assert "nothing runs from stage build to stage import" in done.err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", [("flash",), ("bench", "board")])
@pytest.mark.parametrize("board", ["host"])
def test_a_board_without_a_probe_is_told_what_to_do(
    deployer: Run, small_model: Path, command: tuple[str, ...], board: str
) -> None:
    done = deployer(*command, "-b", board, small_model)
    assert done.status == 2
    assert f"{board} is not programmed over a debug probe" in done.err
    assert f": deployer run --board {board} {small_model}" in done.err
    assert "deployer build" not in done.err


def no_stage(*_: Any, **__: Any) -> None:
    raise AssertionError("a stage ran")


@pytest.mark.parametrize(
    ("board", "command", "missing", "package"),
    [
        ("nucleo-f767zi", "run", "arm-none-eabi-gcc", "gcc-arm-none-eabi"),
        ("nucleo-f767zi", "build", "arm-none-eabi-gcc", "gcc-arm-none-eabi"),
        ("gap8", "run", "riscv64-unknown-elf-gcc", "gcc-riscv64-unknown-elf"),
        ("rpi3", "build", "aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu"),
    ],
)
def test_a_missing_compiler_is_told_before_anything_is_planned(
    deployer: Run,
    small_model: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    board: str,
    command: str,
    missing: str,
    package: str,
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(stages, "imported", no_stage)
    done = deployer(command, "-b", board, "-o", tmp_path / "build", small_model)
    assert done.status == 6
    assert f"error: no compiler for {board}: {missing}" in done.err
    assert f"apt-get install {package}" in done.err


def test_a_missing_emulator_is_told_before_anything_is_planned(
    deployer: Run, small_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("arm-none-eabi-gcc", "arm-none-eabi-size"):
        (tmp_path / name).write_text("#!/bin/sh\necho a compiler\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(stages, "imported", no_stage)
    done = deployer("run", "-b", "nucleo-f767zi", "-o", tmp_path / "build", small_model)
    assert done.status == 6
    assert "nothing to run nucleo-f767zi in: qemu-system-arm is not installed" in done.err
    assert "apt-get install qemu-system-arm" in done.err


def test_planning_needs_no_tools(
    deployer: Run, small_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    asked = ("-b", "nucleo-f767zi", "-o", tmp_path / "build")
    assert deployer("run", *asked, "--until", "generate", small_model).status == 0
    done = deployer("build", *asked, "--library", tmp_path / "lib", small_model)
    assert done.status == 0, done.err
