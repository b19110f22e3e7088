"""What plans leave to the kernels' code, against the compiler."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from deployer.board.load import load_board
from deployer.kernelset import pulp
from deployer.kernelset.code import PORTABLE_BYTES, code_bytes
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
