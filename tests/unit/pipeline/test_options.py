"""What a run is asked for, and what cannot be asked for together."""

from __future__ import annotations

from pathlib import Path

import pytest

from deployer.errors import UsageError
from deployer.pipeline.job import make_job, require_int8
from deployer.pipeline.options import Options
from deployer.quantize.goal import Goal

WIDE = {
    "--bits 16": Options(bits=16),
    "--bits-of": Options(bits_of=(("conv*", 16),)),
    "--mixed": Options(mixed=Goal("sqnr", 35)),
}


@pytest.mark.parametrize("name", WIDE)
def test_fine_tuning_refuses_wide_activations_by_the_options_name(name: str) -> None:
    with pytest.raises(UsageError) as error:
        require_int8(WIDE[name], "a tuned network")
    said, *_ = str(error.value).splitlines()
    assert said == f"a tuned network has int8 activations: {name} cannot change that"


def test_fine_tuning_names_all_options_that_it_refuses() -> None:
    both = Options(bits=16, mixed=Goal("sqnr", 35))
    with pytest.raises(UsageError, match="--bits 16 and --mixed cannot"):
        require_int8(both, "a tuned network")


def test_fine_tuning_takes_int8_activations() -> None:
    require_int8(Options(), "a tuned network")


@pytest.mark.parametrize(
    ("board", "for_board", "runner", "target"),
    [
        ("nucleo-f767zi", False, "qemu_system", "qemu-mps2-an500"),
        ("nucleo-f767zi", True, "pyocd", "nucleo-f767zi"),
        ("gap8", False, "gap8_sim", "gap8"),
        ("rpi3", True, "qemu_user", "rpi3"),
        ("host", False, "host", "host"),
    ],
)
def test_without_a_runner_a_boards_first_is_taken(
    board: str, for_board: bool, runner: str, target: str
) -> None:
    """Of its own, not of its twin, for what is written for the board."""
    job = make_job(Path("net.onnx"), board, options=Options(), for_board=for_board)
    assert (job.runner, job.board.name, job.target.name) == (runner, board, target)


def test_each_model_and_board_has_a_folder_of_its_own() -> None:
    job = make_job(Path("nets/small.onnx"), "host", options=Options(), output=Path("out"))
    assert job.folder == Path("out/small-host")


def test_a_runner_that_the_board_has_not_is_refused_with_those_it_has() -> None:
    with pytest.raises(UsageError, match="board rpi3 has no runner 'pyocd'") as error:
        make_job(Path("net.onnx"), "rpi3", options=Options(), runner="pyocd")
    assert "qemu_user" in str(error.value)
