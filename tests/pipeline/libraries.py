"""Libraries of networks, and programs that call them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import onnx

from models import ModelBuilder, residual_net
from objects import compile_once
from pipeline.conftest import Run

Tool = Callable[[str], str]
WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-Werror")
SANITIZED = ("-O1", "-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
BOARD = "nucleo-f767zi"
STACKS = "-fstack-usage"


def save_models(folder: Path) -> dict[str, Path]:
    """Two networks whose files have one name, and one that is called like a word of C; by what
    they are called in C."""
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
    x = (net := ModelBuilder(2)).input(1, 3, 24, 24)
    for channels in ((6, 3), (6, 6), (8, 6)):
        x = net.node("Relu", net.conv(x, (*channels, 3, 3), strides=[2, 2]))
    return net.model(net.node("GlobalAveragePool", x))


def two_inputs() -> onnx.ModelProto:
    x = (net := ModelBuilder(3)).input(1, 2, 6, 6)
    y = net.input(1, 2, 6, 6, name="second")
    parts = [net.conv(each, (3, 2, 3, 3)) for each in (x, y)]
    return net.model(net.node("Concat", *parts, axis=1))


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
