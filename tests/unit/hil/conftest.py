"""Fake devices: one in this process on a socket, one as the image of a bundle."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from deployer.bundle import Bundle
from deployer_hil.exchange import Timeouts
from deployer_hil.session import Session
from deployer_hil.stream import FdStream, socket_stream
from fakes.bundles import make_bundle
from fakes.fake_device import Device

PATIENT = Timeouts(silence=0.03, noise=0.3, hello=2, reply=5, run=5)
HASTY = Timeouts(silence=0.03, noise=0.3, hello=0.1, reply=0.3, run=0.3)


@pytest.fixture
def toy(tmp_path: Path) -> Callable[..., Bundle]:
    """toy(**config): a bundle whose image is a fake device with that configuration."""
    return lambda **config: make_bundle(tmp_path / "bundle", **config)


@pytest.fixture
def device_stream() -> Iterator[Callable[..., FdStream]]:
    """device_stream(**config): a stream to a fake device in this process."""
    with ExitStack() as cleanup:
        yield lambda **config: _serve(cleanup, config)


@pytest.fixture
def talk(device_stream: Callable[..., FdStream]) -> Callable[..., Session]:
    """talk(**config): a session, not opened, with a fake device in this process.

    ``hasty=True`` waits shortly, for devices that do not answer.
    """

    def start(*, hasty: bool = False, **config: Any) -> Session:
        return Session(device_stream(**config), timeouts=HASTY if hasty else PATIENT)

    return start


def _serve(cleanup: ExitStack, config: dict[str, Any]) -> FdStream:
    ours, theirs = socket.socketpair()

    def receive() -> int:
        data = theirs.recv(1)
        return data[0] if data else -1

    device = Device(receive, theirs.sendall, config)
    thread = threading.Thread(target=_run, args=(device, theirs), daemon=True)
    thread.start()
    cleanup.callback(thread.join, 5)
    stream = socket_stream(ours)
    cleanup.callback(stream.close)
    return stream


def _run(device: Device, line: socket.socket) -> None:
    with line:
        device.serve()
