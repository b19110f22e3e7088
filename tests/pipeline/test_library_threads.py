"""``deployer build --library --threads N``: threads of the library share steps."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from deployer.board import load_board
from deployer.codegen import small_steps
from pipeline.conftest import Run
from pipeline.libraries import WARNINGS, Tool, library

SHARES = "dpl_threads_run(step_"
# calls of two threads at a time: one of them has the pool, the other does its steps alone
TWO_CALLERS = """
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "int_network.h"
#include "n_7_net_network.h"
#include "example/samples.h"
#define RUNS 50

static int8_t out[2][sizeof int_sample_output + sizeof n_7_net_sample_output];

static void *first(void *wrong) {
    for (int i = 0; i < RUNS; i++) {
        int_run(int_sample_input, out[0]);
        *(int *)wrong += memcmp(out[0], int_sample_output, sizeof int_sample_output) != 0;
    }
    return 0;
}

static void *second(void *wrong) {
    for (int i = 0; i < RUNS; i++) {
        n_7_net_run(n_7_net_sample_input, out[1]);
        *(int *)wrong += memcmp(out[1], n_7_net_sample_output, sizeof n_7_net_sample_output) != 0;
    }
    return 0;
}

int main(void) {
    int wrong[2] = {0, 0};
    pthread_t other;
    if (int_init(NULL, 0) || n_7_net_init(NULL, 0)) {
        return 2;
    }
    pthread_create(&other, 0, second, &wrong[1]);
    first(&wrong[0]);
    pthread_join(other, 0);
    printf("%d wrong\\n", wrong[0] + wrong[1]);
    return wrong[0] + wrong[1];
}
"""


@pytest.fixture(autouse=True)
def _all_steps_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small_steps, "SHARED_CYCLES", 0)


def built(net: Path, main: Path, to: Path, compiler: str, *flags: str) -> str:
    """The library and a program that calls it, from everything in its folder."""
    sources = sorted(str(path) for path in net.glob("*.c"))
    command = [compiler, "-std=c11", *WARNINGS, "-pthread", *flags, f"-I{net}"]
    subprocess.run([*command, *sources, str(main), "-o", str(to)], check=True)
    return str(to)


@pytest.mark.parametrize(
    ("board", "compiler", "emulator"),
    [("host", "gcc", ()), ("rpi3", "aarch64-linux-gnu-gcc", ("qemu-aarch64",))],
)
def test_threads_of_a_library_compute_the_golden_integers(
    deployer: Run, library_models: dict[str, Path], tmp_path: Path, tool: Tool,
    board: str, compiler: str, emulator: tuple[str, ...],
) -> None:  # fmt: skip
    gcc, emulated = tool(compiler), [tool(name) for name in emulator]
    net = library(deployer, tmp_path, "--threads", 3, *library_models.values(), board=board)
    assert all(SHARES in path.read_text() for path in net.glob("*_network.c"))
    assert "#define DPL_CORES 3\n" in (net / "dpl" / "cores.h").read_text()
    flags = ("-O2", "-static", *load_board(board).toolchain.cflags)
    program = built(net, net / "example" / "main.c", tmp_path / "try", gcc, *flags)
    said = subprocess.run([*emulated, program], check=True, capture_output=True, text=True).stdout
    assert said.count("equals the golden output") == len(library_models)


def test_callers_in_threads_of_their_own_race_for_nothing(
    deployer: Run, library_models: dict[str, Path], tmp_path: Path, tool: Tool
) -> None:
    models = [library_models[name] for name in ("int", "n_7_net")]
    net = library(deployer, tmp_path, "--threads", 2, *models, board="host")
    (tmp_path / "main.c").write_text(TWO_CALLERS)
    flags = ("-O1", "-g1", "-fsanitize=thread", "-Wno-tsan")
    program = built(net, tmp_path / "main.c", tmp_path / "two", tool("gcc"), *flags)
    done = subprocess.run([program], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "0 wrong\n"), done.stderr


def test_one_thread_needs_none(deployer: Run, small_model: Path, tmp_path: Path) -> None:
    net = library(deployer, tmp_path, "--threads", 1, small_model, board="host")
    assert not (net / "dpl_threads.c").exists()
    assert "DPL_CORES 1" not in (net / "dpl" / "cores.h").read_text()
