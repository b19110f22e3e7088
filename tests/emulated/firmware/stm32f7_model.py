"""A conversation with an image on the model of its registers, within this process."""

from __future__ import annotations

from pathlib import Path

from deployer_hil.register_model.chip import Chip


class Talk(Chip):
    """``writes`` is every write to a register as (address, value), in order."""

    def __init__(self, elf: Path, broken: frozenset[str] = frozenset()):
        self.writes: list[tuple[int, int]] = []
        super().__init__(
            elf, broken=broken, written=lambda at, value: self.writes.append((at, value))
        )

    def boot(self) -> list[str]:
        return self._lines()

    def ask(self, command: str) -> list[str]:
        self.waiting += command.encode() + b"%"
        return self._lines()

    def last_words(self) -> str:
        """What an image says before it waits, or ends."""
        self.run()
        said = bytearray()
        while self.sent:
            said += self.sent
            self.sent.clear()
            self.run()
        return said.decode()

    def register(self, address: int) -> int:
        return self.core.registers.get(address, 0)

    def _lines(self) -> list[str]:
        said = self.last_words()
        assert said.endswith("m-ready\r\n"), said
        return said.split("\r\n")[:-2]
