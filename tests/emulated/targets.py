"""The boards and what running them takes."""

from __future__ import annotations

# board: (its first runner, programs needed)
BOARDS = {
    "host": ("host", ("gcc",)),
    "nucleo-f767zi": ("qemu_system", ("arm-none-eabi-gcc", "qemu-system-arm")),
    "gap8": ("gap8_sim", ("riscv64-unknown-elf-gcc", "gcc")),
    "rpi3": ("qemu_user", ("aarch64-linux-gnu-gcc", "qemu-aarch64")),
    "rpi3-32": ("qemu_user", ("arm-linux-gnueabihf-gcc", "qemu-arm")),
}
# gap8's other runner, whose image is its twin's
TWIN_OF_GAP8 = ("qemu_system", ("riscv64-unknown-elf-gcc", "qemu-system-riscv32"))
# what runs a board: (board, runner, programs needed)
RUNS = {
    **{board: (board, *how) for board, how in BOARDS.items()},
    "twin of gap8": ("gap8", *TWIN_OF_GAP8),
}
