"""Plans that are made again for code that is too large, and files that are written aside."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deployer.board import load_board
from deployer.build import ImageSize
from deployer.errors import ImageTooLarge
from deployer.pipeline import stages, tuned
from deployer.pipeline.build_stage import require_loadable
from deployer.pipeline.job import Job, make_job
from deployer.pipeline.options import Options


@pytest.fixture
def job(tmp_path: Path) -> Job:
    return make_job(tmp_path / "net.onnx", "gap8", options=Options(), runner="gap8_sim")


def test_code_that_is_too_large_is_planned_again_four_times(
    job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each time with more left to it: what was missing in steps of 512, 512 more, and a quarter of
    what was left before."""
    left: list[int] = []

    def executed(job: Job, first: str, last: str) -> None:
        left.append(job.code_excess)
        raise ImageTooLarge("l2", 600, board="gap8")

    monkeypatch.setattr(stages, "_executed", executed)
    with pytest.raises(ImageTooLarge):
        stages.execute(job)
    assert left == [0, 1536, 3456, 5856, 8856]


@pytest.mark.parametrize(
    ("first", "fine"), [("import", True), ("schedule", True), ("allocate", False)]
)
def test_only_plans_of_this_run_are_made_again(job: Job, first: str, fine: bool) -> None:
    error = ImageTooLarge("l2", 1, board="gap8")
    told: list[str] = []
    job = replace(job, notice=told.append)
    if not fine:
        with pytest.raises(ImageTooLarge):
            stages._with_more_code(job, first, error)
        return
    again, stage = stages._with_more_code(job, first, error)
    assert stage == ("restructure" if first == "import" else "schedule")
    assert again.code_excess == 1024
    assert told == ["code takes 1 B more than estimated: planned again"]


def test_an_image_that_boot_cannot_load_whole_is_planned_again(job: Job) -> None:
    board = job.target
    loaded = board.memory("l2").loaded
    assert 0 < loaded < board.memory("l2").size
    size = ImageSize(code=30_000, weights=loaded - 30_000, static=10_000, itcm=0)
    require_loadable(board, size)
    with pytest.raises(ImageTooLarge, match="1 B more than gap8 loads into l2 at boot") as caught:
        require_loadable(board, replace(size, weights=size.weights + 1))
    told: list[str] = []
    again, _ = stages._with_more_code(replace(job, notice=told.append), "import", caught.value)
    assert again.code_excess == 1024
    assert told == ["1 B more than can be loaded at boot: planned again"]


def test_a_board_that_loads_all_of_a_memory_refuses_no_image() -> None:
    nucleo = load_board("nucleo-f767zi")
    require_loadable(nucleo, ImageSize(code=10**9, weights=0, static=0, itcm=0))


def test_both_files_of_a_tuned_network_are_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def save(graph: Any, path: Path) -> None:
        path.write_text(f"head {graph}")
        path.with_suffix(".npz").write_text(f"arrays {graph}")

    monkeypatch.setattr(tuned.serde, "save", save)
    for name in ("first", "second"):
        assert tuned._write(name, tmp_path / "tuned.json") == tmp_path / "tuned.json"  # type: ignore[arg-type]
        found = {path.name: path.read_text() for path in tmp_path.iterdir()}
        assert found == {"tuned.json": f"head {name}", "tuned.npz": f"arrays {name}"}
