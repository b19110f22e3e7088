"""``deployer build --library``: networks in another program compute their golden integers."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import onnx
import pytest

from deployer.bundle import read
from models import ModelBuilder
from pipeline.conftest import Run
from pipeline.libraries import SANITIZED, Tool, compiled, library, linked, said


@pytest.mark.parametrize("arena", ["own", "shared"])
def test_networks_of_one_program_compute_the_golden_integers(
    deployer: Run, library_models: dict[str, Path], tmp_path: Path, tool: Tool, arena: str
) -> None:
    """Equal file names, C keywords and digits; examples in C and C++, without a warning."""
    gcc, gxx = tool("gcc"), tool("g++")
    net = library(deployer, tmp_path, "--arena", arena, *library_models.values())
    objects = compiled(net, gcc, *SANITIZED, to=tmp_path / "objects")
    for main, compiler in (("main.c", gcc), ("main.cpp", gxx)):
        source = net / "example" / main
        program = linked(tmp_path / main[:-2], compiler, source, net, *SANITIZED, *objects)
        lines = said(program).splitlines()
        for name in library_models:
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
    deployer: Run, library_models: dict[str, Path], tmp_path: Path, tool: Tool, arena: str
) -> None:
    """Under the thread sanitizer: no two threads are ever in one arena."""
    gcc = tool("gcc")
    net = library(
        deployer, tmp_path, "--arena", arena, library_models["n_7_net"], library_models["int"]
    )
    main = tmp_path / "main.c"
    main.write_text(THREADS)
    sources = map(str, sorted(net.glob("*.c")))
    flags = ("-O1", "-g1", "-fsanitize=thread", "-pthread", f"-I{net}/example", *sources)
    said(linked(tmp_path / "program", gcc, main, net, *flags))


def test_rows_int16_and_two_memories(
    deployer: Run, library_models: dict[str, Path], tmp_path: Path, tool: Tool
) -> None:
    gcc, gxx = tool("gcc"), tool("g++")
    large = (net := ModelBuilder(5)).input(1, 3, 139, 139)
    pooled = net.node("GlobalAveragePool", net.conv(large, (20, 3, 3, 3), pads=[1, 1, 1, 1]))
    onnx.save(net.model(pooled), tmp_path / "large.onnx")
    rows = ("--optimize", "ram", "--stream-input", library_models["n_7_net"])
    wide = ("--bits", "16", library_models["int"])
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
