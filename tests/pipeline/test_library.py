"""``deployer build --library``: networks in another program, without a warning, to the integer."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import onnx
import pytest

from deployer.board.load import load_board
from deployer.bundle import read
from models import Sketch, residual_net
from objects import compile_once
from pipeline.conftest import Run

Tool = Callable[[str], str]
WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-Werror")
SANITIZED = ("-O1", "-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
BOARD = "nucleo-f767zi"
STACKS = "-fstack-usage"


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Two networks whose files have one name, and one that is called like a word of C; by what
    they are called in C."""
    folder = tmp_path_factory.mktemp("models")
    (folder / "b").mkdir()
    onnx.save(chain(), folder / "7 net.onnx")
    onnx.save(two_inputs(), folder / "b" / "7 net.onnx")
    onnx.save(residual_net(), folder / "int.onnx")
    return {
        "n_7_net": folder / "7 net.onnx",
        "n_7_net_2": folder / "b" / "7 net.onnx",
        "int": folder / "int.onnx",
    }


def chain() -> onnx.ModelProto:
    """Its input can be read by rows."""
    x = (sketch := Sketch(2)).input(1, 3, 24, 24)
    for channels in ((6, 3), (6, 6), (8, 6)):
        x = sketch.node("Relu", sketch.conv(x, (*channels, 3, 3), strides=[2, 2]))
    return sketch.model(sketch.node("GlobalAveragePool", x))


def two_inputs() -> onnx.ModelProto:
    x = (sketch := Sketch(3)).input(1, 2, 6, 6)
    y = sketch.input(1, 2, 6, 6, name="second")
    parts = [sketch.conv(each, (3, 2, 3, 3)) for each in (x, y)]
    return sketch.model(sketch.node("Concat", *parts, axis=1))


def library(deployer: Run, folder: Path, *arguments: object, board: str = BOARD) -> Path:
    net = folder / "net"
    done = deployer("build", "-b", board, "-o", folder / "build", "--library", net, *arguments)
    assert done.status == 0, done.err
    return net


def compiled(net: Path, compiler: str, *flags: str, to: Path) -> list[str]:
    """Object files of everything in the library; kernels once for all libraries of a session."""
    to.mkdir()
    command = [compiler, "-std=c11", *flags, *WARNINGS, f"-I{net}"]
    for source in sorted(net.glob("*.c")):
        target = to / f"{source.stem}.o"
        make = partial(_compile, command, source, target)
        if STACKS in flags:  # whose files are beside the object
            make([])
        else:
            compile_once(command, source, target, make)
    return [str(path) for path in sorted(to.glob("*.o"))]


def _compile(command: Sequence[str], source: Path, target: Path, more: Sequence[str]) -> None:
    subprocess.run([*command, *more, "-c", source, "-o", target], check=True)


def linked(program: Path, compiler: str, main: Path, net: Path, *more: str) -> Path:
    language = "-std=c++17" if main.suffix == ".cpp" else "-std=c11"
    command = [compiler, language, *WARNINGS, f"-I{net}", *more, str(main), "-o", str(program)]
    subprocess.run(command, check=True)
    return program


def said(program: Path, *wrapper: str) -> str:
    done = subprocess.run([*wrapper, program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("arena", ["own", "shared"])
def test_networks_of_one_program_compute_the_golden_integers(
    deployer: Run, models: dict[str, Path], tmp_path: Path, tool: Tool, arena: str
) -> None:
    """Equal file names, C keywords and digits; examples in C and C++, without a warning."""
    gcc, gxx = tool("gcc"), tool("g++")
    net = library(deployer, tmp_path, "--arena", arena, *models.values())
    objects = compiled(net, gcc, *SANITIZED, to=tmp_path / "objects")
    for main, compiler in (("main.c", gcc), ("main.cpp", gxx)):
        source = net / "example" / main
        program = linked(tmp_path / main[:-2], compiler, source, net, *SANITIZED, *objects)
        lines = said(program).splitlines()
        for name in models:
            assert any(line.startswith(f"{name}: equals the golden") for line in lines), lines
    kernels = [path.stem for path in net.glob("*__*.c")]
    assert len(kernels) == len(set(kernels)) > 3


CALLER = r"""
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "network.h"
#include "samples.h"
#define CHECK(what) if (!(what)) { printf("%d: " #what "\n", __LINE__); return 1; }
static _Alignas(RESIDUAL_ARENA_ALIGN) int8_t arena[RESIDUAL_ARENA_BYTES + RESIDUAL_ARENA_ALIGN];
static _Alignas(RESIDUAL_ARENA_ALIGN) int8_t other[RESIDUAL_ARENA_BYTES];
static int8_t output[RESIDUAL_OUTPUT_OUTPUT_BYTES];
static int equal(const int8_t *found) {
    return memcmp(found, residual_sample_output, sizeof residual_sample_output) == 0;
}
int main(void) {
    CHECK(residual_run(residual_sample_input, output) == DPL_NOT_INITIALIZED)
    CHECK(!residual_input() && !residual_output())
    CHECK(residual_init(NULL, 0) == NULL_STATUS)
    CHECK(residual_init(arena, RESIDUAL_ARENA_BYTES - 1) == DPL_ARENA_SMALL)
    CHECK(residual_init(arena + 1, RESIDUAL_ARENA_BYTES) == DPL_ARENA_MISALIGNED)
    CHECK(residual_init(arena + RESIDUAL_ARENA_ALIGN, RESIDUAL_ARENA_BYTES) == DPL_OK)
    CHECK(residual_run(residual_sample_input, output) == DPL_OK && equal(output))
    CHECK(residual_init(other + 4, RESIDUAL_ARENA_BYTES) == DPL_ARENA_MISALIGNED)
    CHECK(residual_input() > arena && residual_input() < arena + sizeof arena)
    CHECK(residual_init(other, sizeof other) == DPL_OK)
    memset(arena, 0x55, sizeof arena);
    memcpy(residual_input(), residual_sample_input, sizeof residual_sample_input);
    CHECK(residual_run(NULL, NULL) == DPL_OK && equal(residual_output()))
    for (size_t i = 0; i < sizeof arena; i++) {
        CHECK(arena[i] == 0x55)
    }
    return 0;
}
"""


def test_an_arena_of_the_caller_is_checked_and_nothing_else_written(
    deployer: Run, small_model: Path, tmp_path: Path, tool: Tool
) -> None:
    gcc = tool("gcc")
    net = library(deployer, tmp_path, small_model)
    main = tmp_path / "main.c"
    main.write_text(CALLER)
    sources = (f"-I{net}/example", *map(str, sorted(net.glob("*.c"))))
    without = ("-DDPL_NO_STATIC_ARENA", "-DNULL_STATUS=DPL_ARENA_MISSING")
    for flags in ((*SANITIZED, "-DNULL_STATUS=DPL_OK"), without):
        said(linked(tmp_path / "program", gcc, main, net, *flags, *sources))


def test_damaged_weights_are_found_at_init_where_that_is_asked_for(
    deployer: Run, small_model: Path, tmp_path: Path, tool: Tool
) -> None:
    gcc = tool("gcc")
    net = library(deployer, tmp_path, small_model)
    main = tmp_path / "main.c"
    main.write_text(
        '#include <stddef.h>\n#include <stdio.h>\n#include "network.h"\n'
        "int main(void) {\n"
        '    printf("%d %d\\n", residual_check(), residual_init(NULL, 0) == DPL_WEIGHTS_DAMAGED);\n'
        "    return 0;\n}\n"
    )
    weights = net / "weights.c"
    whole = weights.read_text()
    first = re.search(r"= \{\n +(-?\d+),", whole)
    assert first is not None
    other = (int(first[1]) + 1) % 100
    damaged = whole[: first.start(1)] + str(other) + whole[first.end(1) :]
    sources = tuple(map(str, sorted(net.glob("*.c"))))
    found = []
    for text, flag in (
        (whole, "-DDPL_CHECK_WEIGHTS"),
        (damaged, "-DOFF"),
        (damaged, "-DDPL_CHECK_WEIGHTS"),
    ):
        weights.write_text(text)
        found.append(said(linked(tmp_path / "program", gcc, main, net, flag, *sources)))
    assert found == ["0 0\n", "-1 0\n", "-1 1\n"]


THREADS = r"""
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include "network.h"
#include "samples.h"
static atomic_int wrong, done[2], busy[2];
static void count(int which, dpl_status status, int equal) {
    wrong += status == DPL_OK ? !equal : status != DPL_BUSY;
    (status == DPL_OK ? done : busy)[which]++;
}
static void *many(void *unused) {
    for (int i = 0; i < 100; i++) {
        int8_t a[sizeof n_7_net_sample_output], b[sizeof int_sample_output];
        const dpl_status first = n_7_net_run(n_7_net_sample_input, a);
        count(0, first, memcmp(a, n_7_net_sample_output, sizeof a) == 0);
        const dpl_status second = int_run(int_sample_input, b);
        count(1, second, memcmp(b, int_sample_output, sizeof b) == 0);
    }
    return unused;
}
int main(void) {
    pthread_t threads[3];
    if (n_7_net_init(NULL, 0) != DPL_OK || int_init(NULL, 0) != DPL_OK) {
        return 2;
    }
    for (int i = 0; i < 3; i++) {
        pthread_create(&threads[i], NULL, many, NULL);
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
    }
    printf("%d wrong, %d %d done, %d %d busy\n", wrong, done[0], done[1], busy[0], busy[1]);
    return wrong || !done[0] || !done[1];
}
"""


@pytest.mark.parametrize("arena", ["own", "shared"])
def test_threads_that_come_at_once_are_sent_away_and_no_integer_is_wrong(
    deployer: Run, models: dict[str, Path], tmp_path: Path, tool: Tool, arena: str
) -> None:
    """Under the thread sanitizer: no two threads are ever in one arena."""
    gcc = tool("gcc")
    net = library(deployer, tmp_path, "--arena", arena, models["n_7_net"], models["int"])
    main = tmp_path / "main.c"
    main.write_text(THREADS)
    sources = map(str, sorted(net.glob("*.c")))
    flags = ("-O1", "-g1", "-fsanitize=thread", "-pthread", f"-I{net}/example", *sources)
    said(linked(tmp_path / "program", gcc, main, net, *flags))


def test_rows_int16_and_two_memories(
    deployer: Run, models: dict[str, Path], tmp_path: Path, tool: Tool
) -> None:
    gcc, gxx = tool("gcc"), tool("g++")
    large = (sketch := Sketch(5)).input(1, 3, 139, 139)
    pooled = sketch.node("GlobalAveragePool", sketch.conv(large, (20, 3, 3, 3), pads=[1, 1, 1, 1]))
    onnx.save(sketch.model(pooled), tmp_path / "large.onnx")
    rows = ("--optimize", "ram", "--stream-input", models["n_7_net"])
    wide = ("--bits", "16", models["int"])
    plain = ("--equalize", "off", "--bias-correction", "off", "--golden", 1)
    split = (*plain, "--restructure", "off", "--share", "off", tmp_path / "large.onnx")
    wanted = {
        "rows": (rows, "void n_7_net_input_rows(dpl_row_source source, void *context);"),
        "wide": (wide, "dpl_status int_run(const int16_t *input, int16_t *output);"),
        "split": (split, "dpl_status large_init(void *arena_sram, size_t arena_sram_bytes, void"),
    }
    for name, (arguments, line) in wanted.items():
        (tmp_path / name).mkdir()
        net = library(deployer, tmp_path / name, "--arena", "caller", *arguments)
        assert line in (net / "network.h").read_text()
        objects = compiled(net, gcc, *SANITIZED, to=tmp_path / name / "objects")
        for main, compiler in (("main.c", gcc), ("main.cpp", gxx))[: 1 if name == "split" else 2]:
            source = net / "example" / main
            program = linked(tmp_path / name / "try", compiler, source, net, *SANITIZED, *objects)
            assert "equals the golden" in said(program)


def test_the_sample_is_the_first_golden_one(
    deployer: Run, small_model: Path, samples: Path, tmp_path: Path, tool: Tool
) -> None:
    """Of the firmware's bundle, of the same job."""
    gcc = tool("gcc")
    options = ("--calibration", samples, small_model)
    net = library(deployer, tmp_path, *options, board="host")
    again = ("build", "-b", "host", "-o", tmp_path / "build", "--from", "build", *options)
    assert deployer(*again).status == 0
    golden = read(tmp_path / "build" / "residual-host" / "7-build").golden
    main = tmp_path / "main.c"
    main.write_text(
        '#include <stdio.h>\n#include "network.h"\nint main(void) {\n'
        "    int8_t in[RESIDUAL_INPUT_INPUT_BYTES], out[RESIDUAL_OUTPUT_OUTPUT_BYTES];\n"
        "    if (fread(in, 1, sizeof in, stdin) != sizeof in) { return 1; }\n"
        "    if (residual_init(NULL, 0) != DPL_OK || residual_run(in, out) != DPL_OK) {\n"
        "        return 1;\n    }\n"
        "    return fwrite(out, 1, sizeof out, stdout) != sizeof out;\n}\n"
    )
    program = linked(tmp_path / "program", gcc, main, net, *map(str, sorted(net.glob("*.c"))))
    for given, expected in zip(golden["input"], golden["output"], strict=True):
        ran = subprocess.run([program], input=given.tobytes(), capture_output=True, check=True)
        assert ran.stdout == expected.tobytes()
    numbers = ", ".join(str(number) for number in golden["output"][0])
    assert f"{numbers}," in (net / "example" / "samples.h").read_text()


@pytest.mark.parametrize(
    ("board", "compiler", "emulator"),
    [(BOARD, "arm-none-eabi-gcc", ""), ("rpi3", "aarch64-linux-gnu-gcc", "qemu-aarch64")],
)
def test_the_boards_compiler_has_nothing_to_warn_of(
    deployer: Run, models: dict[str, Path], tmp_path: Path, tool: Tool, board: str, compiler: str,
    emulator: str,
) -> None:  # fmt: skip
    gcc = tool(compiler)
    net = library(deployer, tmp_path, *models.values(), board=board)
    flags = ("-O2", *load_board(board).toolchain.cflags)
    objects = compiled(net, gcc, *flags, STACKS, to=tmp_path / "objects")
    if not emulator:
        assert stack_of(tmp_path / "objects", "int_network") <= stated_stack(net, "int")
        return
    main = net / "example" / "main.c"
    program = linked(tmp_path / "program", gcc, main, net, "-static", *objects)
    assert said(program, tool(emulator)).count("equals the golden output") == 3


def stack_of(objects: Path, network: str) -> int:
    """Frames of all functions of the network, and of all of the kernel that has most."""
    frames = {
        path.stem: sum(int(line.split("\t")[1]) for line in path.read_text().splitlines())
        for path in objects.glob("*.su")
    }
    kernels = max(size for name, size in frames.items() if "__" in name)
    assert min(kernels, frames[network]) > 100
    return kernels + frames[network]


def stated_stack(net: Path, name: str) -> int:
    row = next(
        line for line in (net / "README.md").read_text().splitlines() if f"| `{name}` |" in line
    )
    return int(row.split("|")[-2].replace(",", ""))


def test_the_readmes_cmake_snippet_builds_the_example(
    deployer: Run, small_model: Path, tmp_path: Path, tool: Tool
) -> None:
    cmake = tool("cmake")
    net = library(deployer, tmp_path, small_model, board="host")
    snippet = (net / "README.md").read_text().split("`net` here):\n\n")[1].split("\n\n")[0]
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(try C)\n"
        f"{snippet}\nadd_executable(try net/example/main.c)\ntarget_link_libraries(try network)\n"
    )
    for command in (["-S", tmp_path, "-B", tmp_path / "made"], ["--build", tmp_path / "made"]):
        subprocess.run([cmake, *command], check=True, capture_output=True)
    assert "equals the golden output" in said(tmp_path / "made" / "try")


def test_files_of_two_builds_do_not_compile_together(
    deployer: Run, small_model: Path, tmp_path: Path, tool: Tool
) -> None:
    gcc = tool("gcc")
    (tmp_path / "other").mkdir()
    net = library(deployer, tmp_path, small_model)
    other = library(deployer, tmp_path / "other", "--scheme", "power-of-two", small_model)
    for name, against in (("network.h", "network.c"), ("weights.c", "weights.c")):
        kept = (net / name).read_bytes()
        shutil.copy(other / name, net / name)
        done = subprocess.run([gcc, "-fsyntax-only", "-I.", against], cwd=net, capture_output=True)
        assert b"two builds" in done.stderr
        (net / name).write_bytes(kept)


def test_the_same_models_give_the_same_bytes_and_touch_nothing(
    deployer: Run, models: dict[str, Path], tmp_path: Path
) -> None:
    net = library(deployer, tmp_path, *models.values())
    before = {path: (path.stat().st_ino, path.read_bytes()) for path in net.rglob("*.[chm]*")}
    library(deployer, tmp_path, *models.values())
    assert {p: (p.stat().st_ino, p.read_bytes()) for p in net.rglob("*.[chm]*")} == before
    library(deployer, tmp_path, models["int"])
    assert {path.name for path in net.glob("*network.*")} == {"network.c", "network.h"}
    assert not list(net.glob("n_7_net*"))


def test_what_else_is_in_the_folder_stays(deployer: Run, small_model: Path, tmp_path: Path) -> None:
    net = tmp_path / "net"
    net.mkdir()
    (net / "thesis.tex").write_text("years of work")
    command = ("build", "-b", "host", "-o", tmp_path / "build", "--library", net, small_model)
    refused = deployer(*command)
    assert refused.status == 2
    assert "thesis.tex" in refused.err
    assert "--overwrite" in refused.err
    assert not (tmp_path / "build").exists()
    assert deployer(*command, "--overwrite").status == 0
    assert deployer(*command).status == 0
    assert (net / "thesis.tex").read_text() == "years of work"
    (net / "network.c").write_text("mine")
    assert deployer(*command).status == 2
    assert (net / "network.c").read_text() == "mine"


def test_the_working_folder_may_be_the_librarys(
    deployer: Run, small_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the folder of build artifacts in it, where it is unless told."""
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        done = deployer("build", "-b", "host", "--library", ".", small_model)
        assert done.status == 0, done.err
    assert {"build", "network.c", ".deployer-library.json"} <= {p.name for p in tmp_path.iterdir()}


@pytest.mark.parametrize("board", ["gap8", "pulp-open"])
def test_a_board_whose_harness_leads_the_cores_has_no_library(
    deployer: Run, small_model: Path, tmp_path: Path, board: str
) -> None:
    done = deployer("build", "-b", board, "--library", tmp_path / "net", small_model)
    assert done.status == 2
    assert f"no library for {board}" in done.err
    assert not (tmp_path / "net").exists()


def test_samples_and_cuts_are_of_one_network(
    deployer: Run, small_model: Path, samples: Path, models: dict[str, Path], tmp_path: Path
) -> None:
    given = ("--library", tmp_path / "net", "-o", tmp_path / "build", small_model, models["int"])
    unclear = deployer("build", "-b", "host", "--calibration", samples, *given)
    assert unclear.status == 2
    assert f"try: --calibration residual={samples}" in unclear.err
    done = deployer("build", "-b", "host", "--calibration", f"residual={samples}", *given)
    assert done.status == 0, done.err
    used = {
        name: json.loads((tmp_path / f"build/{name}-host/1-quantize/report.json").read_text())
        for name in ("residual", "int")
    }
    assert [used[name]["calibration"]["synthetic"] for name in used] == [False, True]


def test_networks_with_symbols_in_common_are_refused(deployer: Run, tmp_path: Path) -> None:
    """Weights of layer b/c of network a, and of layer c of network a_b."""
    for name, layer in (("a", "b/c"), ("a_b", "c")):
        x = (sketch := Sketch(1)).input(1, 2, 4, 4)
        model = sketch.model(sketch.conv(x, (2, 2, 3, 3)))
        model.graph.node[0].name = layer
        for array in model.graph.initializer:
            array.name = f"{layer}.{len(array.dims)}"
        model.graph.node[0].input[1:] = [f"{layer}.4", f"{layer}.1"]
        onnx.save(model, tmp_path / f"{name}.onnx")
    files = (tmp_path / "a.onnx", tmp_path / "a_b.onnx")
    done = deployer("build", "-b", "host", "-o", tmp_path, "--library", tmp_path / "net", *files)
    assert done.status == 2
    assert "networks a and a_b would both have the C symbol a_b_c_" in done.err
    assert not (tmp_path / "net").exists()


@pytest.mark.parametrize("option", [("--arena", "own"), ("--overwrite",), ("again.onnx",)])
def test_what_only_a_library_has_is_refused_without_one(
    deployer: Run, small_model: Path, option: tuple[str, ...]
) -> None:
    done = deployer("build", "-b", "host", *option, small_model)
    assert done.status == 2
    assert "only with --library" in done.err
