"""The table of families beside the folders of kernels, and what kernels may include."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from deployer.kernelset.families import FAMILIES, Family, family_of
from deployer.resources import data_root

KERNELS = data_root() / "kernels"
APART = {"include", "runtime"}  # folders that are no family
INCLUDE = re.compile(r'^\s*#include "([^"]+)"', re.MULTILINE)
OF_PORTS = {"dpl_dma_inline.h", "dpl_near.h"}  # included where a port has them
LIBRARY = re.compile(r"arm_\w+\.h")  # of the user's CMSIS-NN


def c_files(folder: Path) -> list[Path]:
    return sorted(p for p in folder.rglob("*") if p.suffix in (".c", ".h", ".S", ".inc"))


def test_a_family_is_a_folder_of_kernels_and_a_package_of_entries() -> None:
    folders = {path.name for path in KERNELS.iterdir() if path.is_dir()}
    assert {family.name for family in FAMILIES} == folders - APART


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_files_of_a_family_are_named_for_its_isa(family: Family) -> None:
    stems = [path.stem for path in (KERNELS / family.name).glob("*.c")]
    assert stems
    for stem in stems:
        suffix = stem.partition("__")[2]
        assert re.fullmatch(rf"{family.isa}(_\w+)?", suffix), stem
        assert family_of(f"dpl_{stem}") is family


def test_a_symbol_of_no_family_is_refused_with_those_there_are() -> None:
    with pytest.raises(ValueError, match=r"dpl_add_s8__avx2: .*armv7em.*xpulpv2"):
        family_of("dpl_add_s8__avx2")


def test_an_isa_does_not_begin_another_ones_name() -> None:
    assert not Family("wide", "armv7").names("dpl_add_s8__armv7em")


@pytest.mark.parametrize("path", c_files(KERNELS), ids=lambda p: str(p.relative_to(KERNELS)))
def test_kernels_include_headers_of_kernels_alone(path: Path) -> None:
    """Not those of firmware, which includes those of kernels, but for what ports have in place."""
    for name in set(INCLUDE.findall(path.read_text())) - OF_PORTS:
        assert (KERNELS / "include" / name).is_file() or LIBRARY.fullmatch(name), name


def test_no_header_of_firmware_has_the_name_of_a_kernels_header() -> None:
    """Whichever folder comes first on a compiler's command, the same file is found."""
    firmware = data_root() / "firmware" / "include"
    ours = {str(path.relative_to(firmware)) for path in firmware.rglob("*.h")}
    assert not ours & {
        str(p.relative_to(KERNELS / "include")) for p in c_files(KERNELS / "include")
    }
