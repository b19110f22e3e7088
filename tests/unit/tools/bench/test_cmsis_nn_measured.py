"""CMSIS-NN's layers measured: what the app printed, and what of its runs counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from deployer.board.load import load_board
from deployer.build.cmsis_nn import Library
from deployer.errors import BenchError, DeployerError, MismatchError, UsageError
from deployer.ir.plan import Schedule, Step
from deployer.tools.bench import cmsis_nn
from deployer.tools.bench.cmsis_nn import check, library_of, link_app, measure
from deployer.tools.bench.cmsis_nn_jobs import Job
from deployer.tools.timing.bare import BareRun
from unit.ir.nets import Net
from unit.tools.timing.measured import MACHINE

NAMES = ("first", "second")
JOBS = (
    Job((), {}, 1, {"double": 0xAB, "single": 0xCD}),
    Job((), {}, 1, {"double": 0x12, "single": 0x12}),
)


@pytest.fixture
def library(tmp_path: Path) -> Library:
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "arm_nnfunctions.h").write_text("")
    (tmp_path / "lib.a").write_bytes(b"!<arch>\n")
    return Library(tmp_path / "lib.a", tmp_path / "include")


def lines(*crcs: int, status: int = 0) -> list[str]:
    """Of two passes over as many layers."""
    return [f"{i:x} {status:x} {crc:x}" for _ in range(2) for i, crc in enumerate(crcs)]


@pytest.mark.parametrize(("crc", "rounding"), [(0xAB, "double"), (0xCD, "single")])
def test_the_rounding_is_the_one_that_all_outputs_have(crc: int, rounding: str) -> None:
    assert check(NAMES, JOBS, lines(crc, 0x12)) == rounding


def test_of_two_that_fit_the_first_is_told() -> None:
    assert check(NAMES[1:], JOBS[1:], lines(0x12)) == "double"


@pytest.mark.parametrize(
    ("said", "kind", "words"),
    [
        (lines(0xAB, 0x12)[:3], BenchError, ("ended early", "0 0 ab")),
        (lines(0xAB), BenchError, ("ended early",)),
        ([], BenchError, ("ended early",)),
        (lines(0xAB, 0x12, status=4), BenchError, ("refused", "first: status 4")),
        (lines(0xAB, 0x13), MismatchError, ("outputs", "first of 1 layers: second")),
        (lines(0xAC, 0x13), MismatchError, ("outputs", "first of 2 layers: first")),
    ],
)
def test_what_the_app_got_wrong_is_told(
    said: list[str], kind: type[DeployerError], words: tuple[str, ...]
) -> None:
    with pytest.raises(kind) as caught:
        check(NAMES, JOBS, said)
    text = "\n".join([caught.value.what, *caught.value.why])
    assert all(word in text for word in words), text


def test_a_library_is_named_with_its_headers(library: Library) -> None:
    assert library_of(f"cmsis-nn={library.archive},{library.include}") == library


@pytest.mark.parametrize("text", ["", "cmsis-nn", "cmsis-nn=", "cmsis-nn=a.a", "other=a.a,b"])
def test_anything_else_is_no_library(text: str) -> None:
    with pytest.raises(UsageError, match="--against") as caught:
        library_of(text)
    assert caught.value.hints == ("cmsis-nn=LIB.a,INCLUDE_DIRECTORY",)


@pytest.mark.parametrize("text", ["cmsis-nn={0},", "cmsis-nn=,{1}"])
def test_half_a_library_is_none(library: Library, text: str) -> None:
    with pytest.raises(UsageError) as caught:
        library_of(text.format(library.archive, library.include))
    assert caught.value.hints == ("cmsis-nn=LIB.a,INCLUDE_DIRECTORY",)


def test_a_library_for_another_family_is_refused(library: Library, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--against cmsis-nn on rpi3"):
        link_app(library, load_board("rpi3"), tmp_path)


def test_a_library_that_does_not_link_is_told_with_the_linker_s_words(
    tool: Callable[[str], str], library: Library, tmp_path: Path
) -> None:
    tool("arm-none-eabi-gcc")
    with pytest.raises(BenchError, match=r"lib\.a does not link with the app") as caught:
        link_app(library, load_board("nucleo-f767zi"), tmp_path)
    assert 1 <= len(caught.value.why) <= 8
    assert any("error" in line for line in caught.value.why)
    assert "-mcpu=cortex-m7" in caught.value.hints[0]


def test_the_app_is_linked_with_the_library_behind_it(
    tool: Callable[[str], str], library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool("arm-none-eabi-gcc")
    called: list[list[str]] = []

    def linked(command: list[str], **names: Any) -> Any:
        called.append(command)
        return SimpleNamespace(returncode=0, stdout="gcc", stderr="")

    monkeypatch.setattr(cmsis_nn.subprocess, "run", linked)
    elf = link_app(library, load_board("nucleo-f767zi"), tmp_path)
    command = called[-1]
    assert command[command.index("-o") + 1] == str(elf)
    source = next(index for index, word in enumerate(command) if word.endswith("cmsis_nn.c"))
    assert source < command.index(str(library.archive))
    assert command[command.index("-isystem") + 1] == str(library.include)


def test_the_second_pass_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tool: Callable[[str], str]
) -> None:
    """Three layers, of which the library has two; each ran twice."""
    emulator = tool("qemu-system-arm")
    net = Net("net")
    x = net.conv(net.input(1, 4, 4, 2), 2, 3, name="conv")
    x = net.transpose(x, 0, 2, 1, 3, name="turned")
    graph = net.graph(net.add(x, x, name="sum"))
    steps = tuple(Step(i, node.name, "dpl_any") for i, node in enumerate(graph.nodes))
    schedule = Schedule(graph, steps, 0)
    board, given = load_board("nucleo-f767zi"), []
    monkeypatch.setattr(cmsis_nn, "disassemble", lambda app, objdump: Blocks())

    def ran(command: list[str], program: Any, machine: Any, *, begin: str, end: str) -> BareRun:
        given.append((command, begin, end))
        loader = next(word for word in command if word.startswith("loader,"))
        parts = dict(word.partition("=")[::2] for word in loader.split(",")[1:])
        assert Path(parts["file"]).stat().st_size > 0
        assert int(parts["addr"], 16) == 0x6000_0000
        runs = [SimpleNamespace(blocks=index, loaded=-index) for index in range(4)]
        return BareRun(tuple(runs), ("0 0 0", "1 0 0") * 2)

    monkeypatch.setattr(cmsis_nn, "run_bare", ran)
    monkeypatch.setattr(cmsis_nn, "check", lambda names, jobs, lines: ",".join(names))
    monkeypatch.setattr(cmsis_nn, "estimate", lambda found, costs: found.steps)
    twin = replace(board, runners={"qemu_system": {**_runner(), "args": ["-machine", "some"]}})
    found = measure(schedule, tmp_path / "app", board=twin, machine=MACHINE, work=tmp_path)
    assert found.rounding == "conv,sum"
    assert {name: (t.index, t.blocks) for name, t in found.times.items()} == {
        "conv": (0, ("block", 2)),
        "sum": (1, ("block", 3)),
    }
    ((command, begin, end),) = given
    assert (begin, end) == ("job_run", "job_end")
    assert Path(command[0]).name == Path(emulator).name
    assert "some" in command
    assert not (tmp_path / "layers.bin").exists()


class Blocks:
    def basic_blocks(self, blocks: int, loaded: int) -> tuple[str, int]:
        assert loaded == -blocks
        return "block", blocks


def _runner() -> dict[str, str]:
    return {"program": "qemu-system-arm", "package": "qemu-system-arm"}
