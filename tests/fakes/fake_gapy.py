"""Stands in for gapy and the model it runs: the image is a program on its UART.

Like the model it prints a line for every byte that its UART takes, in the midst of what the image
prints. ``FAKE_GAPY_LOG`` gets the command line and the process, files beside it the flash image
that the model began with and the rate of the image's UART; ``FAKE_GAPY_FAILS`` is what it says on
stderr before it fails; in the first ``FAKE_GAPY_STARTS`` seconds its UART takes and forgets all.
"""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

NOISE = b"raised_event\n"
FLASH_IMAGE = "target.board.devices.flash.img"
BOOT = b"what the chip boots"
RATE = b"DPLBAUD\0"  # in the image before the rate of its UART


def main(arguments: list[str]) -> int:
    options = dict(
        part.split("=", 1) for part in arguments if part.startswith("--") and "=" in part
    )
    with Path(os.environ["FAKE_GAPY_LOG"]).open("a") as log:
        log.write(f"{os.getpid()} {' '.join(arguments)}\n")
    if reason := os.environ.get("FAKE_GAPY_FAILS"):
        print(reason, file=sys.stderr)
        return 1
    image = Path(options["--work-dir"]) / FLASH_IMAGE
    if "--image" in arguments:
        image.write_bytes(BOOT)
    if "--exec" not in arguments:
        return 0
    shutil.copy(image, os.environ["FAKE_GAPY_LOG"] + ".flash")
    wait_deaf(float(os.environ.get("FAKE_GAPY_STARTS", 0)))
    program = subprocess.Popen(
        [boot(Path(options["--binary"]))], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    threading.Thread(target=take, args=(program,), daemon=True).start()
    while data := os.read(program.stdout.fileno(), 1):
        os.write(1, data)
    return program.wait()


def boot(image: Path) -> Path:
    """The program of the image, beside it."""
    text, _, rate = image.read_bytes().partition(RATE)
    Path(os.environ["FAKE_GAPY_LOG"] + ".baud").write_text(str(int.from_bytes(rate, "little")))
    program = image.with_suffix(".booted")
    program.write_bytes(text)
    program.chmod(0o755)
    return program


def wait_deaf(seconds: float) -> None:
    time.sleep(seconds)
    while seconds and select.select([0], [], [], 0)[0] and os.read(0, 64):
        pass


def take(program: subprocess.Popen[bytes]) -> None:
    while data := os.read(0, 64):
        os.write(1, NOISE * len(data))
        os.write(program.stdin.fileno(), data)
    program.stdin.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
