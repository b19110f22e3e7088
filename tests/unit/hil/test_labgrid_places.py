"""What labgrid's environment says, as deployer takes it: a program that answers stands for it."""

from __future__ import annotations

import json
import shlex
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from deployer.errors import BenchError, UsageError
from deployer_hil import locks
from deployer_hil.energy.recording import Recording
from deployer_hil.energy.trace import write_trace
from deployer_hil.lab import Bench, BenchHeld, Elsewhere, Lab, State, hold, look, meter_of, states
from deployer_hil.places.labgrid import PYTHON, Labgrid, Place, ask
from deployer_hil.places.remote_board import PlaceLoader, PlaceMeter
from fakes.elf_file import elf_of

DESCRIBED = {"serial": "rfc2217://h:1", "host": "", "place": "desk", "socket": "/tmp/s"}
SEEN = {
    "name": "desk",
    "tags": {"board": "toy"},
    "exporters": ["machine"],
    "resources": ["NetworkSerialPort"],
    "missing": "",
    "acquired": "",
    "reserved": "",
}
Says = Callable[..., Labgrid]


@pytest.fixture(autouse=True)
def _own_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(locks.FOLDER, str(tmp_path / "locks"))


@pytest.fixture
def says(tmp_path: Path) -> Says:
    """says(answer, status=0): a labgrid whose plug-in prints that and waits for its input's end."""

    def make(answer: Any, status: int = 0, then: str = "") -> Labgrid:
        program = tmp_path / "python"
        line = answer if isinstance(answer, str) else json.dumps(answer)
        ended = f"echo {shlex.quote(then)} >&2\nexit {status}"
        wait = f'[ "$2" = places ] || cat > {tmp_path}/ended\n'
        program.write_text(f"#!/bin/sh\nprintf '%s\\n' {shlex.quote(line)}\n{wait}{ended}\n")
        program.chmod(0o755)
        return Labgrid(str(program), "h:20408")

    return make


def bench(labgrid: Labgrid, **more: Any) -> Bench:
    return Bench("b", "toy", "pyocd", labgrid=Place("desk", labgrid=labgrid), **more)


def test_a_place_is_held_until_the_bench_is_let_go(says: Says, tmp_path: Path) -> None:
    held = bench(says(DESCRIBED), baud=9_600, options={"loader": "m:f"})
    with hold(held) as options:
        assert options == {
            "loader": "m:f",
            "place": "/tmp/s",
            "port": "rfc2217://h:1",
            "baud": 9_600,
            "held": ("port rfc2217://h:1",),
        }
        with pytest.raises(BenchHeld, match="bench b is held by process"), hold(held):
            pytest.fail("both have it")
    assert (tmp_path / "ended").exists()


def test_a_machine_of_labgrid_is_reached_by_ssh(says: Says) -> None:
    answer = {**DESCRIBED, "host": "root@10.0.0.7"}
    place = Place(tags={"board": "toy"}, labgrid=says(answer))
    with hold(Bench("b", "toy", "ssh", labgrid=place)) as options:
        assert options == {"host": "root@10.0.0.7", "held": ("host 10.0.0.7",)}


def test_who_has_the_place_is_told(says: Says) -> None:
    answer = {"error": "place desk is held by pc/anna", "why": ["more"], "held": "pc/anna"}
    with pytest.raises(BenchHeld) as caught, hold(bench(says(answer))):
        pytest.fail("it is hers")
    assert caught.value.what == "place desk is held by pc/anna"
    assert caught.value.why == ("more",)
    assert caught.value.holder == Elsewhere("pc/anna")


@pytest.mark.parametrize(
    ("answer", "status", "what", "why"),
    [
        ({"error": "no coordinator", "why": ["x"], "held": ""}, 1, "no coordinator", ("x",)),
        ("Traceback", 1, "labgrid's environment does not work", ("No module named grpc",)),
        ({**DESCRIBED, "serial": ""}, 0, "place desk of labgrid has no serial port", ()),
        (DESCRIBED, 1, "desk was not given back to labgrid", ("No module named grpc",)),
    ],
)
def test_what_fails_is_told(
    answer: Any, status: int, what: str, why: tuple[str, ...], says: Says
) -> None:
    labgrid = says(answer, status, "No module named grpc")
    with pytest.raises(BenchError) as caught, hold(bench(labgrid)):
        pass
    assert not isinstance(caught.value, BenchHeld)
    assert caught.value.what == what
    assert caught.value.why[-1:] == why[-1:]
    assert locks.holder_of("bench b") is None


def test_labgrid_has_to_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(PYTHON, raising=False)
    with pytest.raises(UsageError, match="environment is not named") as caught:
        Labgrid().command("places")
    assert f"${PYTHON}" in caught.value.why[0]
    monkeypatch.setenv(PYTHON, "/nowhere/python")
    with pytest.raises(UsageError, match="no Python of labgrid at /nowhere/python"):
        Labgrid().command("places")


@pytest.mark.parametrize(
    ("change", "connected", "holder", "troubles"),
    [
        ({}, True, None, ()),
        ({"acquired": "pc/anna"}, True, Elsewhere("pc/anna"), ()),
        ({"reserved": "pc/anna"}, True, Elsewhere("pc/anna"), ()),
        ({"missing": "m/desk/*", "exporters": []}, False, None, ("desk lacks m/desk/*",)),
        ({"name": "other"}, False, None, ("labgrid has not place desk",)),
    ],
)
def test_places_are_listed(
    change: Mapping[str, Any],
    connected: bool,
    holder: Elsewhere | None,
    troubles: tuple[str, ...],
    says: Says,
) -> None:
    state = listed(bench(says({"places": [{**SEEN, **change}], "me": "pc/me"})))
    assert (state.connected, state.holder, state.troubles) == (connected, holder, troubles)
    assert state.device == ("" if "name" in change else f"desk ({where(change)})")


def where(change: Mapping[str, Any]) -> str:
    return "nowhere" if "exporters" in change else "machine"


def test_a_bench_with_tags_is_free_when_one_of_its_places_is(says: Says) -> None:
    places = [{**SEEN, "acquired": "pc/anna"}, {**SEEN, "name": "desk-2"}]
    places.append({**SEEN, "name": "desk-3", "tags": {}})
    labgrid = says({"places": places, "me": "pc/me"})
    place = Place(tags={"board": "toy"}, labgrid=labgrid)
    state = listed(Bench("b", "toy", "pyocd", labgrid=place))
    assert (state.connected, state.holder) == (True, None)
    assert state.device == "desk (machine), desk-2 (machine)"


def test_a_labgrid_that_does_not_answer_is_what_is_wrong(says: Says) -> None:
    state = listed(bench(says({"error": "no coordinator", "why": [], "held": ""}, 1)))
    assert (state.connected, state.troubles) == (False, ("no coordinator",))


def listed(found: Bench) -> State:
    return states(Lab(Path("lab.toml"), (found,)), look((found,)), lambda bench: {})[0]


class FakeKeeper:
    """Answers by ``answer``, and keeps what it was asked."""

    def __init__(self, path: Path, answer: Callable[[dict[str, Any]], dict[str, Any]]):
        self.asked: list[dict[str, Any]] = []
        self._answer = answer
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(path))
        self._listener.listen()
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _serve(self) -> None:
        while True:
            client, _ = self._listener.accept()
            with client, client.makefile("rwb") as line:
                request = json.loads(line.readline())
                self.asked.append(request)
                line.write(json.dumps(self._answer(request)).encode() + b"\n")


@pytest.fixture
def keeper(tmp_path: Path) -> Iterator[Callable[..., FakeKeeper]]:
    """keeper(answer): one that listens at ``socket`` of the test's folder."""
    with ExitStack() as stack:

        def make(answer: Callable[[dict[str, Any]], dict[str, Any]]) -> FakeKeeper:
            found = FakeKeeper(tmp_path / "socket", answer)
            stack.callback(found.close)
            return found

        yield make


def test_the_image_is_programmed_and_what_must_be_there_is_told(
    keeper: Callable[..., FakeKeeper], tmp_path: Path
) -> None:
    parts: list[tuple[int, bytes]] = []

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        parts.extend((at, Path(file).read_bytes()) for at, file in request.get("parts", []))
        return {"uid": "066B"}

    found = keeper(answer)
    image = [(0x0800_0000, b"flash"), (0x0801_0000, b"more")]
    elf = elf_of(tmp_path / "firmware.elf", *image)
    loader = PlaceLoader(
        str(tmp_path / "socket"), target="stm32", frequency=1_000, port="rfc2217://h:1"
    )
    told: list[float] = []
    assert (loader.find().uid, loader.find().port) == ("066B", "rfc2217://h:1")
    loader.program(elf, told.append)
    loader.reset()
    loader.close()
    assert parts == image
    assert told == [0.0, 1.0]
    assert [request["do"] for request in found.asked] == ["probe", "probe", "program", "reset"]
    assert found.asked[2]["file"] == str(elf)
    assert {(each["target"], each["frequency"]) for each in found.asked} == {("stm32", 1_000)}


def test_a_meter_elsewhere_gives_its_recording(
    keeper: Callable[..., FakeKeeper], tmp_path: Path
) -> None:
    volts = np.full(10, 3.3)
    recording = Recording(100.0, volts, volts / 10, np.ones(10, dtype=bool), dropped=2)

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        if request["do"] == "meter-stop":
            write_trace(Path(request["file"]), recording)
        return {"name": "meter 7", "sees_trigger": True}

    found = keeper(answer)
    meter = PlaceMeter(str(tmp_path / "socket"))
    assert (meter.name, meter.sees_trigger) == ("meter 7", True)
    meter.start()
    meter.mark()
    told = meter.stop()
    meter.close()
    assert (told.rate_hz, told.dropped, list(told.volts)) == (100.0, 2, list(volts))
    asked = [request["do"] for request in found.asked]
    assert asked == ["meter", "meter-start", "meter-mark", "meter-stop"]


@pytest.mark.parametrize(
    ("stated", "has", "name"),
    [("", True, "meter 7"), ("assumed:2W", True, "assumed power of 2 W"), ("", False, "")],
)
def test_a_bench_has_the_meter_of_its_file_or_of_its_place(
    keeper: Callable[..., FakeKeeper], tmp_path: Path, stated: str, has: bool, name: str
) -> None:
    keeper(lambda request: {"meter": has, "name": "meter 7", "sees_trigger": True})
    held = bench(Labgrid(), meter=stated)
    if name:
        assert meter_of(held, {"place": str(tmp_path / "socket")}).name == name
        return
    with pytest.raises(UsageError, match="bench b has no meter"):
        meter_of(held, {"place": str(tmp_path / "socket")})


def test_a_keeper_that_refuses_or_is_gone_is_told(
    keeper: Callable[..., FakeKeeper], tmp_path: Path
) -> None:
    keeper(lambda request: {"error": "no probe", "why": ["x"], "held": ""})
    with pytest.raises(BenchError, match="no probe"):
        PlaceLoader(str(tmp_path / "socket"), target="t", frequency=1).reset()
    with pytest.raises(BenchError, match="process that holds the place does not answer"):
        ask(str(tmp_path / "nowhere"), do="reset")
