"""Running programs for GAP8 in GVSoC, where it is installed."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from deployer_hil.gvsoc import EXECUTE, FLASH_DATA, FLASH_IMAGE, PREPARE, command, find_gapy


def run_in_gvsoc(
    elf: Path, *, flash: bytes = b"", timeout: int = 120
) -> subprocess.CompletedProcess[str]:
    """Runs ``elf`` to its exit, ``flash`` at FLASH_DATA in the HyperFlash."""
    with tempfile.TemporaryDirectory() as folder:
        _gapy(elf, folder, PREPARE, timeout)
        with (Path(folder) / FLASH_IMAGE).open("r+b") as image:
            image.seek(FLASH_DATA)
            image.write(flash)
        return _gapy(elf, folder, EXECUTE, timeout)


def _gapy(
    elf: Path, folder: str, steps: tuple[str, ...], limit: int
) -> subprocess.CompletedProcess[str]:
    line = command(elf, folder, steps, gapy=find_gapy(), limit=limit)
    return subprocess.run(
        line, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )
