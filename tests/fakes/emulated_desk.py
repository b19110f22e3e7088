"""A board on a desk of a lab: an emulator whose console is a PTY. What a lab does with its probe
and its power switch comes by HTTP: ``/power/1``, ``/power/0``, ``/reset``, ``/program`` with an
image.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, Self

from deployer.board import load_board
from deployer.errors import BenchError
from deployer_hil.process import find_program
from deployer_hil.runners.qemu_system import machine
from fakes.fake_loader import FakeLoader

Command = Callable[[Path], Sequence[str]]


def twin_of(board: str) -> Command:
    """What runs an image of an emulated twin in QEMU, its console on stdin and stdout."""
    options = load_board(board).runners["qemu_system"]
    emulator = find_program(options["program"], options["package"])
    return lambda elf: machine(emulator, options.get("args", ()), str(elf.absolute()))


class EmulatedDesk:
    """Started by entering it. ``port``: device of the console. ``calls``: what was asked of it."""

    def __init__(self, command: Command):
        self._loader = FakeLoader(command)
        self.port = str(self._loader.find().port)
        self.calls: list[str] = []
        self._power, self._programmed = True, False
        self._folder = tempfile.TemporaryDirectory(prefix="desk-")
        self._server = HTTPServer(("127.0.0.1", 0), self._handler())
        # one thread for all requests: an emulator ends with the thread that started it
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._loader.close()
        self._folder.cleanup()

    def answer(self, path: str, body: bytes) -> str:
        self.calls.append(path)
        words = path.strip("/").split("/")
        if words[0] == "power":
            return self._switch(words[1:])
        if words[0] == "program":
            image = Path(self._folder.name) / "image.elf"
            image.write_bytes(body)
            self._loader.program(image)
            self._programmed = True
        else:
            self._restart()
        return ""

    def _restart(self) -> None:
        if self._power and self._programmed:
            self._loader.reset()

    def _switch(self, words: Sequence[str]) -> str:
        if words:
            self._power = words[0] == "1"
            self._loader.stop()
            self._restart()
        return str(int(self._power))

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        desk = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._respond(b"")

            def do_POST(self) -> None:
                self._respond(self.rfile.read(int(self.headers["Content-Length"])))

            def _respond(self, body: bytes) -> None:
                try:
                    status, said = 200, desk.answer(self.path, body)
                except BenchError as error:
                    status, said = 500, error.what
                self.send_response(status)
                self.end_headers()
                self.wfile.write(said.encode())

            def log_message(self, *_: Any) -> None:
                """Nobody reads it."""

        return Handler
