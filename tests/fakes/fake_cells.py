"""``deployer lab run`` on fake devices: cells in which nothing is compiled.

    python tests/fakes/fake_cells.py --lab lab.toml matrix.toml

The option ``seed`` of a cell says what becomes of it: 1 differs from the golden integers, 2 is in
trouble the first time, others are exact. Without arguments this is the process of a bench.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

DIFFERS, TROUBLED = "1", "2"
COUNTS = ((1000,) * 2, (2000,) * 2, (3000,) * 2)  # of the fake device's steps
_DELAY = 0.002  # seconds before each reply of a device


def run_cell(request: dict[str, Any]) -> dict[str, Any]:
    """Status and text, as of ``deployer.cli.lab_worker.answer``."""
    from deployer.cli.jobs.cell_worker import told
    from deployer.errors import DeployerError
    from deployer.folders import held

    words = dict(zip(request["words"][:-1:2], request["words"][1::2], strict=True))
    folder = Path(words["--output"])
    try:
        with held(folder):
            match = _carry_out(request, folder, words.get("--seed", "0"))
    except DeployerError as error:
        return told(error)
    return {"status": 0, "text": "exact"} if match else {"status": 5, "text": "differs"}


def _carry_out(request: dict[str, Any], folder: Path, seed: str) -> bool:
    """Build, prove and keep, each with the functions that ``deployer run`` uses."""
    from deployer.bundle import read
    from deployer.errors import BenchError
    from deployer.folders import write_folder
    from deployer_hil.results import Results
    from fakes.bundles import make_bundle

    if seed == TROUBLED and not (folder / "tried").exists():
        (folder / "tried").write_text("")
        raise BenchError("no probe")
    config = {"delay": _DELAY, "wrong_step": 1 if seed == DIFFERS else -1}
    write_folder(folder / "7-build", lambda aside: _discard(make_bundle(aside, **config)))
    record, said = _proof(read(folder / "7-build"))
    where = {name: request[name] for name in ("session", "cell", "bench")}
    with Results(Path(request["results"])) as results:
        results.add(record, said, **where)
    match: bool = record.golden.match
    return match


def _proof(bundle: Any) -> tuple[Any, bytes]:
    from contextlib import closing

    from deployer_hil.measure import prove
    from deployer_hil.runner import Caps
    from deployer_hil.runners.program import ProgramRunner
    from deployer_hil.serial_log import SerialLog

    caps = Caps(timing="instructions", kind="counted")
    device: Callable[[Any], list[str]] = lambda loaded: [str(loaded.firmware.absolute())]  # noqa: E731
    with closing(SerialLog()) as log, ProgramRunner("host", caps, device) as runner:
        return prove(bundle, runner, log=log), log.text()


def _discard(made: object) -> None:
    """``write_folder`` takes what returns nothing."""


def serve() -> None:
    """As the process of a bench does."""
    import json

    with os.fdopen(os.dup(1), "w") as answers:
        os.dup2(2, 1)
        for line in sys.stdin:
            answers.write(json.dumps(run_cell(json.loads(line))) + "\n")
            answers.flush()


def main() -> None:
    if len(sys.argv) == 1:
        serve()
        return
    from deployer.cli.jobs import cell_worker
    from deployer.cli.main import main as deployer

    cell_worker.PROGRAM = (sys.executable, "-P", __file__)
    deployer(["lab", "run", *sys.argv[1:]])


if __name__ == "__main__":
    main()
