"""Promises of every kernel that no case shows: no libc, and one public function named for it.

The objects are those of the catalogue and of overlaps, which a session compiles once.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from catalogue.target import (
    Target,
    aarch64,
    cortex_m7,
    gap8,
    host,
    kernel_objects,
    kernels_of,
    object_of,
    rv32,
)

from deployer.kernelset.blocking.neon import SCRATCH_CORES
from deployer.kernelset.kernel import Kernel
from deployer.resources import data_root

# of the Cortex-M as users may compile them, with loops that become calls where a libc is
PLAIN_M7 = replace(cortex_m7(), flags=("-O2", "-mcpu=cortex-m7", "-mthumb"))
TARGETS = {target.name: target for target in (host(1), PLAIN_M7, aarch64(), rv32())}
SEVERAL = {target.name: target for target in map(host, (SCRATCH_CORES, 8))}
SANITIZERS = ("__asan_", "__ubsan_")
GAP8_CORES = {1: gap8(1), 8: gap8(8)}


@dataclass(frozen=True)
class Symbols:
    """The external symbols of an object: those it defines, by letter of nm, and those it needs."""

    defined: dict[str, str]
    needed: frozenset[str]


def symbols(target: Target, objects: dict[str, Path]) -> dict[str, Symbols]:
    """Of each object, by its file's name; what sanitizers add left out."""
    nm = target.compiler.removesuffix("gcc") + "nm"
    command = [nm, "-g", "-A", *map(str, objects.values())]
    listing = subprocess.run(command, check=True, capture_output=True, text=True)
    rows: dict[str, list[list[str]]] = {str(path): [] for path in objects.values()}
    for line in listing.stdout.splitlines():
        path, _, row = line.partition(":")
        rows[path].append(row.split()[-2:])
    return {name: _symbols(rows[str(path)]) for name, path in objects.items()}


def _symbols(rows: list[list[str]]) -> Symbols:
    own = [(kind, name) for kind, name in rows if not name.startswith(SANITIZERS)]
    return Symbols(
        {name: kind for kind, name in own if kind != "U"},
        frozenset(name for kind, name in own if kind == "U"),
    )


def of_kernels(target: Target, work: Path) -> dict[str, Symbols]:
    return symbols(target, kernel_objects(target, kernels_of(target), work, data_root()))


def of_files(target: Target, sources: list[Path], work: Path) -> dict[str, Symbols]:
    root = data_root()
    return symbols(
        target, {source.name: object_of(target, source, work, root) for source in sources}
    )


def shared_symbols(kernel: Kernel) -> set[str]:
    return {f"dpl_{Path(name).stem}" for name in kernel.shared}


def assembly_of(kernel: Kernel) -> list[str]:
    return [name for name in kernel.sources if name.endswith(".S")]


def parts(targets: dict[str, Target]) -> list[tuple[str, str]]:
    """Family by family: to compile all for one target takes minutes where others work, too."""
    return [(name, family) for name, target in targets.items() for family in target.families]


@pytest.mark.parametrize(("name", "family"), parts(TARGETS))
def test_object_defines_its_symbol_and_needs_nothing(
    name: str, family: str, tool: Callable[[str], str], tmp_path: Path
) -> None:
    target = replace(TARGETS[name], families=(family,))
    tool(target.compiler)
    found = of_kernels(target, tmp_path)
    for kernel in kernels_of(target):
        seen, shared = found[kernel.source], shared_symbols(kernel)
        assert seen.defined == {kernel.symbol: "T"}
        if target.compiler == "gcc":  # where a file may serve the assembly of a core alone
            assert seen.needed <= shared
        else:
            assert seen.needed == shared


@pytest.mark.parametrize("cores", GAP8_CORES)
def test_kernels_with_assembly_need_that_alone(
    cores: int, tool: Callable[[str], str], tmp_path: Path
) -> None:
    target = GAP8_CORES[cores]
    tool(target.compiler)
    found = of_kernels(target, tmp_path)
    for kernel in kernels_of(target):
        assert [*found[kernel.source].defined] == [kernel.symbol]
        assembly = [found[name] for name in assembly_of(kernel)]
        assert all(each.defined for each in assembly)
        defined = {name for each in assembly for name in each.defined}
        needed = {name for source in kernel.sources for name in found[source].needed}
        needed -= {"dpl_core_id", "dpl_barrier", *shared_symbols(kernel)}
        assert needed <= defined
        assert all(needed & each.defined.keys() for each in assembly), kernel.symbol


def test_assembly_defines_the_function_of_its_name(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    target = gap8(1)
    tool(target.compiler)
    sources = sorted((data_root() / "kernels" / "pulp").glob("*.S"))
    for name, seen in of_files(target, sources, tmp_path).items():
        assert f"dpl_{Path(name).stem}" in seen.defined
        assert all(symbol.startswith("dpl_") for symbol in seen.defined)


@pytest.mark.parametrize("name", TARGETS)
def test_the_runtime_of_regions_needs_no_library(
    name: str, tool: Callable[[str], str], tmp_path: Path
) -> None:
    target = TARGETS[name]
    tool(target.compiler)
    sources = sorted((data_root() / "kernels" / "runtime").glob("region_*.c"))
    for source, seen in of_files(target, sources, tmp_path).items():
        others = {name for name in seen.needed if not name.startswith("dpl_region_")}
        assert not others, source


def test_the_loop_over_tiles_needs_a_dma_and_offloading_alone(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """What ports of firmware implement, by the headers of kernels."""
    target = GAP8_CORES[8]
    tool(target.compiler)
    source = data_root() / "kernels" / "runtime" / "tiles.c"
    needed = of_files(target, [source], tmp_path)[source.name].needed
    needed -= {"dpl_barrier", "dpl_core_id", "dpl_is_fetched"}
    assert needed
    assert all(symbol.startswith(("dpl_dma_", "dpl_offload_")) for symbol in needed), needed


@pytest.mark.parametrize(("name", "family"), parts(SEVERAL))
def test_several_cores_need_only_the_core_id(
    name: str, family: str, tool: Callable[[str], str], tmp_path: Path
) -> None:
    target = replace(SEVERAL[name], families=(family,))
    tool(target.compiler)
    found = of_kernels(target, tmp_path)
    for kernel in kernels_of(target):
        assert found[kernel.source] == Symbols({kernel.symbol: "T"}, frozenset({"dpl_core_id"}))
