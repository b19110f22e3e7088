"""What plans leave to the kernels' code, against the compiler."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from deployer.board.load import load_board
from deployer.build.compile import COMMON_FLAGS
from deployer.kernelset import cortex_m, pulp, ref
from deployer.kernelset.code import PORTABLE_BYTES, code_bytes, code_table, table_bytes
from deployer.kernelset.cortex_m.code import BYTES as ARMV7EM_BYTES
from deployer.kernelset.pulp.code import BYTES
from deployer.kernelset.select import families
from deployer.resources import data_root

CODE = (".text", ".rodata", ".srodata")


def compiled(gcc: str, source: Path, work: Path) -> int:
    flags = [*load_board("gap8").toolchain.cflags, "-O2", "-std=c11", "-DDPL_CORE_COUNT=8"]
    image = work / "kernel.o"
    include = f"-I{data_root() / 'kernels/include'}"
    subprocess.run([gcc, *flags, include, "-c", str(source), "-o", str(image)], check=True)
    size = gcc.replace("gcc", "size")
    table = subprocess.run([size, "-A", str(image)], check=True, capture_output=True, text=True)
    rows = (line.split() for line in table.stdout.splitlines())
    return sum(int(row[1]) for row in rows if row and row[0].startswith(CODE))


@pytest.mark.parametrize("name", BYTES)
def test_a_file_takes_what_plans_leave_it(
    tool: Callable[[str], str], tmp_path: Path, name: str
) -> None:
    """Another gcc may make it a little larger or smaller."""
    gcc = tool(load_board("gap8").toolchain.prefix + "gcc")
    size = compiled(gcc, data_root() / "kernels/pulp" / name, tmp_path)
    assert BYTES[name] == pytest.approx(size, rel=0.15, abs=32)


def test_every_file_of_the_kernels_is_known() -> None:
    files = {Path(source).name for kernel in pulp.KERNELS for source in kernel.sources}
    assert files == set(BYTES)


def test_what_kernels_share_counts_once() -> None:
    convolution, dense = (
        next(k for k in pulp.KERNELS if k.symbol == f"dpl_{op}_s8__xpulpv2")
        for op in ("conv2d", "fully_connected")
    )
    apart = code_bytes([convolution]) + code_bytes([dense])
    assert code_bytes([convolution, dense]) == apart - BYTES["four_by_four_sums.S"]


def test_portable_kernels_are_guessed() -> None:
    (softmax,) = (k for k in families()["ref"] if k.symbol == "dpl_softmax_s8__ref")
    assert code_bytes([softmax]) == PORTABLE_BYTES


def armv7em_sources() -> dict[str, Path]:
    kernels = (*cortex_m.KERNELS, *ref.KERNELS)
    paths = (data_root() / source for kernel in kernels for source in kernel.sources)
    return {path.name: path for path in paths}


@pytest.mark.parametrize("name", ARMV7EM_BYTES)
def test_a_file_has_the_code_that_the_choice_weighs(
    tool: Callable[[str], str], tmp_path: Path, name: str
) -> None:
    """Another gcc may make it a little larger or smaller."""
    chain, image = load_board("nucleo-f767zi").toolchain, tmp_path / "kernel.o"
    include, source = f"-I{data_root() / 'kernels/include'}", str(armv7em_sources()[name])
    gcc = tool(chain.prefix + "gcc")
    flags = (*COMMON_FLAGS, *chain.cflags, include)
    subprocess.run([gcc, *flags, "-c", source, "-o", str(image)], check=True)
    assert ARMV7EM_BYTES[name] == pytest.approx(functions(gcc, image), rel=0.15, abs=32)


def functions(gcc: str, image: Path) -> int:
    """Bytes of them."""
    told = [gcc.replace("gcc", "readelf"), "-sW", str(image)]
    table = subprocess.run(told, check=True, capture_output=True, text=True)
    rows = (line.split() for line in table.stdout.splitlines())
    return sum(int(row[2], 0) for row in rows if len(row) == 8 and row[3] == "FUNC")


def test_every_file_that_the_choice_may_take_is_known() -> None:
    assert armv7em_sources().keys() == ARMV7EM_BYTES.keys()


def test_code_is_known_of_boards_whose_kernels_all_are() -> None:
    assert code_table(["cortex_m", "ref"]) == code_table(["cortex_m"]) == ARMV7EM_BYTES
    assert code_table(["cmsis_nn", "cortex_m", "ref"]) is None
    assert code_table(["ref"]) is None
    kernels = [k for k in cortex_m.KERNELS if k.symbol.startswith("dpl_conv2d_s8__armv7em")]
    apart = sum(table_bytes([kernel], ARMV7EM_BYTES) for kernel in kernels)
    assert max(ARMV7EM_BYTES.values()) < table_bytes(kernels, ARMV7EM_BYTES) < apart
