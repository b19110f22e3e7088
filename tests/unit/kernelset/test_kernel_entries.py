"""The catalogue agrees with the files and headers under kernels/."""

from __future__ import annotations

import re

import pytest

from deployer.board.load import board_names, load_board
from deployer.ir.ops import OPS
from deployer.kernelset.kernel import FAMILY_OF_ISA, Kernel
from deployer.kernelset.pulp.windows import CORES
from deployer.kernelset.select import by_symbol, families
from deployer.resources import data_root

ENTRIES = [kernel for kernels in families().values() for kernel in kernels]
PROTOTYPE = re.compile(r"^void (dpl_\w+__\w+)\(const (\w+) \*a\);$", re.MULTILINE)


def prototypes(kernel: Kernel) -> list[str]:
    text = (data_root() / "kernels/include" / kernel.header).read_text()
    return [name for name, _ in PROTOTYPE.findall(text)]


@pytest.mark.parametrize("kernel", ENTRIES, ids=lambda k: k.symbol)
def test_entry_has_a_file_and_a_prototype(kernel: Kernel) -> None:
    source = (data_root() / kernel.source).read_text()
    assert re.search(rf"(^void |^#define KERNEL ){kernel.symbol}\b", source, re.MULTILINE)
    assert f'#include "{kernel.header}"' in source
    assert kernel.symbol in prototypes(kernel)


@pytest.mark.parametrize("name", families())
def test_entries_are_in_the_list_of_their_family(name: str) -> None:
    assert {kernel.family for kernel in families()[name]} == {name}


def test_every_kernel_file_and_prototype_has_an_entry() -> None:
    root = data_root() / "kernels"
    files = {path.stem for folder in families() for path in (root / folder).glob("*.c")}
    headers = "\n".join(path.read_text() for path in root.glob("include/dpl/*.h"))
    symbols = [kernel.symbol for kernel in ENTRIES]
    assert len(symbols) == len(set(symbols))
    assert {f"dpl_{stem}" for stem in files} == set(symbols)
    assert {name for name, _ in PROTOTYPE.findall(headers)} == set(symbols)


@pytest.mark.parametrize("act", ["s8", "s16"])
def test_portable_kernels_cover_every_operator_that_runs(act: str) -> None:
    runs = {op for op, spec in OPS.items() if not spec.alias and (act == "s8" or spec.int16)}
    found = {op for k in families()["ref"] if (k.act, k.out_act) == (act, "") for op in k.ops}
    assert found == runs


def test_scratch_and_cycles_of_pulp_are_for_the_cores_of_its_boards() -> None:
    boards = [load_board(name) for name in board_names()]
    assert {board.cores for board in boards if "pulp" in board.kernels} == {CORES}


@pytest.mark.parametrize("isa", FAMILY_OF_ISA)
def test_source_follows_the_symbol(isa: str) -> None:
    kernel = Kernel(f"dpl_conv2d_s8_s4__{isa}_1x1", op="Conv2d")
    assert kernel.source == f"kernels/{FAMILY_OF_ISA[isa]}/conv2d_s8_s4__{isa}_1x1.c"
    assert kernel.header == "dpl/conv2d.h"


def test_symbol_gives_back_its_entry() -> None:
    assert all(by_symbol(kernel.symbol) is kernel for kernel in ENTRIES)
