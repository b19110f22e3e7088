"""Serial ports of this machine: which there are, which belongs to a probe, opening one."""

from __future__ import annotations

import errno
import os
import re
import time
from dataclasses import dataclass
from typing import Any

from deployer.errors import BenchError
from deployer_hil import serial_net
from deployer_hil.stream import ByteStream, FdStream

_BUSY = (errno.EBUSY, errno.EAGAIN)
_LET_GO_SECONDS = 1.0


@dataclass(frozen=True)
class Port:
    """``usb`` is "vid:pid" in hexadecimal and ``serial`` the USB serial number, "" if not USB.

    ``interface`` is the USB interface's number where the device has several, a channel of its chip.
    """

    device: str
    usb: str
    serial: str
    description: str
    interface: int | None = None

    def __str__(self) -> str:
        ids = ", ".join(text for text in (self.usb, self.serial) if text)
        return f"{self.device} ({ids})" if ids else self.device


def ports() -> tuple[Port, ...]:
    """Every serial port, by device name."""
    from serial.tools import list_ports

    return tuple(sorted((_port(info) for info in list_ports.comports()), key=lambda p: p.device))


def port_of(serial: str) -> str:
    """The device of the port whose USB serial number is ``serial``. Raises BenchError if none.

    Never by number: ttyACM0 is whatever was plugged in first.
    """
    seen = ports()
    for port in seen:
        if serial and port.serial.lower() == serial.lower():
            return port.device
    raise BenchError(
        f"no serial port with the USB serial number of the probe, {serial}",
        why=describe(seen),
        hints=["give it by name: --port /dev/ttyACM0"],
    )


def describe(seen: tuple[Port, ...]) -> tuple[str, ...]:
    """One line a port, for an error message."""
    usb = [port for port in seen if port.usb]
    if not usb:
        return ("USB serial ports: none",)
    return tuple(f"serial port: {port}" for port in usb)


def open_port(device: str, baud: int) -> ByteStream:
    """The port, 8N1, for us alone; by URL one of another machine. Raises BenchError saying who or
    what is in the way."""
    if "://" in device:
        return serial_net.open_url(device, baud)
    try:
        line = _opened(device, baud)
    except (OSError, ValueError) as error:  # SerialException is an OSError
        raise _cannot_open(device, error) from None
    return FdStream(line.fileno(), line.fileno(), SerialPeer(line, device))


def _opened(device: str, baud: int) -> Any:
    """A child that this process is just starting has a copy of a port that was closed meanwhile,
    until its program runs."""
    import serial

    until = time.monotonic() + _LET_GO_SECONDS
    while True:
        try:
            return serial.Serial(device, baud, timeout=0, exclusive=True)
        except OSError as error:
            if error.errno not in _BUSY or time.monotonic() > until:
                raise
            time.sleep(_LET_GO_SECONDS / 20)


class SerialPeer:
    def __init__(self, line: Any, device: str):
        self._line = line
        self._device = device

    def epitaph(self) -> tuple[str, ...]:
        return (f"{self._device} is gone: unplugged, or its power failed",)

    def close(self) -> None:
        self._line.close()


def _port(info: Any) -> Port:
    usb = f"{info.vid:04x}:{info.pid:04x}" if info.vid is not None else ""
    described = info.description or ""
    return Port(info.device, usb, info.serial_number or "", described, _interface(info.location))


def _interface(location: str | None) -> int | None:
    """Of "1-4.2:1.1", bus and ports, configuration and interface: 1."""
    found = re.search(r":\d+\.(\d+)$", location or "")
    return int(found[1]) if found else None


def _cannot_open(device: str, error: OSError | ValueError) -> BenchError:
    code = getattr(error, "errno", None)
    if code in _BUSY:
        return BenchError(
            f"{device} is busy: another program has it open",
            hints=[f"close the terminal program; fuser -v {device} names it"],
        )
    if code in (errno.EACCES, errno.EPERM):
        return BenchError(
            f"no permission to open {device}",
            hints=["sudo usermod -aG dialout $USER, then log in again"],
        )
    if code == errno.ENOENT or not os.path.exists(device):
        return BenchError(f"there is no port {device}", why=describe(ports()))
    cause = re.sub(r"^\[Errno \d+\] ", "", str(error))
    return BenchError(f"cannot open {device}", why=[cause])
