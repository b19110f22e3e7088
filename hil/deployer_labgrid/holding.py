"""One place, taken: its console, power switch, probe and meter, as deployer asks for them."""

from __future__ import annotations

import argparse
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from labgrid import Target
from labgrid.driver.exception import ExecutionError
from labgrid.exceptions import NoResourceFoundError, NoSupplierFoundError
from labgrid.remote.client import Error
from labgrid.resource.remote import RemotePlace, RemotePlaceManager
from labgrid.util.proxy import proxymanager

from deployer_labgrid.meter_driver import DeployerMeter
from deployer_labgrid.places import Coordinator, Refused
from deployer_labgrid.pyocd_driver import PyOCDDriver

_SWITCHED = {  # classes that "labgrid-client power" serves
    *("NetworkPowerPort", "NetworkUSBPowerPort", "NetworkSiSPMPowerPort", "PDUDaemonPort"),
    *("TasmotaPowerPort", "NetworkYKUSHPowerPort", "NetworkSysfsGPIO"),
}
_OFF_SECONDS = 1.0  # for the capacitors of a board
_PORT_SECONDS = 10.0  # for an exporter to serve a serial port that was just taken
_MOST_LINES = 5
_MOST_CHARACTERS = 60  # of a command line


class Holding:
    """``place`` of ``coordinator``, which this user has acquired."""

    def __init__(self, coordinator: Coordinator, place: str):
        self._session = coordinator.session
        self._place = place
        manager = RemotePlaceManager.get()  # as labgrid-client does before it makes a target
        manager.session, manager.loop = self._session, self._session.loop
        self._target = Target(place)
        RemotePlace(self._target, name=place)
        self._drivers: dict[str, Any] = {}
        self.asked: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
            "describe": lambda request: self.described(),
            "power": self._power,
            "probe": self._probe,
            "program": self._program,
            "reset": self._reset,
            "meter": self._meter,
            "meter-start": self._meter_start,
            "meter-stop": self._meter_stop,
            "meter-mark": self._meter_mark,
        }

    def described(self) -> dict[str, Any]:
        """``serial`` and ``host``, "" where there is none; whether it has ``power``, ``probe``,
        ``meter``."""
        classes = {type(each).__name__ for each in self._target.resources}
        return {
            "serial": self._serial() if "NetworkSerialPort" in classes else "",
            "host": self._host() if "NetworkService" in classes else "",
            "power": bool(classes & _SWITCHED),
            "probe": bool(classes & set(PyOCDDriver.bindings["interface"])),
            "meter": "DeployerMeterPort" in classes,
        }

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """What is "do"ne; raises Refused where it fails."""
        with _explained():
            return self.asked[request["do"]](request)

    def close(self) -> None:
        for driver in self._drivers.values():
            with suppress(Exception):  # the place is given back whatever a driver says
                self._target.deactivate(driver)

    def _serial(self) -> str:
        """A URL as deployer opens it."""
        with _explained():
            port = self._target.get_resource("NetworkSerialPort", wait_avail=False)
            self._target.await_resources([port], timeout=_PORT_SECONDS)
            host, number = proxymanager.get_host_and_port(port)
        if number is None:
            raise Refused(f"the serial port of {self._place} is not served")
        scheme = "rfc2217" if port.protocol == "rfc2217" else "tcp"
        return f"{scheme}://{host}:{number}"

    def _host(self) -> str:
        service = self._target.get_resource("NetworkService")
        return f"{service.username}@{service.address}"

    def _power(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """By labgrid's own command, which knows which driver each kind of switch takes."""
        given = {"place": self._place, "action": request["action"], "delay": _OFF_SECONDS}
        nothing = dict.fromkeys(("name", "state", "initial_state"))
        self._session.args = argparse.Namespace(**given, **nothing)
        self._session.power()
        return {}

    def _probe(self, request: Mapping[str, Any]) -> dict[str, Any]:
        return {"uid": self._loader(request).found_uid()}

    def _program(self, request: Mapping[str, Any]) -> dict[str, Any]:
        self._loader(request).program(request["file"], request["parts"])
        return {}

    def _reset(self, request: Mapping[str, Any]) -> dict[str, Any]:
        self._loader(request).reset()
        return {}

    def _meter(self, request: Mapping[str, Any]) -> dict[str, Any]:
        return dict(self._driver("meter", lambda: DeployerMeter(self._target, None)).described)

    def _meter_start(self, request: Mapping[str, Any]) -> dict[str, Any]:
        self._driver("meter", lambda: DeployerMeter(self._target, None)).start()
        return {}

    def _meter_stop(self, request: Mapping[str, Any]) -> dict[str, Any]:
        self._driver("meter", lambda: DeployerMeter(self._target, None)).stop(request["file"])
        return {}

    def _meter_mark(self, request: Mapping[str, Any]) -> dict[str, Any]:
        self._driver("meter", lambda: DeployerMeter(self._target, None)).mark()
        return {}

    def _loader(self, request: Mapping[str, Any]) -> Any:
        settings = {"mcu": request["target"], "frequency": request["frequency"]}
        return self._driver("loader", lambda: PyOCDDriver(self._target, None, **settings))

    def _driver(self, name: str, make: Callable[[], Any]) -> Any:
        if name not in self._drivers:
            made = make()
            self._target.activate(made)
            self._drivers[name] = made
        return self._drivers[name]


@contextmanager
def _explained() -> Iterator[None]:
    """Raises Refused for what labgrid, its programs and its connections raise."""
    try:
        yield
    except subprocess.CalledProcessError as error:
        said = error.output.decode(errors="replace").split("\n") if error.output else []
        program = " ".join(map(str, error.cmd))[-_MOST_CHARACTERS:]
        what = f"a program of the place ended with status {error.returncode}: …{program}"
        raise Refused(what, why=_last(said)) from None
    except ExecutionError as error:
        raise Refused(
            error.msg, why=_last([*(error.stdout or ()), *(error.stderr or ())])
        ) from None
    except (NoResourceFoundError, NoSupplierFoundError) as error:
        raise Refused("the place does not have what is needed", why=(str(error),)) from None
    except Error as error:
        raise Refused(" ".join(map(str, error.args))) from None
    except OSError as error:
        raise Refused(f"{type(error).__name__}: {error}") from None


def _last(lines: list[str]) -> tuple[str, ...]:
    return tuple(line.strip() for line in lines if line.strip())[-_MOST_LINES:]
