"""A stream whose other side says more than the device does."""

from __future__ import annotations

import time
from collections.abc import Callable

from deployer.errors import BenchError
from deployer_hil.cpu_time import CpuWatch
from deployer_hil.stream import ByteStream, Transcript

_LOOKS = 12  # at the processor time, in the time after which a program is stuck


class QuietStream:
    """``inner`` without ``noise``, a text that its program prints now and then, wherever it comes.

    What may be the beginning of noise waits for more, at most as long as the reader waits.
    ``closed`` is called when the stream is, after its program has ended. A program that ``watch``
    finds stuck is ended: whoever reads gets a BenchError.
    """

    def __init__(
        self,
        inner: ByteStream,
        noise: bytes,
        closed: Callable[[], None],
        watch: CpuWatch | None = None,
    ):
        self.transcript = Transcript()
        self._inner = inner
        self._noise = noise
        self._closed = closed
        self._watch = watch
        self._held = b""

    @property
    def alive(self) -> bool:
        return self._inner.alive or bool(self._held)

    def listen(self, timeout: float) -> None:
        """Wait for the first words or the end; what is heard is still to be read."""
        self._held += self._heard(1, time.monotonic() + timeout)

    def read(self, n: int, timeout: float) -> bytes:
        deadline = time.monotonic() + timeout
        while True:
            room = max(n - len(self._held), 1)
            raw = self._heard(room, deadline)
            said = self._without_noise(raw, most=n)
            if said or not raw:
                self.transcript.received(said)
                return said

    def _heard(self, n: int, deadline: float) -> bytes:
        """What the program says until ``deadline``, while it goes on."""
        while True:
            left = max(deadline - time.monotonic(), 0.0)
            look = self._watch.seconds / _LOOKS if self._watch else left
            raw = self._inner.read(n, min(left, look))
            if raw or not self._inner.alive or time.monotonic() >= deadline:
                return raw
            if self._watch and self._watch.is_stuck():
                self.close()
                raise self._hung(self._watch.seconds)

    def _hung(self, seconds: float) -> BenchError:
        silent = f"for {seconds:.0f} s it said nothing and took no processor time"
        return BenchError(
            "the simulator hangs and was ended",
            why=[silent, *self.transcript.tail()],
            hints=["run it again; gap8_sim runs the same image"],
        )

    def write(self, data: bytes) -> None:
        try:
            self._inner.write(data)
        except BenchError as error:
            why = [*self._inner.epitaph(), *self.transcript.tail()]
            raise BenchError(error.what, why=why, hints=error.hints) from None
        self.transcript.sent(data)

    def epitaph(self) -> tuple[str, ...]:
        return self._inner.epitaph()

    def close(self) -> None:
        self._inner.close()
        self._held = b""
        self._closed()

    def _without_noise(self, raw: bytes, *, most: int) -> bytes:
        said = (self._held + raw).replace(self._noise, b"")
        kept = max(self._begun(said) if raw else 0, len(said) - most)
        self._held = said[len(said) - kept :]
        return said[: len(said) - kept]

    def _begun(self, said: bytes) -> int:
        """How many bytes at the end of ``said`` may begin the noise."""
        most = min(len(self._noise) - 1, len(said))
        return next((k for k in range(most, 0, -1) if self._noise.startswith(said[-k:])), 0)
