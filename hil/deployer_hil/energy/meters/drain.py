"""Bytes of an instrument, taken as they come: it has little room for those that are not."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from deployer.errors import BenchError

PAUSE_SECONDS = 0.002  # where nothing has come
SETTLE_SECONDS = 0.2  # after the work: what was measured is still on its way


class Drain:
    """``read`` gives what has come, b"" for nothing, and does not wait for more."""

    def __init__(self, read: Callable[[], bytes]):
        self._read = read
        self._data = bytearray()
        self._ends = threading.Event()
        self._trouble: Exception | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def finish(self) -> bytes:
        """All that came. Raises BenchError when reading failed in between."""
        time.sleep(SETTLE_SECONDS)
        self._ends.set()
        self._thread.join()
        if self._trouble is not None:
            raise BenchError(
                f"the meter went away while it recorded: {self._trouble}",
                hints=["check its cable; is another program on its port?"],
            )
        return bytes(self._data)

    def _run(self) -> None:
        try:
            while not self._ends.is_set():
                found = self._read()
                self._data += found
                if not found:
                    time.sleep(PAUSE_SECONDS)
        except Exception as error:  # of whatever library reads: told by ``finish``
            self._trouble = error
