"""What an image takes of each memory, from its section table."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from deployer.errors import DeployerError

_WEIGHTS = (".dpl_weights", ".dpl_copied")
_ITCM = (".dpl_itcm",)
_CODE = (
    ".text",
    ".dpl_itcm",
    ".dpl_copies",
    ".rodata",
    ".vectors",
    ".ARM.ex",  # unwinding; .ARM.attributes is no part of the image
    ".init",
    ".fini",
    ".plt",
    ".got",
    ".eh_frame",
)
_DATA = (".data", ".bss", ".tdata", ".tbss", ".noinit")


@dataclass(frozen=True)
class ImageSize:
    """Bytes of an image. ``static``: data and bss without arena and stack; ``code``: text and
    read-only data without weights, plus the initial values of data and the table of what is
    copied; ``itcm``: of the code, what lies in another memory while it runs."""

    code: int
    weights: int
    static: int
    itcm: int


def image_size(size_tool: str, elf: Path) -> ImageSize:
    """Read ``elf`` with GNU size."""
    done = subprocess.run([size_tool, "-A", str(elf)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise DeployerError(f"cannot read the sections of {elf.name}", why=[done.stderr.strip()])
    sections = _sections(done.stdout)
    data = _total(sections, (".data",))
    return ImageSize(
        code=_total(sections, _CODE) + data,
        weights=_total(sections, _WEIGHTS),
        static=_total(sections, _DATA),
        itcm=_total(sections, _ITCM),
    )


def _sections(text: str) -> dict[str, int]:
    rows = (line.split() for line in text.splitlines())
    return {row[0]: int(row[1]) for row in rows if len(row) == 3 and row[1].isdigit()}


def _total(sections: dict[str, int], prefixes: tuple[str, ...]) -> int:
    return sum(size for name, size in sections.items() if name.startswith(prefixes))
