"""What a plan leaves to code that turned out larger than estimated."""

from __future__ import annotations

import pytest

from deployer.errors import ImageTooLarge
from deployer.pipeline.options import Job, Options, make_job
from deployer.pipeline.overflow import planned_again

EXCESS = ImageTooLarge("l2", 5904, board="gap8")


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Job:
    return make_job(
        tmp_path_factory.mktemp("job") / "net.onnx", "gap8", options=Options(), runner="gap8_sim"
    )


def test_each_time_more_is_left_to_code_than_was_missing(job: Job) -> None:
    first, stage = planned_again(job, "import", EXCESS)
    again, _ = planned_again(first, stage, EXCESS)
    assert stage == "restructure"
    assert first.code_excess >= EXCESS.excess
    assert again.code_excess - first.code_excess > first.code_excess


@pytest.mark.parametrize(
    ("first", "memory"), [("tile", "l2"), ("import", "l1")], ids=["given plan", "other memory"]
)
def test_no_plan_is_made_again_that_would_not_help(job: Job, first: str, memory: str) -> None:
    error = ImageTooLarge(memory, 5904, board="gap8")
    with pytest.raises(ImageTooLarge) as caught:
        planned_again(job, first, error)
    assert caught.value is error


def test_a_board_without_a_memory_behind_the_arenas_fetches_nothing(job: Job) -> None:
    nucleo = make_job(job.model, "nucleo-f767zi", options=Options())
    with pytest.raises(ImageTooLarge):
        planned_again(nucleo, "import", ImageTooLarge("dtcm", 1, board="nucleo"))
