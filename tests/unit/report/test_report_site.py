"""The folder of a report: made whole, replaced whole, refused where it is others'."""

from __future__ import annotations

import importlib.util
import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from deployer.cli.commands.report import command
from deployer.errors import UsageError
from deployer.report import build, build_site
from deployer.report.pages import PAGES, page_files
from deployer.report.site_folder import LIST, check_site, write_site
from fakes.many_results import nights, write
from fakes.records import record_of

NASTY = "</script><script>alert('1')</script>\"&'"


@pytest.fixture
def library(need: Callable[[str, bool], None]) -> None:
    need("vl_convert", importlib.util.find_spec("vl_convert") is not None)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return write(tmp_path / "results.sqlite", (record_of((n, 7)) for n in range(5)))


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sites without the plotting library, which takes seconds to bundle."""
    monkeypatch.setattr(build, "plotting_script", lambda: "// none\n")
    monkeypatch.setattr(build, "require_library", lambda: None)


@pytest.mark.usefixtures("library")
def test_the_command_says_where_the_page_is(results: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(command, ["-o", str(tmp_path / "out"), str(results)])
    assert done.exit_code == 0, done.output
    assert str(tmp_path / "out" / "index.html") in done.output
    assert "vegaEmbed" in (tmp_path / "out" / "vega.js").read_text()


@pytest.mark.usefixtures("quick")
def test_a_site_is_its_list_of_files_and_names_nothing_outside(
    results: Path, tmp_path: Path
) -> None:
    site = tmp_path / "out"
    assert build_site(results, site) == 5
    listed = json.loads((site / LIST).read_text())["files"]
    assert sorted([*listed, LIST]) == sorted(path.name for path in site.iterdir())
    assert {page.file for page in PAGES} <= set(listed)
    assert [name for name in listed if "://" in (site / name).read_text()] == []


@pytest.mark.usefixtures("quick")
def test_a_new_report_replaces_an_earlier_one_whole(results: Path, tmp_path: Path) -> None:
    site = tmp_path / "out"
    write_site(site, {"old.html": "old"})
    build_site(results, site)
    assert not (site / "old.html").exists()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".out")] == []


@pytest.mark.usefixtures("quick")
def test_a_folder_of_others_is_refused_and_left_alone(results: Path, tmp_path: Path) -> None:
    site = tmp_path / "out"
    build_site(results, site)
    (site / "mine.txt").write_text("mine")
    before = sorted(path.name for path in site.iterdir())
    with pytest.raises(UsageError, match="not a report's") as caught:
        build_site(results, site)
    assert caught.value.why == ("mine.txt",)
    assert sorted(path.name for path in site.iterdir()) == before


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    with pytest.raises(UsageError, match="not a folder"):
        check_site(tmp_path / "out")


@pytest.mark.parametrize("text", ["", "[]", '{"files": 3}', '{"files": [3]}'])
def test_a_list_that_is_none_makes_no_folder_a_site(text: str, tmp_path: Path) -> None:
    (tmp_path / LIST).write_text(text)
    (tmp_path / "3").write_text("")
    with pytest.raises(UsageError):
        check_site(tmp_path)


def test_an_absent_library_is_named_with_its_extra(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "vl_convert" else found(name)
    )
    with pytest.raises(UsageError, match="vl-convert-python") as caught:
        build_site(results, tmp_path / "out")
    assert "[report]" in str(caught.value)
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("content", [None, b"no database at all"])
def test_a_file_that_holds_no_results_leaves_no_folder(
    content: bytes | None, tmp_path: Path
) -> None:
    file = tmp_path / "results.sqlite"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(UsageError):
        build_site(file, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("quick")
def test_an_empty_file_of_results_makes_a_site(tmp_path: Path) -> None:
    assert build_site(write(tmp_path / "none.sqlite", ()), tmp_path / "out") == 0


def test_pages_escape_the_name_of_the_file() -> None:
    files = page_files({"name": NASTY, "version": "1", "runs": "0"})
    assert not [page.file for page in PAGES if NASTY in files[page.file]]
    assert "&lt;/script&gt;&lt;script&gt;alert(&#39;1&#39;)" in files["index.html"]


@pytest.mark.usefixtures("library")
def test_ten_thousand_runs_make_a_small_site_in_seconds(tmp_path: Path) -> None:
    """The bar is 10 s of a free machine; processor time does not see who else is busy."""
    file = write(tmp_path / "results.sqlite", nights(10_000))
    before = time.process_time()
    assert build_site(file, tmp_path / "out") == 10_000
    assert time.process_time() - before < 10
    assert sum(path.stat().st_size for path in (tmp_path / "out").iterdir()) < 5_000_000
