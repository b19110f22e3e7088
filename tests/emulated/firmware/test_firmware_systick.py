"""The stm32f7 port's SysTick counter on QEMU's SysTick, over several wraps of its 24 bits."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

from deployer.board.load import load_board
from deployer.board.served import port_defines
from deployer.codegen.linker import linker_script
from emulated.firmware.tiny_build import CONSOLE, FLAGS, ROOT

PORTS = ROOT / "firmware" / "ports"
SOURCES = (
    Path(__file__).parent / "systick_check.c",
    PORTS / "cortex_m" / "startup.c",
    PORTS / "stm32f7" / "counter.c",
)


def test_systick_stands_in_for_the_cycle_counter(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    board = load_board("qemu-mps2-an500")
    chain, runner = board.toolchain, board.runners["qemu_system"]
    gcc, qemu = tool(chain.prefix + "gcc"), tool(str(runner["program"]))
    (tmp_path / "link.ld").write_text(linker_script(board, {}))
    elf = str(tmp_path / "check.elf")
    flags = [
        *FLAGS,
        *chain.cflags,
        *chain.ldflags,
        *(f"-D{name}={value}" for name, value in port_defines(board).items()),
        "-Wl,--gc-sections",
        f"-T{tmp_path / 'link.ld'}",
    ]
    include = f"-I{ROOT / 'firmware/include'}"
    subprocess.run([gcc, *flags, include, *map(str, SOURCES), "-o", elf], check=True)
    args = [*map(str, runner["args"]), *CONSOLE, "-icount", "shift=10"]  # type: ignore[call-overload]
    assert subprocess.run([qemu, *args, "-kernel", elf], timeout=60, check=False).returncode == 0
