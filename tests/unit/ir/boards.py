"""Boards with memories of any size."""

from __future__ import annotations

from deployer.board.model import Board, Memory, Place, Toolchain


def board(
    *, flash: int = 1 << 20, sram: int = 1 << 16, dtcm: int = 1 << 14, arena: tuple[str, ...] = ()
) -> Board:
    """Arena in sram, then dtcm; stack and data in dtcm."""
    sizes = {"flash": flash, "sram": sram, "dtcm": dtcm}
    bases = {"flash": 0x0800_0000, "sram": 0x2002_0000, "dtcm": 0x2000_0000}
    return Board(
        name="desk",
        description="a board of the tests",
        core="cortex-m7",
        clock_hz=1_000_000,
        port="none",
        linker="",
        kernels=("ref",),
        toolchain=Toolchain("", ""),
        memories=tuple(
            Memory(name, bases[name], size, "rx" if name == "flash" else "rw", 0)
            for name, size in sizes.items()
        ),
        place=Place("flash", "flash", "dtcm", "dtcm", arena or ("sram", "dtcm")),
        stack_bytes=2048,
        runners={},
        cores=1,
    )
