"""Build the tiny network for a board with the board file's own flags, and talk to it."""

from __future__ import annotations

import os
import select
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from deployer.board.load import load_board
from deployer.board.model import Board
from deployer.board.served import port_defines
from deployer.codegen.linker import linker_script
from deployer.simulator.gap8 import simulator

ROOT = Path(__file__).parents[3]
NETWORK = Path(__file__).parent / "tiny_network.c"
FLAGS = ("-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-ffunction-sections", "-fdata-sections")
ARENA_A, ARENA_B = 48, 16
INPUT_BYTES = 16
CONSOLE = ("-display", "none", "-monitor", "none", "-serial", "stdio")


def arena_memories(board: Board) -> tuple[str, str]:
    """The memory of the big part and of the small one; the last of those the board offers."""
    return board.place.arena[0], board.place.arena[-1]


def arena_bytes(board: Board) -> dict[str, int]:
    big, small = arena_memories(board)
    return {big: ARENA_A + ARENA_B} if big == small else {big: ARENA_A, small: ARENA_B}


def known_stack(board: Board) -> int:
    """Bytes of a core's stack that step 1 of the network takes."""
    return 1500 if board.stack_bytes // board.cores > 1500 else 500


def compile_command(board: Board, gcc: str, runner: str = "") -> list[str]:
    """Everything but the linker script and the output."""
    big, small = arena_memories(board)
    port = ROOT / "firmware" / "ports" / board.port
    sources = [*(ROOT / "firmware" / "core").glob("*.c"), *port.glob("*.[cS]"), NETWORK]
    defines = [
        "-DDPL_NETWORK=tiny_net",
        f'-DDPL_BOARD="{board.name}"',
        f"-DDPL_INPUT_BYTES={INPUT_BYTES}",
        f"-DTINY_MEMORY_A={big}",
        f"-DTINY_MEMORY_B={small}",
        f"-DKNOWN_STACK={known_stack(board)}",
        *(["-DTINY_SECTIONS"] if board.linker else []),
        *([f"-DDPL_CORES={board.cores}"] if board.cores > 1 else []),
        *(f"-D{name}={value}" for name, value in port_defines(board, runner).items()),
    ]
    includes = [f"-I{ROOT / 'firmware/include'}", f"-I{ROOT / 'kernels/include'}"]
    chain = board.toolchain
    return [gcc, *FLAGS, *chain.cflags, *defines, *includes, *chain.ldflags, *map(str, sources)]


def link(
    board: Board,
    gcc: str,
    folder: Path,
    *,
    script: str | None = None,
    runner: str = "",
    more: Sequence[str] = (),
) -> subprocess.CompletedProcess[str]:
    """Build ``folder/firmware.elf``; the caller looks at the return code. ``more``: flags."""
    command = [
        *compile_command(board, gcc, runner),
        *more,
        "-Wl,--gc-sections",
        "-o",
        str(folder / "firmware.elf"),
    ]
    if board.linker:
        path = folder / "link.ld"
        path.write_text(linker_script(board, arena_bytes(board)) if script is None else script)
        command.append(f"-T{path}")
    return subprocess.run(command, capture_output=True, text=True, check=False)


def build(name: str, tool: Callable[[str], str], folder: Path) -> Path:
    """The image of board ``name``; skips when its compiler is absent."""
    board = load_board(name)
    done = link(board, tool(board.toolchain.prefix + "gcc"), folder)
    assert done.returncode == 0, done.stderr
    return folder / "firmware.elf"


@dataclass(frozen=True)
class Target:
    """A board and how it is run."""

    board: str
    runner: str
    icount: bool = False

    def command(self, elf: Path, tool: Callable[[str], str]) -> list[str]:
        if self.runner == "host":
            return [str(elf)]
        if self.runner == "gap8_sim":
            tool("gcc")
            return [str(simulator()), str(elf)]
        options = load_board(self.board).runners[self.runner]
        program = [tool(str(options["program"])), *map(str, options["args"])]  # type: ignore[call-overload]
        if self.runner == "qemu_user":
            return [*program, str(elf)]
        count = ["-icount", f"shift={options['icount']}"] if self.icount else []
        return [*program, *CONSOLE, *count, "-kernel", str(elf)]


TARGETS = {
    "mps2-icount": Target("qemu-mps2-an500", "qemu_system", icount=True),
    "mps2": Target("qemu-mps2-an500", "qemu_system"),
    "riscv-virt-icount": Target("qemu-riscv32-virt", "qemu_system", icount=True),
    "riscv-virt": Target("qemu-riscv32-virt", "qemu_system"),
    "gap8": Target("gap8", "gap8_sim"),
    "rpi3": Target("rpi3", "qemu_user"),
    "rpi3-32": Target("rpi3-32", "qemu_user"),
    "host": Target("host", "host"),
}
COUNTED = [name for name, target in TARGETS.items() if target.icount]
EMULATED = [name for name, target in TARGETS.items() if target.runner == "qemu_system"]


class Device:
    """A running image, on pipes. Every wait ends; what was heard is in the failure."""

    def __init__(self, command: Sequence[str]):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0)
        self._heard = b""

    def send(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)

    def read_until(self, mark: bytes, *, seconds: float = 20) -> bytes:
        """What arrives up to and with ``mark``."""
        end = time.monotonic() + seconds
        while mark not in self._heard:
            self._heard += self._chunk(end, mark)
        text, _, self._heard = self._heard.partition(mark)
        return text + mark

    def _chunk(self, end: float, mark: bytes) -> bytes:
        out = self.process.stdout
        assert out is not None
        ready = select.select([out], [], [], max(0.0, end - time.monotonic()))[0]
        data = os.read(out.fileno(), 65536) if ready else b""
        if not data:
            raise AssertionError(f"no {mark!r}, heard {self._heard!r}")
        return data

    def reply(self) -> list[str]:
        """The lines before the next m-ready. Every line must end in CR LF."""
        lines = self.read_until(b"m-ready\r\n").decode("ascii").split("\r\n")
        assert all("\n" not in line and "\r" not in line for line in lines)
        return lines[:-2]

    def ask(self, command: str) -> list[str]:
        self.send(command.encode() + b"%")
        return self.reply()

    def silent(self, *, seconds: float = 0.3) -> bool:
        out = self.process.stdout
        assert out is not None
        return not self._heard and not select.select([out], [], [], seconds)[0]

    def load(self, data: bytes) -> None:
        assert self.ask(f"db load {len(data)}") == [f"m-[Expecting {len(data)} bytes]"]
        assert self.ask(f"db {data.hex()}") == ["m-load-done"]

    def pairs(self, command: str) -> Mapping[str, str]:
        """The key=value lines of x-caps and x-mem."""
        lines = [line.partition("[")[2].removesuffix("]") for line in self.ask(command)]
        return dict(line.split("=", 1) for line in lines)

    def layers(self, command: str = "x-layers") -> list[tuple[int, int, int]]:
        """Index, counts and CRC of each step."""
        rows = [line.removeprefix("m-x-layer-[").removesuffix("]") for line in self.ask(command)]
        cells = [row.split(",") for row in rows]
        return [(int(index), int(count), int(crc, 16)) for index, count, crc in cells]

    def end(self, *, seconds: float = 10) -> int:
        """Exit status of a device that ends by itself."""
        return self.process.wait(seconds)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()
