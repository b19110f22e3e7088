"""What check does with what it found, and files that are written whole or not at all."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from deployer import drawing, pipeline
from deployer.cli import render_survey
from deployer.cli.files import read_text, write_folder
from deployer.cli.jobs import check
from deployer.errors import FitError, ModelError, UsageError


@dataclass(frozen=True)
class Asked:
    """Of a job what the survey's printing needs."""

    board: Any = field(default_factory=lambda: SimpleNamespace(name="gap8"))
    searching: Any = None


JOB = Asked()
REASON = {"operator": "LSTM", "node": "n", "problem": "not supported", "hint": "h", "module": ""}


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A survey that can be set; ``said``: what was printed and drawn of it."""
    made = SimpleNamespace(
        survey=SimpleNamespace(facts={"a": 1}, profile="profile", refusal=None, said=[]),
        error=None, said=[], smallest=[],
    )  # fmt: skip

    def survey(job: Any, smallest: bool, front: bool) -> Any:
        made.smallest.append(smallest)
        job.searching("what is searched, which the job is told to whom to say")
        if made.error:
            raise made.error
        return made.survey

    monkeypatch.setattr(pipeline, "survey", survey)
    monkeypatch.setattr(render_survey, "print_survey", lambda *given: made.said.append(given))
    monkeypatch.setattr(
        drawing, "draw", lambda path, scene, what: made.said.append((path, scene, what))
    )
    monkeypatch.setattr(drawing, "surveyed", lambda found, board: ("scene", board.name))
    return made


def test_what_fits_is_printed_and_drawn(found: SimpleNamespace) -> None:
    check.carry_out(JOB, False, check.Wanted())
    assert found.said == [({"a": 1}, "profile")]
    check.carry_out(JOB, False, check.Wanted(Path("a.svg"), smallest=True))
    assert found.said[1:] == [
        ({"a": 1}, "profile"), (Path("a.svg"), ("scene", "gap8"), "memory"),
    ]  # fmt: skip
    assert found.smallest == [False, True]


def test_what_does_not_fit_is_told_in_full_first(
    found: SimpleNamespace, capsys: pytest.CaptureFixture[str]
) -> None:
    found.survey.refusal = FitError("too large")
    with pytest.raises(FitError, match="too large"):
        check.carry_out(JOB, True, check.Wanted(Path("a.svg")))
    assert capsys.readouterr().out == '{\n "a": 1\n}\n'
    assert found.said == [(Path("a.svg"), ("scene", "gap8"), "memory")]


def test_a_picture_of_no_known_kind_is_refused_before_the_work(found: SimpleNamespace) -> None:
    with pytest.raises(UsageError, match=r"no picture of kind '.png'"):
        check.carry_out(JOB, False, check.Wanted(Path("a.png")))
    assert found.smallest == []


def test_what_is_not_supported_is_told_node_by_node(
    found: SimpleNamespace, capsys: pytest.CaptureFixture[str]
) -> None:
    found.error = ModelError("1 node", why=["w"], hints=["h", "more"], reasons=[REASON])
    with pytest.raises(ModelError) as caught:
        check.carry_out(JOB, False, check.Wanted())
    assert (caught.value.what, caught.value.why, caught.value.hints) == ("1 node", (), ("more",))
    assert capsys.readouterr().out.startswith("LSTM: not supported\n    n\n")
    with pytest.raises(ModelError) as caught:
        check.carry_out(JOB, True, check.Wanted())
    assert caught.value is found.error
    facts = json.loads(capsys.readouterr().out)
    assert (facts["schema"], facts["board"], facts["fits"]) == (1, "gap8", False)
    assert facts["refusal"]["what"] == "1 node"
    assert facts["refusal"]["reasons"] == [REASON]
    found.error = ModelError("no file", hints=["h"])
    with pytest.raises(ModelError) as caught:
        check.carry_out(JOB, False, check.Wanted())
    assert caught.value is found.error


def test_text_is_read_without_its_mark(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"\xef\xbb\xbfid,\xc3\xa4")
    assert read_text(path) == "id,ä"
    path.write_bytes(b"\xff")
    with pytest.raises(UsageError, match=f"cannot read {path}") as caught:
        read_text(path)
    assert "invalid start byte" in caught.value.why[0]
    with pytest.raises(UsageError) as caught:
        read_text(tmp_path / "absent")
    assert caught.value.why == ("No such file or directory",)


def content(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text() for path in files}


def test_a_folder_appears_whole_and_is_filled_up_later(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "out"
    write_folder(folder, {"a.csv": "1", "b/c.csv": "2"})
    assert content(folder) == {"a.csv": "1", "b/c.csv": "2"}
    (folder / "mine").write_text("3")
    write_folder(folder, {"a.csv": "4", "d/e.csv": "5"})
    assert content(folder) == {"a.csv": "4", "b/c.csv": "2", "mine": "3", "d/e.csv": "5"}
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["out"]


def test_a_file_in_the_way_of_a_folder_stays(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    with pytest.raises(UsageError, match="cannot write"):
        write_folder(tmp_path / "out", {"a.csv": "1"})
    assert content(tmp_path) == {"out": "mine"}


def test_a_failure_leaves_nothing_and_a_killed_run_is_cleared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dead = tmp_path / ".out.999999999"
    dead.mkdir()
    (dead / "half").write_text("")
    write_folder(tmp_path / "out", {"a.csv": "1"})
    assert content(tmp_path) == {"out/a.csv": "1"}

    def fail(path: Path, text: str, encoding: str) -> int:
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(Path, "write_text", fail)
    with pytest.raises(Exception, match="No space left"):
        write_folder(tmp_path / "out", {"a.csv": "2"})
    assert content(tmp_path) == {"out/a.csv": "1"}
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
