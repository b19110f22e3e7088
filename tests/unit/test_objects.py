"""Objects that tests share are those that a compiler would make."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from objects import FOLDER, compile_once

SOURCE = """#include <stdint.h>
#include "one.h"
#ifdef DPL_NEW
int another = DPL_NEW;
#endif
int32_t number(void) { return ONE + DPL_TWO; }
"""


class Project:
    """A source with a header, and how often it was compiled."""

    def __init__(self, folder: Path, gcc: str):
        self.folder, self.gcc, self.compiled = folder, gcc, 0
        (folder / "late").mkdir(parents=True)
        (folder / "early").mkdir()
        (folder / "source").mkdir()
        self.write("late/one.h", "#define ONE 1")
        self.write("source/number.c", SOURCE)

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)

    def object(self, *more: str) -> bytes:
        source, target = self.folder / "source/number.c", self.folder / "number.o"
        includes = [f"-I{self.folder / name}" for name in ("early", "late")]
        defines = [define for define in ("-DDPL_TWO=2",) if not any("TWO" in m for m in more)]
        mapped = f"-ffile-prefix-map={self.folder}=."
        command = [self.gcc, "-O1", mapped, *includes, *defines, *more]

        def anew(added: Sequence[str]) -> None:
            self.compiled += 1
            subprocess.run([*command, *added, "-c", source, "-o", target], check=True)

        compile_once(command, source, target, anew)
        return target.read_bytes()


@pytest.fixture
def project(
    tmp_path: Path, tool: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], Project]:
    (tmp_path / "objects").mkdir()
    monkeypatch.setenv(FOLDER, str(tmp_path / "objects"))
    return lambda name: Project(tmp_path / name, tool("gcc"))


def test_the_same_text_elsewhere_is_compiled_once(project: Callable[[str], Project]) -> None:
    first, second = project("a"), project("b")
    assert first.object() == second.object()
    assert (first.compiled, second.compiled) == (1, 0)


def test_a_define_that_no_file_names_changes_nothing(project: Callable[[str], Project]) -> None:
    a = project("a")
    assert a.object("-DDPL_OTHER=1") == a.object("-DDPL_OTHER=2")
    assert a.compiled == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda a: a.object("-DDPL_TWO=3"),
        lambda a: a.object("-DDPL_NEW=8"),
        lambda a: a.object("-O2"),
        lambda a: (a.write("late/one.h", "#define ONE 5"), a.object())[1],
        lambda a: (a.write("early/one.h", "#define ONE 5"), a.object())[1],
        lambda a: (a.write("source/one.h", "#define ONE 5"), a.object())[1],
        lambda a: (a.write("source/number.c", SOURCE + "int x;"), a.object())[1],
    ],
    ids=[
        "define",
        "new define",
        "flag",
        "header",
        "header found before",
        "header beside",
        "source",
    ],
)
def test_what_a_compiler_would_see_is_compiled_anew(
    project: Callable[[str], Project], change: Callable[[Project], bytes]
) -> None:
    a = project("a")
    first = a.object()
    assert change(a) != first
    assert a.compiled == 2


def test_a_name_made_of_parts_counts(project: Callable[[str], Project]) -> None:
    a = project("a")
    a.write("late/one.h", "#define JOIN(x) DPL_##x\n#define ONE JOIN(FIVE)")
    assert a.object("-DDPL_FIVE=5") != a.object("-DDPL_FIVE=6")
    assert a.compiled == 2


def test_what_does_not_compile_is_not_kept(project: Callable[[str], Project]) -> None:
    a = project("a")
    a.write("late/one.h", "#define ONE nothing")
    for count in (1, 2):
        with pytest.raises(subprocess.CalledProcessError):
            a.object()
        assert a.compiled == count
