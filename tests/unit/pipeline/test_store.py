"""Artifacts are replaced as a whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from deployer.pipeline.store import STAGES, Format, Store, write_folder


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


def test_a_newer_artifact_replaces_all_of_the_older(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.put("tile", "one")
    (store.path("tile") / "left-over").touch()
    store.put("tile", "two")
    assert [path.name for path in store.path("tile").iterdir()] == ["a.txt"]


def test_a_failed_write_leaves_the_earlier_artifact(tmp_path: Path) -> None:
    target = tmp_path / "0-import"
    write_folder(target, lambda folder: (folder / "x").write_text("kept") and None)

    def fail(folder: Path) -> None:
        (folder / "x").write_text("half")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        write_folder(target, fail)
    assert (target / "x").read_text() == "kept"
    assert [path.name for path in tmp_path.iterdir()] == ["0-import"]
