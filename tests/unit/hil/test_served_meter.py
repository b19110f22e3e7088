"""A meter for a machine elsewhere: a line of words, an answer each."""

from __future__ import annotations

import base64
import io
import json
from pathlib import Path
from typing import Any

import pytest

from deployer.errors import BenchError
from deployer_hil.energy import served
from deployer_hil.energy.recording import Recording
from deployer_hil.energy.trace import read_trace
from fakes.fake_meter import FakeMeter
from fakes.traces import Scene


def answers(spec: str, *words: str) -> list[dict[str, Any]]:
    said = io.StringIO()
    served.serve(spec, [f"{word}\n" for word in words], said)
    return [json.loads(line) for line in said.getvalue().splitlines()]


@pytest.fixture
def meter(monkeypatch: pytest.MonkeyPatch) -> FakeMeter:
    found = FakeMeter(Scene())
    monkeypatch.setattr(served, "create_meter", lambda spec: found)
    return found


def test_a_recording_arrives_whole(meter: FakeMeter, tmp_path: Path) -> None:
    first, start, mark, stop = answers("fake", "start", "mark", "stop")
    assert first == {"name": "fake meter 7", "sees_trigger": True}
    assert (start, mark) == ({}, {})
    path = tmp_path / "trace.npz"
    path.write_bytes(base64.b64decode(stop["trace"]))
    found, sent = read_trace(path), meter._window
    assert (found.rate_hz, len(found.amps)) == (sent.rate_hz, len(sent.amps))
    assert list(found.amps[:50]) == list(sent.amps[:50])
    assert meter.calls == ["start", "mark", "stop", "close"]


def test_what_fails_is_an_answer_and_the_next_word_is_heard(
    meter: FakeMeter, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stuck() -> Recording:
        raise BenchError("the meter is stuck", why=["since noon"])

    monkeypatch.setattr(meter, "stop", stuck)
    _, wrong, unknown, start = answers("fake", "stop", "weigh", "start")
    assert wrong == {"error": "the meter is stuck", "why": ["since noon"]}
    assert "nothing to ask of a meter" in unknown["error"]
    assert start == {}
    assert meter.calls[-1] == "close"


@pytest.mark.parametrize(
    ("spec", "told"), [("assumed:3W", "measures nothing"), ("nothing:1", "unknown meter")]
)
def test_what_is_no_meter_here_is_refused(spec: str, told: str) -> None:
    (only,) = answers(spec, "start")
    assert told in only["error"]
