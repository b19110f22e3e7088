"""An X-NUCLEO-LPM01A on a terminal: acknowledges commands, streams a recording, written without the
rig's code. ``damage`` works on the text of the stream."""

from __future__ import annotations

import os
import threading
import tty
from collections.abc import Callable

from fakes import terminals

PROMPT = "PowerShield > "


class FakeLpm01a:
    """``joules``: a millisecond each. ``edges``: samples before which D7 falls."""

    def __init__(
        self,
        joules: list[float],
        edges: list[int],
        *,
        damage: Callable[[str], str] = lambda text: text,
        refuses: str = "",
    ):
        self._master, self._slave = terminals.pair()
        tty.setraw(self._slave)
        self.port = os.ttyname(self._slave)
        self.commands: list[str] = []
        self._stream = damage(stream(joules, edges))
        self._refuses = refuses
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        for descriptor in (self._slave, self._master):
            os.close(descriptor)

    def _serve(self) -> None:
        pending = b""
        while True:
            try:
                pending += os.read(self._master, 256)
            except OSError:
                return
            *lines, pending = pending.split(b"\r\n")
            for line in lines:
                self._answer(line.decode())

    def _answer(self, command: str) -> None:
        self.commands.append(command)
        if command == self._refuses:
            self._say(f"{PROMPT}error {command}\r\nError detail: value out of range\r\n")
        elif command == "stop":
            self._say("\r\nend\r\nAcquisition completed\r\n")
        else:
            self._say(f"{PROMPT}ack {command}\r\n")
        if command == "start":
            self._say(self._stream)

    def _say(self, text: str) -> None:
        data = text.encode()
        while data:
            data = data[os.write(self._master, data[:2048]) :]


def stream(joules: list[float], edges: list[int]) -> str:
    """What it sends of them: four digits a value, a time each thousand of them."""
    lines: list[str] = []
    for at, value in enumerate(joules):
        if at % 1000 == 0:
            lines.append(f"TimeStamp: {at // 1000:03}s 000ms, buff 01%")
        lines += [f"event {edges.index(at):02} ris"] if at in edges else []
        lines.append(coded(value))
    return "".join(f"{line}\r\n" for line in lines)


def coded(value: float) -> str:
    """``6.409e-4`` as ``6409-07``."""
    digits, power = f"{value:.3e}".split("e")
    return f"{digits.replace('.', '')}{int(power) - 3:+03}"
