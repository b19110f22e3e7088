"""``deployer inspect`` as text: what is shown of a path that names a file or a folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deployer.cli.jobs.artifact_view import artifact_text
from deployer.errors import UsageError
from deployer.ir import serde
from unit.ir.nets import mnist

RECORDS = [{"schema": 1, "cycles": [1, 2]}, {"schema": 1, "cycles": [3]}]


def test_a_report_is_shown_as_it_is(tmp_path: Path) -> None:
    text = '{"golden": {"match": true}}\n'
    (tmp_path / "report.json").write_text(text)
    assert artifact_text(tmp_path / "report.json") == text
    assert artifact_text(tmp_path) == text


def test_each_record_of_a_file_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    path.write_text("".join(f"{json.dumps(record)}\n" for record in RECORDS))
    assert artifact_text(path) == "\n".join(json.dumps(each, indent=1) for each in RECORDS)


@pytest.mark.parametrize("name", ["report.json", "record.jsonl"])
def test_a_record_that_is_no_json_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text('{"golden": \n')
    with pytest.raises(UsageError, match=f"not a readable artifact: .*{name}"):
        artifact_text(tmp_path / name)


@pytest.mark.parametrize("name", ["network.c", "network.h", "link.ld", "allocation.csv"])
def test_text_is_shown_as_it_is(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("a, b\n")
    assert artifact_text(tmp_path / name) == "a, b\n"


def test_a_graph_is_told_by_its_folder(tmp_path: Path) -> None:
    serde.save(mnist(), tmp_path / "graph.json")
    assert "conv2d0" in artifact_text(tmp_path)
    assert artifact_text(tmp_path) == artifact_text(tmp_path / "graph.json")


def test_a_folder_of_stages_lists_them(tmp_path: Path) -> None:
    for name in ("1-quantize", "0-import"):
        (tmp_path / name).mkdir()
    lines = artifact_text(tmp_path).splitlines()
    assert lines[0] == "stages here:"
    assert [line.rpartition("/")[2] for line in lines[1:3]] == ["0-import", "1-quantize"]
    assert lines[3].endswith(f"-o {tmp_path.name}.html {tmp_path}")


@pytest.mark.parametrize(
    ("name", "said"), [("weights.bin", "cannot show weights.bin"), ("", "no artifact in")]
)
def test_what_is_no_artifact_is_refused(name: str, said: str, tmp_path: Path) -> None:
    if name:
        (tmp_path / name).touch()
    with pytest.raises(UsageError, match=said):
        artifact_text(tmp_path / name)
