"""Images of Linux boards that listen: one client at a time, whatever becomes of the one before."""

from __future__ import annotations

import contextlib
import socket
import struct
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from deployer.board.load import load_board
from deployer.bundle import Bundle
from deployer.errors import BenchError
from deployer_hil.runner import create
from emulated.firmware.tiny_build import TARGETS
from emulated.targets import BOARDS
from fakes.contract import CONTRACT, Check

SECONDS = 20.0  # on a machine that others use, too
LINUX = ("host", "rpi3", "rpi3-32")
AT_ONCE = struct.pack("ii", 1, 0)  # closing drops what is on its way, and tells the other side so


@contextlib.contextmanager
def listening(command: Sequence[str]) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    """The port of an image, and its process."""
    words = [*command, "--listen", "0"]
    with subprocess.Popen(words, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        told = process.stderr.readline().decode()
        try:
            assert told.startswith("listening on 127.0.0.1:"), told
            yield int(told.rpartition(":")[2]), process
        finally:
            process.kill()


@pytest.fixture(scope="module", params=LINUX)
def port(
    request: pytest.FixtureRequest, image: Callable[[str], Path], tool: Callable[[str], str]
) -> Iterator[int]:
    target = TARGETS[request.param]
    with listening(target.command(image(target.board), tool)) as (number, _):
        yield number


def client(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), SECONDS)


def heard(line: socket.socket, mark: bytes = b"m-ready\r\n") -> bytes:
    """What arrives up to and with ``mark``, or until the end."""
    found = b""
    while mark not in found and (more := line.recv(4096)):
        found += more
    return found


def served(port: int) -> None:
    """A client is greeted as after a reset, and answered."""
    with client(port) as line:
        assert heard(line).startswith(b"m-timestamp-mode-performance\r\n")
        line.sendall(b"name%")
        assert heard(line).startswith(b"m-name-dut-[")


def test_one_client_after_the_other_is_served(port: int) -> None:
    for _ in range(3):
        served(port)


def test_a_second_client_is_refused_with_words_and_the_first_goes_on(port: int) -> None:
    with client(port) as first:
        heard(first)
        with client(port) as second:
            assert heard(second) == b"e-[another client has this device]\r\n"
        first.sendall(b"name%")
        assert heard(first).startswith(b"m-name-dut-[")
    served(port)


@pytest.mark.parametrize("command", [b"db print%" * 100, b"infer 100000000 0%"])
@pytest.mark.parametrize("drop", [b"", AT_ONCE])
def test_a_client_that_drops_in_the_middle_makes_room(
    port: int, command: bytes, drop: bytes
) -> None:
    with client(port) as line:
        heard(line)
        line.sendall(command)
        line.recv(10)
        if drop:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, drop)
    served(port)


def test_the_end_of_a_session_ends_its_connection_alone(port: int) -> None:
    with client(port) as line:
        heard(line)
        line.sendall(b"x-exit%")
        assert heard(line, b"never").endswith(b"m-x-exit-[bye]\r\nm-ready\r\n")
    served(port)


@pytest.mark.parametrize("board", LINUX)
def test_a_killed_image_leaves_no_session(
    board: str, image: Callable[[str], Path], tool: Callable[[str], str]
) -> None:
    command = TARGETS[board].command(image(TARGETS[board].board), tool)
    with listening(command) as (number, process), client(number) as line:
        heard(line)
        line.sendall(b"infer 100000000 0%")
        heard(line, b"m-infer-start")
        process.kill()
        with contextlib.suppress(ConnectionResetError):
            assert line.recv(4096) == b""


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (["--listen", "x"], 2, "--listen takes [HOST:]PORT"),
        (["--listen", "65536"], 2, "--listen takes [HOST:]PORT"),
        (["--listen", "127.0.0.1:"], 2, "--listen takes [HOST:]PORT"),
        (["--listen", "localhost:1"], 2, "HOST is an IPv4 address of this machine"),
        (["--listen", "192.0.2.1:0"], 6, "Cannot assign requested address"),
        (["--listen"], 2, "or --listen [HOST:]PORT"),
        (["--lisen", "1"], 2, "or --listen [HOST:]PORT"),
    ],
)
def test_what_an_image_cannot_listen_at_is_told(
    words: list[str], status: int, told: str, image: Callable[[str], Path]
) -> None:
    done = subprocess.run(
        [image("host"), *words], capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert done.returncode == status
    assert done.stderr.startswith("error: ")
    assert told in done.stderr


@pytest.fixture(scope="module", params=["rpi3", "rpi3-32"])
def there(
    request: pytest.FixtureRequest, built: Callable[..., Bundle], tool: Callable[[str], str]
) -> Iterator[tuple[Bundle, str]]:
    """A bundle, and the address where its image listens."""
    compiler, emulator = (tool(program) for program in BOARDS[request.param][1])
    assert compiler
    bundle = built(request.param, "residual_net")
    options = load_board(request.param).runners["qemu_user"]["args"]
    with listening([emulator, *options, str(bundle.firmware)]) as (number, _):
        yield bundle, f"127.0.0.1:{number}"


@pytest.mark.parametrize("check", CONTRACT, ids=lambda check: check.__name__)
def test_contract(check: Check, there: tuple[Bundle, str]) -> None:
    bundle, address = there
    with create("tcp", bundle, tcp=address) as runner:
        check(bundle, runner)


def test_the_runner_says_who_has_the_device(there: tuple[Bundle, str]) -> None:
    bundle, address = there
    with create("tcp", bundle, tcp=address) as first, create("tcp", bundle, tcp=address) as second:
        for runner in (first, second):
            runner.load(bundle)
        assert first.open().alive
        with pytest.raises(BenchError, match="refuses: another client has this device"):
            second.open()


def test_the_runner_says_how_to_start_what_does_not_listen(there: tuple[Bundle, str]) -> None:
    bundle, _ = there
    with create("tcp", bundle, tcp="127.0.0.1:1") as runner:
        runner.load(bundle)
        with pytest.raises(BenchError, match=r"nobody answers at 127\.0\.0\.1:1") as caught:
            runner.open()
    assert caught.value.hints[0].endswith(f"{bundle.firmware} --listen 0.0.0.0:1")
