"""The boards and what running them takes."""

from __future__ import annotations

# board: (its first runner, programs needed)
BOARDS = {
    "host": ("host", ("gcc",)),
    "nucleo-f767zi": ("qemu_system", ("arm-none-eabi-gcc", "qemu-system-arm")),
    "gap8": ("qemu_system", ("riscv64-unknown-elf-gcc", "qemu-system-riscv32")),
    "rpi3": ("qemu_user", ("aarch64-linux-gnu-gcc", "qemu-aarch64")),
}
