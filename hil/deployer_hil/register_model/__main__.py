"""``python -m deployer_hil.register_model IMAGE``: the chip, its console on stdin and stdout."""

from __future__ import annotations

import os
import select
import sys
from pathlib import Path

from deployer_hil.register_model.chip import Chip

_PAUSE_SECONDS = 0.05  # seconds that pass for the chip in which nobody types


def serve(chip: Chip, reader: int, writer: int) -> int:
    """Until the reader is closed, then 0; 1 when the image is at its end."""
    while not chip.ended:
        chip.run()
        say(chip, writer)
        if not select.select([reader], [], [], _PAUSE_SECONDS)[0]:
            chip.pass_time(_PAUSE_SECONDS)
            continue
        data = os.read(reader, 4096)
        if not data:
            return 0
        chip.waiting += data
    say(chip, writer)
    return 1


def say(chip: Chip, writer: int) -> None:
    while chip.sent:
        del chip.sent[: os.write(writer, chip.sent)]


if __name__ == "__main__":
    sys.exit(serve(Chip(Path(sys.argv[1])), sys.stdin.fileno(), sys.stdout.fileno()))
