"""Where the driver runs: how it is compiled, how it is started, which kernels it can hold."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from catalogue.blob import Trial
from catalogue.posed import posed
from catalogue.readers import any_args, readers
from deployer.board.load import load_board
from deployer.ir.ops import OPS
from deployer.kernelset.arguments import REQUANTIZE, SUMS
from deployer.kernelset.blocking.neon import SCRATCH_CORES
from deployer.kernelset.kernel import Kernel
from deployer.kernelset.select import families
from deployer.resources import data_root
from deployer.simulator.gap8 import MAX_CYCLES
from deployer.simulator.gap8 import simulator as gap8_sim
from gvsoc_programs import run_in_gvsoc
from objects import compile_once

_L2_BLOB = 192 * 1024  # as port_gap8.c has it
_PSRAM_BLOB = 12 * 1024 * 1024  # of the 16 MiB from where mps2-an500 has the cases on
DRIVER = Path(__file__).parent.parent / "driver"
WARNINGS = ("-std=c11", "-Wall", "-Wextra", "-Werror")
STRICTER = ("-Wconversion", "-Wno-sign-conversion")  # of kernels, which users compile too
_BARE = ("-O2", "-ffreestanding", "-nostdlib", "-fno-tree-loop-distribute-patterns")
_SANITIZED = ("-Og", "-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover")
_ARGUMENTS = ("arguments_s8.c", "arguments_s16.c", "arguments_f32.c")
_PARTS = {
    SUMS: "conv2d_sums",
    REQUANTIZE: "requantize",
}


@dataclass(frozen=True)
class Target:
    """``command`` starts the driver; {image} and {blob} are files,
    {simulator} is gap8_sim. ``runs`` starts it where a command does not do. ``families``: kernels
    it runs.

    ``emulator`` is "" where the host runs the program itself. ``memory``: bytes of a blob; more
    cases take several runs.
    """

    name: str
    compiler: str
    flags: tuple[str, ...]
    port: str
    command: tuple[str, ...] = ("{image}", "{blob}")
    libraries: tuple[str, ...] = ()
    emulator: str = ""
    families: tuple[str, ...] = ("ref",)
    memory: int = 1 << 62
    runs: Callable[[Path, Path], str] | None = None


def host(cores: int) -> Target:
    """The machine at hand, sanitized, sharing each call among ``cores`` cores in turn. Kernels for
    NEON run on one core or on all that their scratch is for."""
    name = "host" if cores == 1 else f"host-{cores}-cores"
    flags = (*_SANITIZED, f"-DDPL_CORES={cores}")
    families = {
        1: ("ref", "cortex_m", "neon", "fp32"),
        SCRATCH_CORES: ("neon", "fp32"),
    }.get(cores, ("ref",))
    return Target(name, "gcc", flags, "port_hosted.c", families=families)


def cortex_m7() -> Target:
    return Target(
        name="cortex-m7",
        compiler="arm-none-eabi-gcc",
        flags=(*_BARE, *load_board("nucleo-f767zi").toolchain.cflags, f"-T{DRIVER / 'mps2.ld'}"),
        port="port_mps2.c",
        libraries=("-lgcc",),
        emulator="qemu-system-arm",
        command=(
            *("qemu-system-arm", "-M", "mps2-an500", "-display", "none", "-kernel", "{image}"),
            *("-semihosting-config", "enable=on,target=native"),
            *("-device", "loader,file={blob},addr=0x60000000,force-raw=on"),
        ),
        families=("ref", "cortex_m"),
        memory=_PSRAM_BLOB,
    )


def rv32() -> Target:
    return Target(
        name="rv32imac",
        compiler="riscv64-unknown-elf-gcc",
        flags=(*_BARE, "-march=rv32imac_zicsr", "-mabi=ilp32", f"-T{DRIVER / 'virt.ld'}"),
        port="port_virt.c",
        libraries=("-lgcc",),
        emulator="qemu-system-riscv32",
        command=(
            *("qemu-system-riscv32", "-M", "virt", "-bios", "none", "-display", "none"),
            *("-serial", "stdio", "-monitor", "none", "-kernel", "{image}"),
            *("-device", "loader,file={blob},addr=0x81000000,force-raw=on"),
        ),
    )


def aarch64() -> Target:
    return Target(
        name="aarch64",
        compiler="aarch64-linux-gnu-gcc",
        flags=("-O2", "-static"),
        port="port_hosted.c",
        emulator="qemu-aarch64",
        command=("qemu-aarch64", "-cpu", "cortex-a53", "{image}", "{blob}"),
        families=("ref", "neon", "fp32"),
    )


def aarch32() -> Target:
    """A Raspberry Pi 3 with a 32-bit system: kernels for NEON as its board compiles them."""
    return Target(
        name="aarch32",
        compiler="arm-linux-gnueabihf-gcc",
        flags=("-O2", "-static", *load_board("rpi3-32").toolchain.cflags),
        port="port_hosted.c",
        emulator="qemu-arm",
        command=("qemu-arm", "-cpu", "cortex-a7", "{image}", "{blob}"),
        families=("neon",),
    )


def gap8(cores: int) -> Target:
    """A core of GAP8 in our simulator, as each of ``cores`` in turn. Its L2 holds a part of the
    cases, which wait in the HyperRAM."""
    shared = (f"-DDPL_CORES={cores}",) if cores > 1 else ()
    small = ("-DDRIVER_SMALL", *shared, f"-T{DRIVER / 'gap8.ld'}")
    return Target(
        name="gap8" if cores == 1 else f"gap8-{cores}-cores",
        compiler="riscv64-unknown-elf-gcc",
        flags=(*_BARE, "-march=rv32imc_zicsr", "-mabi=ilp32", *small),
        port="port_gap8.c",
        libraries=("-lgcc",),
        emulator="gcc",  # which builds the simulator
        command=("{simulator}", "--limit", str(MAX_CYCLES), "--l3", "{blob}", "{image}"),
        families=("pulp",),
        memory=_L2_BLOB,
    )


def gvsoc() -> Target:
    """The same in GVSoC, the cases in the flash."""
    flags = (*gap8(1).flags, "-DDRIVER_BLOB_IN_FLASH")
    return replace(gap8(1), name="gvsoc", flags=flags, emulator="gvsoc", runs=_in_gvsoc)


def _in_gvsoc(image: Path, blob: Path) -> str:
    return run_in_gvsoc(image, flash=blob.read_bytes(), timeout=600).stdout


@dataclass(frozen=True, eq=False)
class Outcome:
    """``failures``: for each failed trial's place in ``trials`` what the driver said."""

    trials: tuple[Trial, ...]
    failures: dict[int, str]

    def of(self, kernel: Kernel) -> list[str]:
        """The failed cases of a kernel, described."""
        return [
            f"{said}: {self.trials[number].case.about}"
            for number, said in self.failures.items()
            if self.trials[number].kernel == kernel
        ]


def kernels_of(target: Target) -> tuple[Kernel, ...]:
    known = families()
    return tuple(k for name in target.families for k in known.get(name, ()))


def run(
    target: Target,
    work: Path,
    *,
    kernels: Sequence[Kernel] = (),
    sources: Path | None = None,
) -> Outcome:
    """Every case of ``kernels`` (all if none). ``sources`` stands in for the data root."""
    kernels = kernels or kernels_of(target)
    given = posed(tuple(kernels), target.memory)
    image = compile_driver(target, kernels, work, sources or data_root())
    failures: dict[int, str] = {}
    ran = 0
    for blob in given.blobs:
        count, failed = _run_blob(target, image, blob)
        ran += count
        failures |= failed
    assert ran == len(given.trials)
    return Outcome(given.trials, failures)


def _run_blob(target: Target, image: Path, blob: Path) -> tuple[int, dict[int, str]]:
    """How many cases ran, and what the driver said of those that failed."""
    said = start(target, image, blob)
    done = re.search(r"^DONE (\d+) (\d+)$", said, re.MULTILINE)
    assert done, f"{target.name}: the driver did not finish:\n{said[-2000:]}"
    failures = {int(n): text for n, text in re.findall(r"^FAIL (\d+) (.*)$", said, re.MULTILINE)}
    assert int(done[2]) == len(failures)
    return int(done[1]), failures


def start(target: Target, image: Path, blob: Path) -> str:
    """What the driver prints, wherever its console is."""
    if target.runs:
        return target.runs(image, blob)
    simulator = gap8_sim() if "{simulator}" in target.command else ""
    command = [part.format(image=image, blob=blob, simulator=simulator) for part in target.command]
    found = subprocess.run(
        command, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL, check=False
    )
    return found.stdout + found.stderr


def compile_driver(
    target: Target,
    kernels: Sequence[Kernel],
    work: Path,
    sources: Path,
    *,
    walk: str = "main.c",
    watched: Sequence[str] = (),
) -> Path:
    """The driver with every kernel of the target; ``walk``: what it does with the cases.

    ``watched`` are flags for the kernels alone.
    """
    table = work / "table.c"
    table.write_text(_table(kernels))
    (work / "any_args.h").write_text(any_args())
    (work / "readers.c").write_text(readers())
    image = work / "driver.elf"
    watching = replace(target, flags=(*target.flags, *watched))
    objects = list(kernel_objects(watching, kernels, work, sources).values())
    flags = (*target.flags, f"-I{DRIVER}", f"-I{sources / 'kernels/include'}", f"-I{work}")
    command = [target.compiler, *WARNINGS, *flags]
    walked = [DRIVER / name for name in (walk, "cases.c", *_ARGUMENTS)]
    objects += [_object(command, source, work) for source in (*walked, work / "readers.c")]
    files = (DRIVER / target.port, table, *objects)
    _compile(*command, *files, "-o", image, *target.libraries, work=work)
    return image


def kernel_objects(
    target: Target, kernels: Sequence[Kernel], work: Path, sources: Path
) -> dict[str, Path]:
    """The object in ``work`` of each of the kernels' files, which ``sources`` has."""
    names = sorted({name for kernel in kernels for name in kernel.sources})
    return {name: object_of(target, sources / name, work, sources) for name in names}


def object_of(target: Target, source: Path, work: Path, root: Path) -> Path:
    """``source`` compiled as a kernel is, with the headers of ``root``."""
    include = f"-I{root / 'kernels/include'}"
    return _object([target.compiler, *WARNINGS, *STRICTER, *target.flags, include], source, work)


def _object(command: Sequence[str], source: Path, work: Path) -> Path:
    target = work / f"{source.name}.o"

    def anew(more: Sequence[str]) -> None:
        _compile(*command, *more, "-c", source, "-o", target, work=work)

    compile_once(command, source, target, anew)
    return target


def _compile(*command: str | Path, work: Path) -> None:
    built = subprocess.run(
        [*map(str, command)], capture_output=True, text=True, check=False, cwd=work
    )
    assert built.returncode == 0, built.stderr


def _table(kernels: Sequence[Kernel]) -> str:
    """kernel_table: how to read a case's arguments, and the function to call with them."""
    lines = ['#include "driver.h"', ""]
    for i, kernel in enumerate(kernels):
        member = _member(kernel)
        lines.append(
            f"static void call_{i}(const any_args *a) {{ {kernel.symbol}(&a->{member}); }}"
        )
    entries = [f"    {{read_{_member(k)}, call_{i}}}," for i, k in enumerate(kernels)]
    return "\n".join([*lines, "", "const kernel_entry kernel_table[] = {", *entries, "};", ""])


def _member(kernel: Kernel) -> str:
    """Of any_args, and of the function that reads it."""
    name = _PARTS.get(kernel.op) or OPS[kernel.op].arguments
    return "_".join(filter(None, (name, kernel.act, kernel.out_act)))
