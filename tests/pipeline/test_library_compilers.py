"""``deployer build --library``: what compilers and CMake make of the files, without a warning."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from deployer.board.load import load_board
from pipeline.conftest import Run
from pipeline.libraries import BOARD, STACKS, Tool, compiled, library, linked, said


@pytest.mark.parametrize(
    ("board", "compiler", "emulator"),
    [
        (BOARD, "arm-none-eabi-gcc", ""),
        ("rpi3", "aarch64-linux-gnu-gcc", "qemu-aarch64"),
        ("rpi3-32", "arm-linux-gnueabihf-gcc", "qemu-arm"),
    ],
)
def test_the_boards_compiler_has_nothing_to_warn_of(
    deployer: Run, library_models: dict[str, Path], tmp_path: Path, tool: Tool, board: str,
    compiler: str, emulator: str,
) -> None:  # fmt: skip
    gcc = tool(compiler)
    net = library(deployer, tmp_path, *library_models.values(), board=board)
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
