"""Changed board files, through the commands that read them.

    python -m tests.fuzz.boards --count 500 --seed 1

Each is a file of its own folder, used by ``deployer check``, ``boards`` or, those of the host, by
a whole run. Exit status 1 when one got anything but a documented status.
"""

from __future__ import annotations

import atexit
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np

from .changes import Rng, in_bytes, pick
from .contained import Outcome, command, outcome
from .program import TESTS, Case, main, quiet
from .stages import fault

BOARDS = TESTS.parent / "boards"
NAMES = ("host", "host", "gap8", "nucleo-f767zi", "rpi3", "pulp-open")
_VALUES = (
    *('"fast"', "-1", "0", "1", "true", "nan", "inf", "1e400", '""', "[]", "{}", "[1]", '["x"]'),
    *(
        "1979-05-27",
        "0x7FFF_FFFF_FFFF_FFFF",
        "99999999999999999999999",
        "'../../evil'",
        '"\\u001b"',
    ),
    *('"0B"', '"1B"', '"1KiB"', '"999999GiB"', '"ram"', '"l2"', '"flash"', '"sram"', '"gap8"'),
    *('["ram", "ram"]', '["-o/evil"]', '["-fplugin=x"]', '"ref"', '["cortex_m"]', '["pulp"]'),
    *('"link/../../x"', '"link/riscv.ld.j2"', '"stm32f7"', '"linux"', '"w"', '"rwx"', "7", "64"),
)
_KEY = re.compile(r"^(\s*[\w-]+\s*)=(.*)$")


@cache
def model() -> Path:
    import onnx

    folder = Path(tempfile.mkdtemp(prefix="fuzz-boards-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = folder / "net.onnx"
    with quiet():
        from models import dense_net

        onnx.save(dense_net(), path)
        command(["run", "-b", "host", "-o", str(folder), str(path)])()
    return path


def cases(seed: int, numbers: range) -> Iterator[Case]:
    """Those with ``numbers``; each depends on the seed and its number only."""
    for number in numbers:
        rng, name = np.random.default_rng((seed, number)), NAMES[number % len(NAMES)]
        data = (BOARDS / f"{name}.toml").read_bytes()
        for _ in range(pick(rng, (1, 1, 1, 2, 3))):
            data = in_bytes(data, rng) if rng.random() < 0.15 else in_toml(data, rng)
        verb = pick(rng, ("run", "run", "check", "boards")) if name == "host" else "check"
        verb = "inspect" if rng.random() < 0.05 else verb
        yield _case(f"{seed}:{number} {name} {verb}", name, verb, data)


def in_toml(data: bytes, rng: Rng) -> bytes:
    """A line goes, comes twice, moves, or has another value or key; a table another name."""
    lines = data.decode(errors="replace").splitlines()
    at, way = int(rng.integers(len(lines))), int(rng.integers(8))
    found = _KEY.match(lines[at])
    if way == 0:
        del lines[at]
    elif way == 1:
        lines.insert(int(rng.integers(len(lines))), lines[at])
    elif way == 2 and lines[at].startswith("["):
        lines[at] = pick(
            rng, ("[x]", "[[x]]", f"[{lines[at]}]", lines[at].strip("[]"), "[[memory]]")
        )
    elif way == 3 and found:
        lines[at] = f"{pick(rng, (found[1][1:], f'x{found[1]}', 'stack.size'))}={found[2]}"
    elif way == 4 and found:
        lines[at] = re.sub(r"\d+", lambda digits: str(int(digits[0]) * 3 + 1), lines[at], count=1)
    elif found:
        lines[at] = f"{found[1]}= {pick(rng, _VALUES)}"
    return "\n".join([*lines, ""]).encode()


def _case(name: str, board: str, verb: str, data: bytes) -> Case:
    def run() -> Outcome:
        with tempfile.TemporaryDirectory(prefix="fuzz-board-") as place:
            folder = Path(place) / "boards"
            folder.mkdir()
            (folder / f"{board}.toml").write_bytes(data)
            asked = ["--board-dir", str(folder)]
            if verb == "boards":
                return outcome(command([verb, *asked]))
            given = {
                "run": ["-o", str(Path(place) / "build")],
                "check": [],
                "inspect": ["-o", str(Path(place) / "x.svg")],
            }[verb]
            return outcome(command([verb, "-b", board, *asked, *given, str(model())]))

    return Case(name, run, fault)


if __name__ == "__main__":
    sys.exit(main(cases, "changed board files"))
