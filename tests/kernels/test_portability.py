"""Promises of every kernel that no case shows: no libc, and one public function named for it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from catalogue.target import WARNINGS, aarch64, cortex_m7, gap8, host, kernels_of, rv32

from deployer.kernelset.blocking.neon import SCRATCH_CORES
from deployer.kernelset.kernel import Kernel
from deployer.resources import data_root

COMPILERS = {
    "host": ("gcc", ("-O2",), host(1)),
    "cortex-m7": ("arm-none-eabi-gcc", ("-O2", "-mcpu=cortex-m7", "-mthumb"), cortex_m7()),
    "aarch64": ("aarch64-linux-gnu-gcc", ("-O2",), aarch64()),
    "rv32imac": (
        "riscv64-unknown-elf-gcc",
        ("-O2", "-ffreestanding", "-march=rv32imac_zicsr", "-mabi=ilp32"),
        rv32(),
    ),
}


XPULPV2 = ("-O2", "-ffreestanding", "-march=rv32imc_zicsr", "-mabi=ilp32")


def symbols(compiler: str, flags: tuple[str, ...], kernel: Kernel, work: Path) -> list[list[str]]:
    """The external symbols of a kernel's object, as (type, name)."""
    return object_symbols(compiler, flags, data_root() / kernel.source, work)


def object_symbols(
    compiler: str, flags: tuple[str, ...], source: Path, work: Path
) -> list[list[str]]:
    root = data_root()
    command = [compiler, *WARNINGS, "-Wconversion", "-Wno-sign-conversion", *flags]
    command += [f"-I{root / 'kernels/include'}", "-c", str(source)]
    subprocess.run([*command, "-o", str(work / "kernel.o")], check=True)
    nm = compiler.removesuffix("gcc") + "nm"
    listing = subprocess.run(
        [nm, "-g", str(work / "kernel.o")], check=True, capture_output=True, text=True
    )
    return [line.split()[-2:] for line in listing.stdout.splitlines()]


@pytest.mark.parametrize("name", COMPILERS)
def test_object_defines_its_symbol_and_needs_nothing(
    name: str, tool: Callable[[str], str], tmp_path: Path
) -> None:
    compiler, flags, target = COMPILERS[name]
    tool(compiler)
    for kernel in kernels_of(target):
        shared = [["U", "dpl_" + Path(name).stem] for name in kernel.shared]
        found = symbols(compiler, flags, kernel, tmp_path)
        if name == "host":  # where a file may serve the assembly of a core alone
            shared = [each for each in shared if each in found]
        assert sorted(found) == sorted([["T", kernel.symbol], *shared])


@pytest.mark.parametrize("cores", [1, 8])
def test_kernels_with_assembly_need_that_alone(
    cores: int, tool: Callable[[str], str], tmp_path: Path
) -> None:
    compiler = "riscv64-unknown-elf-gcc"
    tool(compiler)
    flags = (*XPULPV2, f"-DDPL_CORES={cores}")
    for kernel in kernels_of(gap8(1)):
        found = symbols(compiler, flags, kernel, tmp_path)
        assert [name for kind, name in found if kind != "U"] == [kernel.symbol]
        for source in shared_sources(kernel):
            found += object_symbols(compiler, flags, source, tmp_path)
        needed = {name for kind, name in found if kind == "U"} - {"dpl_core_id"}
        made = {name: assembled(compiler, name, tmp_path) for name in kernel.assembly}
        for defined, used in made.values():
            needed |= used
            assert defined
        needed -= {"dpl_barrier", *(f"dpl_{Path(name).stem}" for name in kernel.shared)}
        assert needed <= {symbol for defined, _ in made.values() for symbol in defined}
        assert all(needed & defined for defined, _ in made.values()), kernel.symbol


def shared_sources(kernel: Kernel) -> list[Path]:
    """Files of C that the kernel calls into."""
    return [data_root() / name for name in kernel.sources[1:] if name.endswith(".c")]


def assembled(compiler: str, name: str, work: Path) -> tuple[set[str], set[str]]:
    """What an assembler file of the family defines, and what of others it needs."""
    found = object_symbols(compiler, XPULPV2, data_root() / "kernels" / "pulp" / name, work)
    used = {symbol for kind, symbol in found if kind == "U"}
    return {symbol for _, symbol in found} - used, used


def test_assembly_defines_the_function_of_its_name(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    compiler = "riscv64-unknown-elf-gcc"
    tool(compiler)
    for source in sorted((data_root() / "kernels" / "pulp").glob("*.S")):
        defined, _ = assembled(compiler, source.name, tmp_path)
        assert f"dpl_{source.stem}" in defined
        assert all(symbol.startswith("dpl_") for symbol in defined)


@pytest.mark.parametrize("name", COMPILERS)
def test_the_runtime_of_regions_needs_no_library(
    name: str, tool: Callable[[str], str], tmp_path: Path
) -> None:
    compiler, flags, _ = COMPILERS[name]
    tool(compiler)
    root = data_root()
    for source in sorted((root / "kernels" / "runtime").glob("region_*.c")):
        found = object_symbols(compiler, flags, source, tmp_path)
        needed = {symbol for kind, symbol in found if kind == "U"}
        assert all(symbol.startswith("dpl_region_") for symbol in needed), (source.name, needed)


def test_the_loop_over_tiles_needs_a_dma_and_offloading_alone(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """What ports of firmware implement, by the headers of kernels."""
    compiler = "riscv64-unknown-elf-gcc"
    tool(compiler)
    source = data_root() / "kernels" / "runtime" / "tiles.c"
    found = object_symbols(compiler, (*XPULPV2, "-DDPL_CORES=8"), source, tmp_path)
    needed = {symbol for kind, symbol in found if kind == "U"} - {"dpl_barrier", "dpl_core_id"}
    assert needed
    assert all(symbol.startswith(("dpl_dma_", "dpl_offload_")) for symbol in needed), needed


@pytest.mark.parametrize("cores", [SCRATCH_CORES, 8])
def test_several_cores_need_only_the_core_id(
    cores: int, tool: Callable[[str], str], tmp_path: Path
) -> None:
    tool("gcc")
    for kernel in kernels_of(host(cores)):
        found = symbols("gcc", ("-O2", f"-DDPL_CORES={cores}"), kernel, tmp_path)
        assert sorted(found) == [["T", kernel.symbol], ["U", "dpl_core_id"]]
