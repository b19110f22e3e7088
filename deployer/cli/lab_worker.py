"""Runs cells of a matrix for ``deployer lab run``: a request a line on standard input, an answer a
line on standard output. The process lives as long as its bench, so that imports are paid once."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TextIO

import click

from deployer.cli.commands.run import command
from deployer.cli.jobs.cell_worker import told
from deployer.cli.jobs.deploy import JobRequest, keep, ran_of
from deployer.cli.jobs.lab_run import EXACT
from deployer.cli.progress import Silent
from deployer.errors import DeployerError
from deployer.pipeline import require_match
from deployer.trouble import no_memory, trouble
from deployer_hil import Results, live_meter

_PLACED = ("model", "board", "runner", "first", "last", "dataset", "output", "board_dir", "as_json")

Opened = Callable[[Path], Results]  # a file of results, opened once


def answer(request: Mapping[str, Any], opened: Opened) -> dict[str, Any]:
    """``request``: "words" of ``deployer run``, "options" of its runner, the bench's "meter" or "",
    "results", a file, with "session", "cell" and "bench". Gives the "status" as of ``deployer
    run``, and the "text"."""
    try:
        return {"status": 0, "text": _carry_out(request, opened)}
    except DeployerError as error:
        return told(error)
    except click.ClickException as error:
        return {"status": error.exit_code, "text": error.format_message()}
    except OSError as error:
        return told(trouble(error, "the system refuses what this needs"))
    except MemoryError as error:
        return told(no_memory(error))
    except Exception as error:
        return {"status": 1, "text": f"bug: {type(error).__name__}: {error}"}


def _carry_out(request: Mapping[str, Any], opened: Opened) -> str:
    """Raises what ``deployer run`` would, and why there is no energy; the result is kept before a
    mismatch or that is raised."""
    given = command.make_context("run", list(request["words"])).params
    placed = {name: given.pop(name) for name in _PLACED}
    for name in ("results", "bench", "lab"):  # which the matrix decides
        given.pop(name)
    meter = live_meter(request["meter"]) if request["meter"] else None
    with contextlib.closing(meter) if meter else contextlib.nullcontext():
        job = JobRequest(**placed)
        ran = ran_of(job, given, Silent(), dict(request["options"]), meter)
        where = {name: request[name] for name in ("session", "cell", "bench")}
        keep(ran, opened(Path(request["results"])), **where)
    require_match(ran.report)
    if ran.trouble is not None:
        raise ran.trouble
    return EXACT


def serve(requests: TextIO, answers: TextIO) -> None:
    """Until there are no more requests."""
    opened = cache(Results)
    for line in requests:
        answers.write(json.dumps(answer(json.loads(line), opened)) + "\n")
        answers.flush()


def main() -> None:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with os.fdopen(os.dup(1), "w") as answers, contextlib.suppress(KeyboardInterrupt):
        os.dup2(2, 1)  # what else is printed must not stand between answers
        serve(sys.stdin, answers)


if __name__ == "__main__":
    main()
