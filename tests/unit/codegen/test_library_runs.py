"""Generated libraries run: their example programs find the golden integers, in every kind of arena.

The networks have what a library tells apart: inputs that fetched by rows, several inputs and
outputs, elements of two bytes.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from deployer.allocate.allocate import allocate
from deployer.board.load import load_board
from deployer.codegen.library import Planned, library_sources, library_view
from deployer.codegen.library_text import Sample, library_texts
from deployer.codegen.library_views import LibraryView
from deployer.codegen.network import kernel_sources
from deployer.codegen.templates import rendered
from deployer.errors import UsageError
from deployer.ir.attrs import PointAttrs, SliceAttrs, Window
from deployer.ir.graph import Graph
from deployer.ir.plan import MemoryPlan, Schedule
from deployer.numerics.interpret import run
from deployer.quantize.quantize import QuantOptions, quantize
from deployer.schedule.order import schedule
from objects import compile_once
from unit.codegen.generated_c import INCLUDES, ROOT
from unit.quantize.graphs import Draft, every_operator, noise

FLAGS = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror"]
BOARD = load_board("host")


def gated() -> Graph:
    """Two inputs of int16, the smaller one a Mul's left operand; outputs of both widths."""
    draft = Draft(1, 4, 6, 4)
    gate = draft.second_input(1, 1, 1, 4, name="gate")
    both = draft.node("Mul", gate, "x", attrs=PointAttrs())
    graph = draft.graph(draft.conv(both, 3, Window((2, 2))), draft.add(both, "x"))
    return quantize(graph, noise(graph), QuantOptions(bits=16, bits_of=(("conv2d*", 8),))).graph


def arriving() -> Graph:
    """The rows of its input are asked for, the first two, then the others."""
    draft = Draft(1, 5, 3, 2)
    halves = [
        draft.conv(draft.node("Slice", "x", attrs=part), 3, Window((1, 1)))
        for part in (
            SliceAttrs((0, 0, 0, 0), (1, 2, 3, 2), fetched=True),
            SliceAttrs((0, 2, 0, 0), (1, 5, 3, 2), fetched=True),
        )
    ]
    graph = draft.graph(draft.concat(*halves, axis=1))
    return quantize(graph, noise(graph), QuantOptions()).graph


def classifying() -> Graph:
    draft = every_operator()
    return quantize(draft, noise(draft), QuantOptions()).graph


NETS: dict[str, Callable[[], Graph]] = {
    "gated": gated, "arriving": arriving, "classifying": classifying,
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Net:
    order: Schedule
    plan: MemoryPlan
    sample: Sample


@cache
def net_of(name: str) -> Net:
    graph = replace(NETS[name](), name=name)
    order = schedule(graph, BOARD.kernels)
    rng = np.random.default_rng(1)
    given = {
        io: rng.integers(-100, 100, graph.values[io].shape).astype(graph.values[io].dtype.numpy)
        for io in graph.inputs
    }
    found = run(graph, given)
    flat = [tuple(arrays[io].ravel() for io in names)
            for arrays, names in ((given, graph.inputs), (found, graph.outputs))]  # fmt: skip
    return Net(order, allocate(order, BOARD), Sample(*flat))


def view_of(name: str, mode: str, prefix: str = "") -> LibraryView:
    net = net_of(name)
    return library_view(
        Planned(name, prefix, net.order, net.plan, (), "host", 1000), mode, version="0"
    )


def library_of(names: tuple[str, ...], mode: str) -> dict[str, str]:
    prefixes = [f"{name}_" if len(names) > 1 else "" for name in names]
    views = [view_of(*pair) for pair in zip(names, [mode] * len(names), prefixes, strict=True)]
    files, libs = library_sources(views, version="0")
    samples = {name: net_of(name).sample for name in names}
    return files | library_texts(libs, BOARD, samples, version="0")


class Compilers:
    """``c`` and ``cpp`` are programs; what does not change is compiled once."""

    def __init__(self, folder: Path, c: str, cpp: str) -> None:
        self.folder, self.c, self.cpp = folder, c, cpp

    def kernels(self, names: tuple[str, ...]) -> Iterator[Path]:
        for name in sorted({each for n in names for each in kernel_sources(net_of(n).order)}):
            to = self.folder / f"{Path(name).stem}.o"
            if not to.exists():
                self.compiled(ROOT / name, to)
            yield to

    def compiled(self, source: Path, to: Path) -> None:
        command = [self.c, *FLAGS, *INCLUDES]
        compile_once(
            command, source, to, lambda more: call(*command, *more, "-c", source, "-o", to)
        )


def call(*command: object) -> str:
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def compilers(tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Compilers:
    return Compilers(tmp_path_factory.mktemp("library"), tool("gcc"), tool("g++"))


def programs(
    compilers: Compilers, names: tuple[str, ...], mode: str, folder: Path
) -> dict[str, list[object]]:
    """Commands that compile the examples in C and in C++."""
    (folder / "example").mkdir()
    files = library_of(names, mode)
    for name, text in files.items():
        (folder / name).write_text(text)
    made: list[object] = list(compilers.kernels(names))
    for name in files:
        if name.endswith(".c") and "/" not in name:
            to = folder / f"{Path(name).stem}.o"
            call(compilers.c, *FLAGS, f"-I{folder}", *INCLUDES, "-c", folder / name, "-o", to)
            made.append(to)
    options = [f"-I{folder}", *INCLUDES, *made]
    return {
        "c": [compilers.c, *FLAGS, folder / "example/main.c", *options],
        "cpp": [compilers.cpp, "-std=c++17", folder / "example/main.cpp", *options],
    }


@pytest.mark.parametrize(
    ("names", "mode"),
    [
        (("gated",), "own"),
        (("arriving",), "caller"),
        (("classifying", "gated", "arriving"), "shared"),
    ],
    ids=["own", "caller", "shared"],
)
def test_the_examples_find_the_golden_integers(
    compilers: Compilers, names: tuple[str, ...], mode: str, tmp_path: Path
) -> None:
    for language, command in programs(compilers, names, mode, tmp_path).items():
        said = call(*command, "-o", tmp_path / language) + call(tmp_path / language)
        assert said.count("equals the golden") == len(names)


def test_another_sample_is_told_from_the_golden_one(compilers: Compilers, tmp_path: Path) -> None:
    """Otherwise the test above says nothing."""
    command = programs(compilers, ("gated",), "own", tmp_path)["c"]
    header = tmp_path / "example" / "samples.h"
    text = header.read_text()
    begin = text.index("gated_sample_input_gate")
    changed = text[:begin] + text[begin:].replace("{", "{9 + ", 1)
    assert changed != text
    header.write_text(changed)
    call(*command, "-o", tmp_path / "program")
    done = subprocess.run([tmp_path / "program"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "differs from the golden" in done.stdout


def test_the_readme_calls_each_function_with_what_it_takes() -> None:
    text = library_of(("gated",), "caller")["README.md"]
    assert "gated_init(arena, sizeof arena)" in text
    assert "gated_run(input_x, input_gate, output_" in text
    text = library_of(("arriving",), "own")["README.md"]
    assert "rows of x, when they are needed" in text
    assert "arriving_run(output)" in text


def test_an_arena_in_two_memories_has_a_parameter_for_each() -> None:
    view = view_of("gated", "own")
    near = replace(view.arenas[0], memory="near", parameter="arena_near", bytes=1234)
    far = replace(near, memory="far", parameter="arena_far", bytes=8)
    two = replace(view, arenas=(near, far))
    assert two.arena_bytes == 1242
    assert two.arena_text == "1,234 near + 8 far"
    text = rendered("library/network.c.j2", lib=two, net=two.net)
    taken = "void *arena_near, size_t arena_near_bytes, void *arena_far, size_t arena_far_bytes"
    assert f"dpl_status gated_init({taken}) {{" in text
    assert "= place(arena_near, arena_near_bytes, arena_far, arena_far_bytes);" in text


def test_a_shared_arena_is_as_large_as_the_largest() -> None:
    files = library_of(("gated", "arriving", "classifying"), "shared")
    most = max(net_of(name).plan.arena for name in NETS)
    assert f"dpl_shared_ram[{most}]" in files["dpl_shared_arena.c"]


def test_rows_are_asked_for_in_the_parts_that_are_read() -> None:
    """Of input 0: which is the first, how many, bytes of a row of three pixels of two channels."""
    text = library_of(("arriving",), "own")["network.c"]
    assert re.findall(r"dpl_rows rows = \{(\d+), (\d+), (\d+), (\d+),", text) == [
        ("0", "0", "2", "6"),
        ("0", "2", "3", "6"),
    ]


def test_networks_whose_symbols_clash_are_refused() -> None:
    """``gated_quantize_input_x`` of the one quantizes x, of the other it is where x lies."""
    net, names = net_of("gated"), ("gated", "gated_quantize")
    planned = [Planned(n, f"{n}_", net.order, net.plan, (), "host", 0) for n in names]
    views = [library_view(each, "own", version="0") for each in planned]
    with pytest.raises(UsageError, match="gated and gated_quantize would both have the C symbol"):
        library_sources(views, version="0")
