"""A stage that fails over files of an earlier process: their fault only where they changed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from deployer.errors import BenchError, UsageError
from deployer.pipeline.edited_artifacts import edited
from deployer.pipeline.made import read_made, write_made
from deployer.pipeline.store import STAGES, Format, Store


def _write(artifact: object, folder: Path) -> None:
    (folder / "artifact.json").write_text(json.dumps(artifact))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A job's folder in which all stages before the tiles were made."""
    text = Format(_write, lambda folder: json.loads((folder / "artifact.json").read_text()))
    made = Store(tmp_path, dict.fromkeys(STAGES, text))
    for stage in STAGES[: STAGES.index("tile")]:
        made.put(stage, [stage], settings={})
    return made


def fails_in_tile(store: Store, error: Exception, first: str = "tile") -> None:
    with edited(store, "tile", first):
        raise error


def test_over_an_edited_file_it_is_the_users_to_run_an_earlier_stage(store: Store) -> None:
    (store.path("schedule") / "artifact.json").write_text("[]")
    with pytest.raises(UsageError, match="stage tile cannot go on from what is in ") as caught:
        fails_in_tile(store, KeyError("conv"))
    assert caught.value.why == ("KeyError: 'conv'",)
    assert "run from stage allocate or an earlier one" in caught.value.hints[0]


def test_over_files_as_they_were_written_it_is_a_bug(store: Store) -> None:
    (store.path("schedule") / "notes.txt").write_text("what a user keeps there is no artifact")
    with pytest.raises(KeyError):
        fails_in_tile(store, KeyError("conv"))


def test_a_missing_file_was_edited_too(store: Store) -> None:
    (store.path("quantize") / "artifact.json").unlink()
    with pytest.raises(UsageError, match="cannot go on"):
        fails_in_tile(store, KeyError("conv"))


def test_an_artifact_made_by_hand_or_by_another_version_is_no_bug_of_this_one(store: Store) -> None:
    store.put("schedule", [], settings=None)
    with pytest.raises(UsageError, match="cannot go on"):
        fails_in_tile(store, KeyError("conv"))
    store.put("schedule", [], settings={})
    folder = store.path("schedule")
    write_made(folder, replace(read_made(folder), version="0.0.1"))
    with pytest.raises(UsageError, match="cannot go on"):
        fails_in_tile(store, KeyError("conv"))


def test_an_edit_of_a_stage_that_this_process_made_anew_does_not_count(store: Store) -> None:
    (store.path("schedule") / "artifact.json").write_text("[]")
    with pytest.raises(KeyError):
        fails_in_tile(store, KeyError("conv"), first="schedule")


@pytest.mark.parametrize("error", [BenchError("no compiler"), MemoryError()])
def test_errors_with_a_cause_of_their_own_keep_it(store: Store, error: Exception) -> None:
    (store.path("schedule") / "artifact.json").write_text("[]")
    with pytest.raises(type(error)):
        fails_in_tile(store, error)
