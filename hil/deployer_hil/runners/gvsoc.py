"""GAP8 in GVSoC, the simulator of its vendor's SDK (docs/gvsoc.md), its UART on pipes.

Board options: ``target`` (what gapy calls the board), ``baud`` (of the UART: the model's side, and
the image's in the copy that runs).
"""

from __future__ import annotations

import struct
import subprocess
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from deployer.bundle import OUTER, Bundle
from deployer.children import ends_with_parent
from deployer.errors import BenchError, DeployerError
from deployer.units import CounterUnit, FigureKind
from deployer_hil.cpu_time import CpuWatch
from deployer_hil.gvsoc import (
    EXECUTE,
    FLASH_DATA,
    FLASH_IMAGE,
    HOUR_SECONDS,
    PREPARE,
    command,
    find_gapy,
)
from deployer_hil.process import start_process
from deployer_hil.quiet import QuietStream
from deployer_hil.runner import Caps, Runner, board_options, own_image
from deployer_hil.runners.program import ProgramRunner
from deployer_hil.stand_in import StandIn
from deployer_hil.stream import ByteStream

NAME = "gvsoc"
SIMULATED = Caps(timing=CounterUnit.CYCLES, kind=FigureKind.SIMULATED, slow=20)
BAUD = 2_000_000  # simulated time that a byte takes is real time lost: 15190 cycles at 115200
_MARK = b"DPLBAUD\0"  # in the image before the rate, firmware/ports/gap8/console.c
STAND_IN = StandIn(
    {"target": "gapuino_v3"},
    own_image=True,
    programs=("gapy",),
    image=_MARK + struct.pack("<I", 115_200),
)
START_SECONDS = 120.0  # seconds; the model packs and loads the flash image first, deaf to its UART
HUNG_SECONDS = 60.0  # without a word or processor time; a model computes even when its cores wait
_UART = "target/board/devices/uart"
_NOISE = b"raised_event\n"  # printed by the model for each byte that its UART takes
_FOLDER = "{folder}"
_BINARY = "--binary="


def create(bundle: Bundle, *, tool: str = "", limit: int = HOUR_SECONDS) -> Runner:
    """``tool``: path of gapy. ``limit``: seconds after which the model ends, even if left alone."""
    options = board_options(bundle, NAME, required=("target",), optional=("baud",))
    own_image(bundle, NAME)
    target, baud = options["target"], int(options.get("baud", BAUD))

    def line(loaded: Bundle) -> list[str]:
        return command(
            loaded.firmware,
            _FOLDER,
            gapy=find_gapy(tool),
            target=target,
            settings=[f"{_UART}/stdin=true", f"{_UART}/baudrate={baud}"],
            limit=limit,
        )

    started = partial(_started, bundle, baud)
    return ProgramRunner(NAME, SIMULATED, line, tool=lambda: f"GVSoC {target}", started=started)


def _started(bundle: Bundle, baud: int, line: Sequence[str]) -> ByteStream:
    """The model in a folder of its own, which goes with the stream."""
    folder = tempfile.TemporaryDirectory(prefix="deployer-gvsoc-")
    placed = [part.replace(_FOLDER, folder.name) for part in line]
    try:
        placed = _paced(placed, Path(folder.name), baud)
        if OUTER in bundle.manifest["files"]:
            _fill_flash(placed, Path(folder.name), bundle.bytes_of(OUTER))
            placed = [part for part in placed if part not in PREPARE]
        inner, process = start_process(placed, name="gapy")
        stream = QuietStream(inner, _NOISE, folder.cleanup, CpuWatch(process, HUNG_SECONDS))
    except DeployerError:
        folder.cleanup()
        raise
    stream.listen(START_SECONDS)
    return stream


def _paced(line: Sequence[str], folder: Path, baud: int) -> list[str]:
    """The command line for a copy of the image whose UART has the rate ``baud``."""
    (binary,) = (part for part in line if part.startswith(_BINARY))
    image = Path(binary.removeprefix(_BINARY)).read_bytes()
    before, mark, behind = image.partition(_MARK)
    if not mark or _MARK in behind:
        raise BenchError(
            "the image does not say at what rate its UART runs", hints=["build it again"]
        )
    copy = folder / "firmware.elf"
    rate = struct.pack("<I", baud)
    copy.write_bytes(before + mark + rate + behind[len(rate) :])
    return [f"{_BINARY}{copy}" if part == binary else part for part in line]


def _fill_flash(line: Sequence[str], folder: Path, outer: bytes) -> None:
    """Make the flash image and add ``outer`` to it."""
    prepare = [part for part in line if part not in EXECUTE]
    done = subprocess.run(
        prepare,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
        preexec_fn=ends_with_parent(),
    )
    image = folder / FLASH_IMAGE
    if done.returncode or not image.is_file() or image.stat().st_size > FLASH_DATA:
        raise BenchError(
            "gapy made no flash image that leaves room for the weights",
            why=[f"status {done.returncode}", *done.stderr.splitlines()[-5:]],
        )
    with image.open("r+b") as file:
        file.seek(FLASH_DATA)
        file.write(outer)
