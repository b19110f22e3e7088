"""Artifacts are replaced as a whole or not at all, and files of others stay."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from deployer.errors import UsageError
from deployer.pipeline.artifacts import FORMATS
from deployer.pipeline.made import FILE, read_made
from deployer.pipeline.store import STAGES, Format, Stage, Store


def text_format() -> Format:
    return Format(
        write=lambda text, folder: (folder / "a.txt").write_text(text) and None,
        read=lambda folder: (folder / "a.txt").read_text(),
    )


def store_in(folder: Path) -> Store:
    return Store(folder, {stage: text_format() for stage in STAGES})


def test_what_is_put_can_be_read_by_another_process(tmp_path: Path) -> None:
    store_in(tmp_path).put("tile", "one")
    assert store_in(tmp_path).get("tile") == "one"
    assert (tmp_path / "5-tile" / "a.txt").read_text() == "one"


def test_a_newer_artifact_replaces_the_older(tmp_path: Path) -> None:
    def write(names: str, folder: Path) -> None:
        for name in names:
            (folder / name).touch()

    store = Store(tmp_path, {"tile": Format(write, lambda folder: "")})
    store.put("tile", "ab")
    store.put("tile", "bc")
    assert sorted(path.name for path in store.path("tile").iterdir()) == ["b", "c", FILE]


def test_files_of_the_user_in_a_stages_folder_stay(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.put("tile", "one")
    (store.path("tile") / "notes").mkdir()
    (store.path("tile") / "notes" / "mine.txt").write_text("kept")
    store.put("tile", "two")
    store.put("tile", "three")
    assert (store.path("tile") / "notes" / "mine.txt").read_text() == "kept"
    assert "notes/mine.txt" not in read_made(store.path("tile")).files


def test_a_folder_of_others_is_refused(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.path("tile").mkdir()
    (store.path("tile") / "a.txt").write_text("not ours")
    with pytest.raises(UsageError, match="in the way"):
        store.put("tile", "two")
    assert (store.path("tile") / "a.txt").read_text() == "not ours"


def test_a_file_where_a_stages_folder_would_be_is_refused(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.path("tile").write_text("a file")
    with pytest.raises(UsageError, match="in the way"):
        store.put("tile", "two")


def test_the_hash_of_a_stage_follows_its_files_and_no_others(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    assert store.digest("tile") == ""
    store.put("tile", "one")
    first = store.digest("tile")
    (store.path("tile") / "notes").write_text("mine")
    assert store.digest("tile") == first
    (store.path("tile") / "a.txt").write_text("edited")
    assert store.digest("tile") != first


def test_an_artifact_states_the_stages_it_was_made_from(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.put("import", "one")
    store.put("quantize", "two", settings={"bits": 8})
    store.put("build", "three")
    made = store.provenance("build")
    assert made is not None
    assert made.inputs == {name: store.digest(name) for name in ("import", "quantize")}
    assert store.provenance("run") is None


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"sum": "0"}', '{"schema": 2, "sum": 3}'])
def test_a_damaged_statement_is_a_users_error(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text)
    with pytest.raises(UsageError, match=FILE):
        read_made(tmp_path)


def test_an_edited_statement_is_refused(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.put("tile", "one", settings={"tiler": "cost"})
    path = store.path("tile") / FILE
    path.write_text(path.read_text().replace('"cost"', '"size"'))
    with pytest.raises(UsageError, match="another hand"):
        store_in(tmp_path).provenance("tile")


def test_the_folder_of_another_stage_is_refused(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.put("tile", "one")
    shutil.copytree(store.path("tile"), store.path("build"))
    with pytest.raises(UsageError, match="what stage tile made"):
        store.provenance("build")


def test_every_stage_has_a_key_for_its_artifact() -> None:
    assert tuple(FORMATS) == STAGES
    assert all(isinstance(stage, Stage) for stage in FORMATS)
