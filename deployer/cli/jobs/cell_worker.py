"""The process that runs the cells of one bench for ``deployer lab run``, from outside."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from deployer.children import ends_with_parent
from deployer.errors import DeployerError, MachineError
from deployer_hil import lab, matrix

# -P: modules that lie in the matrix's folder are not ours
PROGRAM = (sys.executable, "-P", "-m", "deployer.cli.lab_worker")


class CellWorker:
    """A process that runs the cells of one bench; a new one after it has died."""

    def __init__(self, found: matrix.MatrixFile, session: str, bench: lab.Bench):
        self._found, self._session, self._bench = found, session, bench
        self._child: subprocess.Popen[str] | None = None

    def run(self, cell: matrix.Cell, options: dict[str, Any]) -> tuple[int, str]:
        child = self._child = self._child or self._start()
        try:
            said = _exchange(child, self._request(cell, options))
        except (OSError, ValueError):
            self.close()
            return matrix.RIG, f"its process ended with status {child.returncode}"
        if said.get("machine"):  # benches are not to blame, and the next cell has no more room
            raise MachineError(said["text"], why=said["why"], hints=said["hints"])
        if said["status"] == matrix.RIG:  # a meter that hangs is held until its process ends
            self.close()
        return said["status"], "; ".join([said["text"], *said.get("why", [])[:1]])

    def close(self) -> None:
        if self._child is None:
            return
        self._child.kill()
        self._child.communicate()
        self._child = None

    def _start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            PROGRAM,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=self._found.folder,
            text=True,
            preexec_fn=ends_with_parent(),
        )

    def _request(self, cell: matrix.Cell, options: Mapping[str, Any]) -> str:
        runner = cell.runner or self._bench.runner
        words = [
            *("--board", cell.board, "--output", str(self._found.output / cell.id)),
            *(("--runner", runner) if runner else ()),
            *cell.words,
            cell.model,
        ]
        body = {"words": words, "options": options, "results": str(self._found.results)}
        body["meter"] = self._bench.meter
        where = {"session": self._session, "cell": cell.id, "bench": self._bench.name}
        return json.dumps({**body, **where})


def _exchange(child: subprocess.Popen[str], request: str) -> dict[str, Any]:
    """Raises OSError or ValueError when the process has ended."""
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(request + "\n")
    child.stdin.flush()
    said: dict[str, Any] = json.loads(child.stdout.readline())
    return said


def told(error: DeployerError) -> dict[str, Any]:
    """``error`` as an answer. "machine": no other cell would fare better."""
    said = {"status": error.exit_status, "text": error.what, "why": list(error.why)}
    return {**said, "machine": isinstance(error, MachineError), "hints": list(error.hints)}
