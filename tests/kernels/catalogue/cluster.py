"""Cases on the eight cores of GAP8's cluster at once, in our simulator or another model."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from catalogue.blob import Trial, pack
from catalogue.target import DRIVER, Target, compile_driver
from deployer.kernelset.kernel import Kernel
from deployer.resources import data_root
from deployer.simulator.gap8 import run

_FIRMWARE = DRIVER.parent.parent / "emulated" / "firmware" / "gap8"
_BLOB_BYTES = 300 * 1024  # beside the program in L2
_LIMIT = 2_000_000_000  # cycles
_LINE = re.compile(r"^CASE (\d+) (\d+) (\d+) (\d+)$", re.MULTILINE)


class Called(NamedTuple):
    """``cycles`` of a warm call, the most bytes of a core's ``stack``, ``wrong`` output bytes."""

    cycles: int
    stack: int
    wrong: int


def _simulated(image: Path) -> str:
    return run(image, limit=_LIMIT).output


def run_on_cluster(
    listed: Sequence[Trial], work: Path, *, printed: Callable[[Path], str] = _simulated
) -> list[Called]:
    """One entry a trial; operands lie in L1, which must hold them. ``printed`` runs an image."""
    kernels = sorted({trial.kernel for trial in listed}, key=lambda kernel: kernel.symbol)
    found: dict[int, Called] = {}
    for blob in pack(listed, kernels, limit=_BLOB_BYTES):
        found |= dict(_run(blob, kernels, work, printed))
    return [found[number] for number in range(len(listed))]


def _run(
    blob: bytes, kernels: Sequence[Kernel], work: Path, printed: Callable[[Path], str]
) -> Iterator[tuple[int, Called]]:
    (work / "blob.bin").write_bytes(blob)
    source = f'.section .rodata\n.balign 16\n.globl blob\nblob: .incbin "{work / "blob.bin"}"\n'
    (work / "blob.S").write_text(source)
    target = _cluster(work / "blob.S")
    image = compile_driver(target, kernels, work, data_root(), walk="cluster_gap8.c")
    for line in _LINE.findall(printed(image)):
        number, *counts = map(int, line)
        yield number, Called(*counts)


def _cluster(blob: Path) -> Target:
    bare = ("-O2", "-ffreestanding", "-nostdlib", "-fno-tree-loop-distribute-patterns")
    machine = (
        "-march=rv32imc_zicsr",
        "-mabi=ilp32",
        f"-I{_FIRMWARE}",
        f"-T{_FIRMWARE / 'link.ld'}",
    )
    return Target(
        name="gap8-cluster",
        compiler="riscv64-unknown-elf-gcc",
        flags=(*bare, *machine, "-DDPL_CORES=8", "-DDRIVER_SMALL", "-DDRIVER_CLUSTER"),
        port=str(_FIRMWARE / "start.S"),
        libraries=(str(blob), "-lgcc", "-Wl,--no-warn-rwx-segments"),
        families=("pulp",),
    )
