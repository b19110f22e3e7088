"""pyOCD on the machine of a probe, as labgrid's driver uses it. ``$FAKE_PROBES``: a folder with a
folder for each probe, named by its uid: ``url`` of an emulated desk, ``flash``, what was
programmed, and ``fault``, where a bit of it does not keep."""

from __future__ import annotations

import argparse
import json
import os
import sys
import urllib.request
from collections.abc import Sequence
from pathlib import Path

from deployer_hil.image import arm_segments


def main(words: Sequence[str]) -> int:
    folder = Path(os.environ["FAKE_PROBES"])
    if words[0] == "json":
        boards = [{"unique_id": path.name} for path in sorted(folder.iterdir())]
        print(json.dumps({"status": 0, "boards": boards}))
        return 0
    parser = argparse.ArgumentParser()
    for option in ("--target", "--uid", "--connect"):
        parser.add_argument(option, required=True)
    parser.add_argument("--frequency", type=int, required=True)
    for option in ("--no-config", "--no-wait"):
        parser.add_argument(option, action="store_true", required=True)
    parser.add_argument("--command", action="append", default=[])
    given = parser.parse_args(words[1:])
    if not (folder / given.uid).is_dir():
        print(f"No available debug probes are connected: {given.uid}")
        return 3
    for command in given.command:
        _run(folder / given.uid, command.split())
    return 0


def _run(probe: Path, words: Sequence[str]) -> None:
    url, flash = (probe / "url").read_text(), probe / "flash"
    if words[0] == "load":
        flash.write_bytes(Path(words[1]).read_bytes())
        urllib.request.urlopen(f"{url}/program", data=flash.read_bytes()).close()
    elif words[0] == "reset":
        urllib.request.urlopen(f"{url}/reset").close()
    else:
        _compare(probe, flash, int(words[1], 16), Path(words[2]).read_bytes())


def _compare(probe: Path, flash: Path, address: int, wanted: bytes) -> None:
    """In pyOCD's words."""
    found = bytearray(next(part.data for part in arm_segments(flash) if part.address == address))
    if (probe / "fault").exists():
        found[0] ^= 1
    if found == wanted:
        print(f"All {len(wanted)} bytes match.")
    else:
        at, pair = f"{address:#010x}", (found[0], wanted[0])
        told = "0x{:02x} (memory) != 0x{:02x} (file)".format(*pair)
        print(f"Mismatched byte at {at} (offset 0x0): {told}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
