"""Debug probes: find the right one, program through it, reset the board.

The seam is ``Loader``. The rest of the flash flow does not know whether a probe or a test's fake
stands behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from deployer.errors import BenchError
from deployer_hil import serial_ports
from deployer_hil.image import require_written

FREQUENCY = 4_000_000  # of SWD, Hz, where the board file states none
Progress = Callable[[float], None]

# USB ids of the ST-LINKs that sit on Nucleo boards, by the model printed on them.
STLINKS = {
    "0483:374b": "ST-LINK/V2-1",
    "0483:3752": "ST-LINK/V2-1 without mass storage",
    "0483:374e": "STLINK-V3",
    "0483:3754": "STLINK-V3 without mass storage",
}

_ACCESS = "allow USB access: install the udev rules (hil/README.md), then plug in again"


@dataclass(frozen=True)
class Probe:
    """``port`` is the console if the loader knows it, else it is found by USB serial number."""

    uid: str
    description: str = ""
    port: str | None = None


class Loader(Protocol):
    """Access to one board's flash. All raise BenchError."""

    def find(self) -> Probe:
        """The probe that will be used."""

    def program(self, elf: Path, progress: Progress | None = None) -> None:
        """Write the image to flash and read it back; ``progress`` is told the done part, 0 to 1."""

    def reset(self) -> None:
        """Restart the image."""

    def close(self) -> None:
        """Free the probe. Twice is harmless."""


def choose(probes: Sequence[Probe], wanted: str | None, *, emulate: str) -> Probe:
    """The probe to use: ``wanted`` by its full UID, or the only one there is.

    ``emulate`` is the command that does the same without a board.
    """
    matching = [p for p in probes if wanted is None or p.uid.lower() == wanted.lower()]
    if len(matching) == 1:
        return matching[0]
    if not probes:
        raise _none_found(emulate)
    listed = [f"probe: {probe.uid}  {probe.description}" for probe in probes]
    if wanted is not None and not matching:
        raise BenchError(
            f"no probe with the UID {wanted}", why=listed, hints=["the whole UID is compared"]
        )
    uid = matching[0].uid
    raise BenchError(
        f"{len(matching)} probes are connected", why=listed, hints=[f"choose one: --probe {uid}"]
    )


def _none_found(emulate: str) -> BenchError:
    seen = serial_ports.ports()
    hidden = [p for p in seen if p.usb in STLINKS]
    locked = [f"{p.device} belongs to an {STLINKS[p.usb]} that may not be opened" for p in hidden]
    rules = [_ACCESS] if hidden else []
    looked = ", ".join(f"{name} ({usb})" for usb, name in STLINKS.items())
    return BenchError(
        "no debug probe found",
        why=[
            f"looked for: {looked}, CMSIS-DAP, J-Link",
            "probes seen: none",
            *serial_ports.describe(seen),
            *locked,
        ],
        hints=[*rules, "connect the board's ST-LINK USB port", f"without a board: {emulate}"],
    )


class PyocdLoader:
    """pyOCD. ``target`` is always given: its own table names targets that need vendor packs."""

    def __init__(
        self,
        *,
        target: str,
        frequency: int = FREQUENCY,
        uid: str | None = None,
        emulate: str = "deployer run",
    ):
        self._target = target
        self._frequency = frequency
        self._uid = uid
        self._emulate = emulate

    def find(self) -> Probe:
        probes = {probe.uid: probe for probe, _ in _connected()}
        return choose(list(probes.values()), self._uid, emulate=self._emulate)

    def program(self, elf: Path, progress: Progress | None = None) -> None:
        from pyocd.flash.file_programmer import FileProgrammer

        with self._session("programming") as session:
            writer = FileProgrammer(
                session, progress=progress, chip_erase="sector", smart_flash=True, trust_crc=False
            )
            writer.program(str(elf), file_format="elf")
            target = session.target  # it leaves out, with no more than a warning, what fits nowhere
            require_written(elf, lambda at, size: bytes(target.read_memory_block8(at, size)))

    def reset(self) -> None:
        with self._session("resetting") as session:
            session.target.reset()

    def close(self) -> None:
        """Nothing is held between calls."""

    @contextmanager
    def _session(self, doing: str) -> Iterator[Any]:
        from pyocd.core.session import Session

        uid = self.find().uid
        handle = next(handle for probe, handle in _connected() if probe.uid == uid)
        options = {
            "target_override": self._target,
            "connect_mode": "under-reset",  # also reaches firmware that sleeps or has locked up
            "frequency": self._frequency,
            "hide_programming_progress": True,
            "no_config": True,  # a pyocd.yaml lying about must not change what is measured
        }
        with _explained(doing, uid, self._target), Session(handle, options=options) as session:
            yield session


def connected() -> tuple[Probe, ...]:
    """Every probe pyOCD sees."""
    return tuple(probe for probe, _ in _connected())


def _connected() -> list[tuple[Probe, Any]]:
    try:
        from pyocd.core.helpers import ConnectHelper
    except ImportError:
        raise BenchError("pyOCD is not installed", hints=["pip install pyocd"]) from None
    handles = ConnectHelper.get_all_connected_probes(blocking=False)
    return [(Probe(handle.unique_id, handle.description), handle) for handle in handles]


@contextmanager
def _explained(doing: str, uid: str, target: str) -> Iterator[None]:
    """pyOCD's and libusb's exceptions as BenchErrors with something to try."""
    from pyocd.core import exceptions

    try:
        yield
    except exceptions.TargetSupportError as error:
        hints = ["correct 'target' under [runners.pyocd] of the board file"]
        raise _trouble(f"pyOCD does not know the target {target!r}", error, hints) from None
    except exceptions.FlashFailure as error:
        hints = ["try again; a write-protected sector shows in STM32CubeProgrammer"]
        raise _trouble("the flash could not be written", error, hints) from None
    except exceptions.ProbeDisconnected as error:
        raise _trouble(f"probe {uid} was unplugged while {doing}", error, []) from None
    except (exceptions.ProbeError, OSError) as error:
        hints = ["close other debuggers (OpenOCD, an IDE)", "unplug and replug the board"]
        raise _trouble(f"probe {uid} is in use or does not answer", error, hints) from None
    except exceptions.Error as error:
        hints = ["is the board powered?", "lower 'frequency' under [runners.pyocd]"]
        raise _trouble(f"{doing} {target} through probe {uid} failed", error, hints) from None


def _trouble(what: str, error: Exception, hints: list[str]) -> BenchError:
    return BenchError(what, why=[f"{type(error).__name__}: {error}"], hints=hints)
