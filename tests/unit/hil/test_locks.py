"""Benches, probes and ports are one process's at a time; the next is told whose."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from deployer.errors import BenchError
from deployer_hil import locks
from deployer_hil.locks import BenchHeld, Holder, Locks, holder_of

ROUNDS = 200
CLAIM = "bench nucleo-1"
_HOLDER = """
import sys
from deployer_hil.locks import Locks
with Locks() as taken:
    taken.take(*sys.argv[1:])
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(locks.FOLDER, str(tmp_path / "locks"))
    return tmp_path / "locks"


@pytest.fixture
def other() -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """other(*claims): another process, which has them."""
    started: list[subprocess.Popen[bytes]] = []

    def start(*claims: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", _HOLDER, *claims]
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        started.append(child)
        assert child.stdout is not None
        assert child.stdout.readline() == b"held\n"
        return child

    yield start
    for child in started:
        child.kill()
        child.communicate()


def forked(work: Callable[[], None]) -> int:
    """The number of a child that does ``work`` and ends with status 0, or 1 when it raises."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        work()
        status = 0
    finally:
        os._exit(status)


def test_the_second_is_told_who_has_it_and_what_to_do(
    other: Callable[..., subprocess.Popen[bytes]],
) -> None:
    child = other(CLAIM, "probe 066b")
    with pytest.raises(BenchHeld) as caught, Locks() as taken:
        taken.take("probe 066b")
    text = str(caught.value)
    assert caught.value.exit_status == 6
    assert f"probe 066b is held by process {child.pid} of " in text
    assert f", since {time.strftime('%Y-%m-')}" in text
    assert f"it runs: -c '{CLAIM}' 'probe 066b'" in text
    assert "deployer lab list" in text
    assert caught.value.holder == holder_of(CLAIM)


def test_the_lock_goes_when_its_holder_is_killed(
    other: Callable[..., subprocess.Popen[bytes]],
) -> None:
    child = other(CLAIM)
    child.send_signal(signal.SIGKILL)
    child.wait()
    assert holder_of(CLAIM) is None
    with Locks() as taken:
        taken.take(CLAIM)


def test_a_holder_that_its_parent_has_not_buried_holds_nothing() -> None:
    child = forked(lambda: Locks().take(CLAIM))
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    assert holder_of(CLAIM) is None
    with Locks() as taken:
        taken.take(CLAIM)
    os.waitpid(child, 0)


def test_two_processes_that_race_never_both_have_it(tmp_path: Path) -> None:
    """A file that only one can make tells whether both are inside; two pipes start each round."""
    said = _race([_racer(seed, tmp_path) for seed in (1, 2)])
    assert len(said) == ROUNDS
    assert all(set(each) <= {"w", "l"} for each in said), "both were inside, or one failed"
    assert all("w" in each for each in said), "nobody got it"
    assert any("l" in each for each in said), "they never met"


Racer = tuple[int, int, int]  # process, descriptors of commands and of answers


def _racer(seed: int, folder: Path) -> Racer:
    command_in, command_out = os.pipe()
    answer_in, answer_out = os.pipe()
    child = forked(lambda: _run_racer(random.Random(seed), folder, command_in, answer_out))
    os.close(command_in)
    os.close(answer_out)
    return child, command_out, answer_in


def _run_racer(random: random.Random, folder: Path, commands: int, answers: int) -> None:
    while os.read(commands, 1) == b"g":
        time.sleep(random.random() * 1e-3)
        os.write(answers, _attempt(random, folder / "inside").encode())


def _attempt(random: random.Random, inside: Path) -> str:
    """w: won, l: lost, b: both were inside."""
    try:
        with Locks() as taken:
            taken.take(CLAIM, "port /dev/ttyACM0", "probe 066b")
            try:
                os.close(os.open(inside, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                return "b"
            time.sleep(random.random() * 2e-3)
            inside.unlink()
            return "w"
    except BenchHeld:
        return "l"


def _race(racers: list[Racer]) -> list[str]:
    """What both said, round by round."""
    found = []
    for _ in range(ROUNDS):
        for _, commands, _ in racers:
            os.write(commands, b"g")
        found.append("".join(os.read(answers, 1).decode() for _, _, answers in racers))
    for child, commands, answers in racers:
        os.write(commands, b"q")
        assert os.waitpid(child, 0)[1] == 0
        os.close(commands)
        os.close(answers)
    return found


def test_killed_at_any_moment_it_is_free_for_the_next() -> None:
    seeded = random.Random(19)
    for _ in range(ROUNDS):
        child = forked(_take_and_let_go)
        time.sleep(seeded.random() * 3e-3)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        assert holder_of(CLAIM) is None
        with Locks() as taken:
            taken.take(CLAIM, "probe 066b")
            found = holder_of("probe 066b")
            assert found is not None
            assert found.process == os.getpid()


def _take_and_let_go() -> None:
    while True:
        with Locks() as taken:
            taken.take(CLAIM, "probe 066b")


def test_all_or_none() -> None:
    with Locks() as first, Locks() as second:
        first.take("b")
        with pytest.raises(BenchHeld, match="b is held"):
            second.take("a", "b", "c")
        first.take("a", "c")


def test_what_the_caller_has_is_not_taken_again() -> None:
    with Locks() as first, Locks(held=("a",)) as second, Locks() as third:
        first.take("a")
        second.take("a", "b")
        second.close()
        with pytest.raises(BenchHeld):
            third.take("a")
        third.take("b")


def test_taken_twice_by_one_is_let_go_once() -> None:
    with Locks() as taken, Locks() as next_one:
        taken.take("a")
        taken.take("a")
        taken.close()
        taken.close()
        next_one.take("a")


def test_a_port_is_one_port_by_every_name(tmp_path: Path) -> None:
    device, name = tmp_path / "ttyACM0", tmp_path / "by-id"
    device.touch()
    name.symlink_to(device)
    assert locks.port(str(name)) == locks.port(str(device))
    assert locks.probe("06AB") == locks.probe("06ab")
    assert locks.host("pi@Raspberry") == locks.host("raspberry")


def test_claims_that_look_alike_are_different_files(folder: Path) -> None:
    with Locks() as taken:
        taken.take("port /dev/tty-1", "port /dev/tty/1", "port  /dev/tty 1", "é", "è", "x" * 300)
    assert len(list(folder.iterdir())) == 6


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"process": 1}', '{"process": -1, "user": "x"}', "\xff\xfe", "9" * 5000],
)
def test_a_record_that_is_none_names_nobody_and_stops_nobody(text: str, folder: Path) -> None:
    with Locks() as taken:
        taken.take(CLAIM)
    (file,) = folder.iterdir()
    file.write_bytes(text.encode("latin-1"))
    assert holder_of(CLAIM) is None
    with Locks() as taken:
        taken.take(CLAIM)


def test_a_holder_that_does_not_tell_is_another_process(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "_UNTOLD_SECONDS", 0.05)
    with Locks() as first, Locks() as second:
        first.take(CLAIM)
        (file,) = folder.iterdir()
        file.write_text("")
        with pytest.raises(BenchHeld, match="held by another process"):
            second.take(CLAIM)


def test_a_later_process_of_the_same_number_is_not_the_holder(folder: Path) -> None:
    with Locks() as taken:
        taken.take(CLAIM)
        (file,) = folder.iterdir()
        told = json.loads(file.read_text())
    file.write_text(json.dumps({**told, "started": str(int(told["started"]) - 1)}))
    assert holder_of(CLAIM) is None


def test_what_a_holder_says_does_not_act_on_the_terminal() -> None:
    held = BenchHeld("bench \x1b[2J", Holder(1, "1", "a\nb", "x\x1b]0;y\x07", "now"))
    assert "\x1b" not in str(held)
    assert len(str(held).splitlines()) == 4


def test_a_folder_that_cannot_be_locked_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on some disks of a network. Going on would let two use one probe."""

    def refuse(handle: int, how: int) -> None:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(locks.fcntl, "flock", refuse)
    with pytest.raises(BenchError, match=r"cannot lock .*/locks/") as caught, Locks() as taken:
        taken.take(CLAIM)
    assert locks.FOLDER in caught.value.hints[0]


def test_the_folder_is_the_users_and_of_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(locks.FOLDER)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("platform.node", lambda: "desk")
    with Locks() as taken:
        taken.take(CLAIM)
        (file,) = (tmp_path / "cache/deployer/locks/desk").iterdir()
        assert file.name.startswith("bench-nucleo-1-")
