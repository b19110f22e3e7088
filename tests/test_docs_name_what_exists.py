"""Files that docs and READMEs name in backticks are in the tree."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FENCE = re.compile(r"```.*?```", re.DOTALL)
NAMED = re.compile(r"`([\w./*<>-]+\.(?:py|c|h|S|inc|md|toml|j2))`")
PLACEHOLDER = re.compile(r"<\w+>|NAME")
WRITTEN = {  # by a reader who follows a guide, or by a command
    *("kernels/cortex_m/rescale_s16__armv7em_i32.c", "kernels/ref/negation_s8__ref.c"),
    *("hil/deployer_hil/runners/background.py", "example/main.c", "wakeup_network.c"),
    *("network.c/.h", "weights.c/.h", "lab.toml"),
}
FOREIGN = ("Source/",)  # of CMSIS-NN


@pytest.fixture(scope="module")
def tracked(tool: Callable[[str], str]) -> list[str]:
    command = [tool("git"), "ls-files", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("no checkout of git")
    return [line for line in done.stdout.splitlines() if (ROOT / line).exists()]


def named(text: str) -> set[str]:
    """What ``text`` calls a file, outside of its code blocks."""
    found = set(NAMED.findall(FENCE.sub("", text))) - WRITTEN
    return {name for name in found if not name.startswith(FOREIGN)}


def missing(name: str, tracked: list[str]) -> bool:
    """Whether no file of the tree ends with the path ``name``, in which <word> and * are any."""
    pattern = PLACEHOLDER.sub("*", name)
    return not any(fnmatchcase(f"/{path}", f"*/{pattern}") for path in tracked)


def test_files_that_pages_name_exist(tracked: list[str]) -> None:
    pages = [path for path in tracked if path.endswith(".md")]
    assert "docs/architecture.md" in pages
    current = (p for p in pages if p not in ("CHANGELOG.md", "docs/glossary.md"))
    absent = {
        f"{page}: {name}"
        for page in current
        for name in named((ROOT / page).read_text(encoding="utf-8"))
        if missing(name, tracked)
    }
    assert absent == set()


def test_words_of_the_glossary_name_files_that_exist(tracked: list[str]) -> None:
    """The table of renamed things below them names what is gone."""
    words, _, renamed = (ROOT / "docs/glossary.md").read_text(encoding="utf-8").partition("## Re")
    assert renamed
    assert {name for name in named(words) if missing(name, tracked)} == set()


@pytest.mark.parametrize(
    ("name", "absent"),
    [
        ("pipeline/store.py", False),
        ("store.py", False),
        ("line/store.py", True),  # the end of a folder's name
        ("pipeline/stream.py", True),
        ("firmware/ports/<port>/port.toml", False),
        ("cost/NAME.toml", False),
        ("boards/link/*.S", True),
    ],
)
def test_a_file_that_is_not_there_is_noticed(name: str, absent: bool) -> None:
    tree = ["deployer/pipeline/store.py", "firmware/ports/gap8/port.toml", "boards/cost/x.toml"]
    assert missing(name, tree) is absent
