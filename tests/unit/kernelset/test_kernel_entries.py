"""The catalogue beside what compilers make of the files under kernels/."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from deployer.board.load import board_names, load_board
from deployer.ir.ops import OPS
from deployer.kernelset.blocking.pulp import CLUSTER_CORES
from deployer.kernelset.kernel import Kernel
from deployer.kernelset.select import by_symbol, families
from deployer.resources import data_root

ENTRIES = [kernel for kernels in families().values() for kernel in kernels]
STAND_IN = Path(__file__).parents[2] / "fakes" / "cmsis_nn"
HOST = ("gcc", ())
RISCV = ("riscv64-unknown-elf-gcc", ("-ffreestanding", "-march=rv32imc_zicsr", "-mabi=ilp32"))
COMPILERS = {  # of other families HOST
    "cmsis_nn": ("gcc", ("-isystem", str(STAND_IN))),
    "pulp": RISCV,
}
# a definition without a prototype, or of another type than its prototype, is an error
STRICT = ("-std=c11", "-O0", "-Wall", "-Wextra", "-Werror", "-Wmissing-prototypes")


def public_functions(family: str, tool: Callable[[str], str], work: Path) -> dict[str, set[str]]:
    """Of each C file of a family the functions that its object defines for others, by nm."""
    compiler, flags = COMPILERS.get(family, HOST)
    tool(compiler)
    sources = sorted((data_root() / "kernels" / family).glob("*.c"))
    include = f"-I{data_root() / 'kernels/include'}"
    subprocess.run([compiler, *STRICT, *flags, include, "-c", *sources], cwd=work, check=True)
    nm = compiler.removesuffix("gcc") + "nm"
    objects = [f"{source.stem}.o" for source in sources]
    said = subprocess.run(
        [nm, "-gA", "--defined-only", *objects],
        cwd=work,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    found: dict[str, set[str]] = {source.stem: set() for source in sources}
    for line in said.splitlines():
        found[line.partition(".o:")[0]].add(line.split()[-1])
    return found


@pytest.mark.parametrize("family", families())
def test_entries_are_the_functions_that_the_objects_of_their_family_define(
    family: str, tool: Callable[[str], str], tmp_path: Path
) -> None:
    defined = public_functions(family, tool, tmp_path)
    assert defined == {stem: {f"dpl_{stem}"} for stem in defined}
    kernels = families()[family]
    shared = {"dpl_" + Path(name).stem for kernel in kernels for name in kernel.shared}
    symbols = [kernel.symbol for kernel in kernels]
    assert len(symbols) == len(set(symbols))
    assert {*symbols, *shared} == {f"dpl_{stem}" for stem in defined}


@pytest.mark.parametrize("family", families())
def test_an_entry_names_the_files_that_are_there(family: str) -> None:
    folder = data_root() / "kernels" / family
    named = {name for kernel in families()[family] for name in kernel.sources}
    assert named == {
        f"kernels/{family}/{path.name}" for path in folder.iterdir() if path.suffix in (".c", ".S")
    }


def test_a_kernel_that_its_entry_gives_other_arguments_does_not_compile(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    tool("gcc")
    text = (data_root() / "kernels/include/dpl/pool.h").read_text()
    wrong = text.replace(
        "max_pool_s8__ref(const dpl_pool_s8", "max_pool_s8__ref(const dpl_pool_s16"
    )
    assert wrong != text
    (tmp_path / "dpl").mkdir()
    (tmp_path / "dpl/pool.h").write_text(wrong)
    source = data_root() / "kernels/ref/max_pool_s8__ref.c"
    includes = [f"-I{tmp_path}", f"-I{data_root() / 'kernels/include'}"]
    said = subprocess.run(
        ["gcc", *STRICT, *includes, "-fsyntax-only", source],
        check=False,
        capture_output=True,
        text=True,
    )
    assert said.returncode != 0
    assert "conflicting types" in said.stderr


@pytest.mark.parametrize("act", ["s8", "s16"])
def test_portable_kernels_cover_every_operator_that_runs(act: str) -> None:
    runs = {op for op, spec in OPS.items() if not spec.alias and (act == "s8" or spec.int16)}
    found = {op for k in families()["ref"] if (k.act, k.out_act) == (act, "") for op in k.ops}
    assert found == runs


def test_scratch_and_cycles_of_pulp_are_for_the_cores_of_its_boards() -> None:
    boards = [load_board(name) for name in board_names()]
    assert {board.cores for board in boards if "pulp" in board.kernels} == {CLUSTER_CORES}


def test_source_and_header_follow_the_symbol_and_the_operator() -> None:
    kernel = Kernel("dpl_conv2d_s8_s4__armv7em_1x1", op="Conv2d")
    assert kernel.source == "kernels/cortex_m/conv2d_s8_s4__armv7em_1x1.c"
    assert kernel.header == "dpl/conv2d.h"
    assert kernel.argument_struct == "dpl_conv2d_s8_args"


def test_symbol_gives_back_its_entry() -> None:
    assert all(by_symbol(kernel.symbol) is kernel for kernel in ENTRIES)
    assert all(re.fullmatch(r"dpl_\w+__\w+", kernel.symbol) for kernel in ENTRIES)
