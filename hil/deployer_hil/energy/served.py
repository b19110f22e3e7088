"""A meter for a machine elsewhere: words on standard input, a line of JSON each on standard output.

    python -m deployer_hil.energy.served joulescope:1234

First the meter's ``name`` and whether it ``sees_trigger``; then an answer to each ``start``,
``stop``, with the ``trace`` as npz in base64, and ``mark``, until the input ends.
"""

from __future__ import annotations

import base64
import json
import os
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TextIO

from deployer.errors import DeployerError, UsageError
from deployer_hil.energy.meter import AssumedPower, create_meter
from deployer_hil.energy.meters.replay import Replay
from deployer_hil.energy.timed import Meter
from deployer_hil.energy.trace import write_trace


def serve(spec: str, words: Iterable[str], answers: TextIO) -> None:
    """``spec``: the meter, as ``create_meter`` takes it."""
    try:
        meter = _recording(spec)
    except DeployerError as error:
        return _say(answers, _told(error))
    try:
        _say(answers, {"name": meter.name, "sees_trigger": meter.sees_trigger})
        for word in words:
            _say(answers, _answer(meter, word.strip()))
    finally:
        meter.close()


def _recording(spec: str) -> Meter:
    source = create_meter(spec)
    if isinstance(source, AssumedPower | Replay):
        raise UsageError(f"{spec} measures nothing", hints=["a meter that is connected here"])
    return source


def _answer(meter: Meter, word: str) -> Mapping[str, Any]:
    try:
        if word == "stop":
            return {"trace": _stopped(meter)}
        if word not in ("start", "mark"):
            raise UsageError(f"{word!r} is nothing to ask of a meter")
        (meter.start if word == "start" else meter.mark)()
    except DeployerError as error:
        return _told(error)
    return {}


def _stopped(meter: Meter) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.npz"
        write_trace(path, meter.stop())
        return base64.b64encode(path.read_bytes()).decode()


def _told(error: DeployerError) -> dict[str, Any]:
    return {"error": error.what, "why": list(error.why)}


def _say(answers: TextIO, answer: Mapping[str, Any]) -> None:
    answers.write(json.dumps(answer) + "\n")
    answers.flush()


def main() -> None:
    with os.fdopen(os.dup(1), "w") as answers:
        os.dup2(2, 1)  # what a package prints must not stand among answers
        serve(sys.argv[1], sys.stdin, answers)


if __name__ == "__main__":
    main()
