"""Compile generated networks for this machine, with sanitizers, and run them."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from deployer.allocate.allocate import allocate
from deployer.board.load import load_board
from deployer.codegen.network import generate, kernel_sources
from deployer.ir.graph import Graph
from deployer.ir.plan import MemoryPlan, Schedule
from deployer.schedule.order import schedule
from objects import compile_once

ROOT = Path(__file__).parents[3]
FLAGS = ["-std=c11", "-O1", "-g1", "-Wall", "-Wextra", "-Wcast-align=strict", "-Werror"]
THREADS = ["-fsanitize=thread", "-pthread", "-D_GNU_SOURCE", "-DDPL_POISON", "-DDPL_CORES=3"]
SANITIZED = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-DDPL_POISON"]
INCLUDES = [f"-I{ROOT / name}" for name in ("kernels/include", "firmware/include")]
MAIN = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "dpl_net.h"
extern const dpl_network random_net;
void random_run(void);
static char *given[8];
static int next_row[8];
static void give(void *context, const dpl_rows *rows) {
    if (context != given || rows->first_row < next_row[rows->input]) {
        exit(3);
    }
    next_row[rows->input] = rows->first_row + rows->count;
    const char *from = given[rows->input] + rows->first_row * rows->row_bytes;
    memcpy(rows->into, from, (size_t)(rows->count * rows->row_bytes));
}
int main(void) {
    for (int i = 0; i < random_net.input_count; i++) {
        const dpl_io *io = &random_net.inputs[i];
        given[i] = malloc(io->bytes);
        if (fread(given[i], 1, io->bytes, stdin) != io->bytes) {
            return 1;
        }
        if (io->data) {
            memcpy(io->data, given[i], io->bytes);
        }
    }
    if (random_net.input_rows) {
        random_net.input_rows(give, given);
    }
    random_run();
    for (int i = 0; i < random_net.input_count; i++) {
        free(given[i]);
    }
    for (int i = 0; i < random_net.output_count; i++) {
        const dpl_io *io = &random_net.outputs[i];
        fwrite(io->data, 1, io->bytes, stdout);
    }
    return 0;
}
"""


def planned(graph: Graph) -> tuple[Schedule, MemoryPlan, dict[str, str]]:
    """Schedule and memory for the host board, and the generated files."""
    board = load_board("host")
    order = schedule(graph, board.kernels)
    plan = allocate(order, board)
    return order, plan, generate(order, plan, version="0", options=())


CORES = """
#include <pthread.h>
#include "dpl/cores.h"
static _Thread_local int32_t core;
static pthread_barrier_t meeting;
int32_t dpl_core_id(void) {
    return core;
}
void dpl_barrier(void) {
    pthread_barrier_wait(&meeting);
}
static void *run_core(void *id) {
    core = *(int32_t *)id;
    for (int i = 0; i < random_net.step_count; i++) {
        if (random_net.steps[i].run) {
            random_net.steps[i].run();
        }
        dpl_barrier();
    }
    return 0;
}
static void run_cores(void) {
    int32_t ids[DPL_CORES];
    pthread_t threads[DPL_CORES];
    pthread_barrier_init(&meeting, 0, DPL_CORES);
    for (int32_t i = 0; i < DPL_CORES; i++) {
        ids[i] = i;
        pthread_create(&threads[i], 0, run_core, &ids[i]);
    }
    for (int32_t i = 0; i < DPL_CORES; i++) {
        pthread_join(threads[i], 0);
    }
}
int main("""
MAIN_OF_CORES = MAIN.replace("random_run()", "run_cores()").replace("\nint main(", CORES)


class Compiler:
    """What is the same for all networks is compiled once. With ``cores``, three threads share each
    call and races are errors; without, addresses and undefined behaviour are watched."""

    def __init__(self, gcc: str, folder: Path, *, cores: bool = False):
        self._gcc, self._folder = gcc, folder
        self._flags, self._main = (THREADS, MAIN_OF_CORES) if cores else (SANITIZED, MAIN)
        self._objects: dict[str, Path] = {}

    def run(self, graph: Graph, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Outputs of one sample of a graph called "random"."""
        order, _, files = planned(graph)
        program = self.program(files, [self.object(name) for name in kernel_sources(order)])
        given = b"".join(inputs[name].tobytes() for name in graph.inputs)
        return self._split(graph, self.output(program, given))

    def program(self, files: Mapping[str, str], objects: list[Path], main: str = "") -> Path:
        for name, text in {**files, "main.c": main or self._main}.items():
            (self._folder / name).write_text(text)
        made = [self._compiled(self._folder / name) for name in files if name.endswith(".c")]
        target = self._folder / "program"
        self._call([*made, self._compiled(self._folder / "main.c"), *objects, "-o", target])
        return target

    def object(self, source: str) -> Path:
        if source not in self._objects:
            self._objects[source] = self._compiled(ROOT / source)
        return self._objects[source]

    def _compiled(self, source: Path) -> Path:
        target = self._folder / f"{source.stem}.o"
        options = [*FLAGS, *self._flags, *INCLUDES, f"-I{self._folder}"]

        def anew(more: Sequence[str]) -> None:
            self._call([*INCLUDES, f"-I{self._folder}", *more, "-c", source, "-o", target])

        compile_once([self._gcc, *options], source, target, anew)
        return target

    def output(self, program: Path, given: bytes) -> bytes:
        done = subprocess.run([program], input=given, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout

    def _call(self, arguments: list[str | Path]) -> None:
        command = [self._gcc, *FLAGS, *self._flags, *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    @staticmethod
    def _split(graph: Graph, joined: bytes) -> dict[str, np.ndarray]:
        found, first = {}, 0
        for name in graph.outputs:
            value = graph.values[name]
            raw = joined[first : first + value.bytes]
            found[name] = np.frombuffer(raw, value.dtype.numpy).reshape(value.shape)
            first += value.bytes
        return found
