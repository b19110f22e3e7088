"""Where GreenWaves' OpenOCD and its scripts are on this machine."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from deployer.errors import BenchError

NAME = "gap8-openocd"  # as gap_sdk installs it; its earlier versions: openocd
SDK = "GAP_SDK_HOME"
IN_SDK = Path("install/workstation/gap8-openocd")
INSTALL = "gap_sdk of GreenWaves: make openocd, then source its configs/gapuino_v3.sh"


@dataclass(frozen=True)
class Openocd:
    """``scripts`` are absolute; ``folder`` is where OpenOCD looks for what they include."""

    program: str
    folder: Path
    scripts: tuple[Path, ...]


def find_openocd(scripts: Sequence[str], *, program: str = "", emulate: str = "") -> Openocd:
    """The program (``program``, else from the path and gap_sdk) with its ``scripts``.

    Raises BenchError naming what is missing; ``emulate`` is a command that needs none of it.
    """
    around = [f"without a board: {emulate}"] if emulate else []
    found = _program(program)
    if found is None:
        wanted = program or NAME
        places = f"looked for {wanted} on PATH and, by {SDK}, in gap_sdk"
        raise BenchError(f"{wanted} is not installed", why=[places], hints=[INSTALL, *around])
    folders = list(_folders(found))
    files = [(name, _script(name, folders)) for name in scripts]
    missing = [name for name, path in files if path is None]
    if missing:
        raise BenchError(
            f"{found} lacks {', '.join(missing)}: only GreenWaves' OpenOCD knows GAP8",
            why=[f"looked in {folder}" for folder in folders],
            hints=[INSTALL, "OPENOCD_SCRIPTS names the folder of its scripts", *around],
        )
    return Openocd(found, folders[0], tuple(path for _, path in files if path is not None))


def installed() -> str | None:
    """The program, None when there is none; not whether it knows GAP8."""
    return _program("")


def _program(given: str) -> str | None:
    if given:
        return shutil.which(given)
    sdk = os.environ.get(SDK)
    bundled = [str(Path(sdk) / IN_SDK / "bin" / name) for name in (NAME, "openocd")] if sdk else []
    found = (shutil.which(name) for name in (NAME, *bundled, "openocd"))
    return next((path for path in found if path), None)


def _folders(program: str) -> Iterator[Path]:
    """Of scripts: what there is of those that the environment names and of the program's own."""
    sdk, beside = os.environ.get(SDK), Path(program).resolve().parent.parent
    named = [os.environ.get("OPENOCD_SCRIPTS"), os.environ.get("GAP_OPENOCD_TOOLS")]
    places = [Path(name) for name in named if name]
    places += [Path(sdk) / IN_SDK / "share/openocd/scripts"] if sdk else []
    places.append(beside / "share/openocd/scripts")
    seen = dict.fromkeys(place.absolute() for place in places if place.is_dir())
    yield from seen or [places[-1]]


def _script(name: str, folders: Sequence[Path]) -> Path | None:
    files = (folder / name for folder in folders)  # an absolute name stays what it is
    return next((path for path in files if path.is_file()), None)
