"""Choosing a probe and explaining its troubles, with pyOCD's own exceptions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from deployer.bundle import Bundle
from deployer.errors import BenchError
from deployer_hil import probe, serial_ports
from deployer_hil.openocd import CABLE
from deployer_hil.probe import Probe, PyocdLoader, choose
from deployer_hil.runner import create
from deployer_hil.serial_ports import Port
from fakes.elf_file import elf_of

exceptions = pytest.importorskip("pyocd.core.exceptions")

UID = "066BFF515055657867234117"
METERS = {"16d0:10ba", "16d0:0e88", "0483:5740"}  # JS220, JS110, LPM01A
IMAGE = b"vectors, code and weights"
OTHER = "066BFF515055657867234118"
EMULATE = "deployer run --board nucleo-f767zi net.onnx"
CDC = Port("/dev/ttyACM3", "0483:374b", UID, "STM32 STLink")


class Handle:
    """What pyOCD gives for a connected probe."""

    def __init__(self, uid: str):
        self.unique_id = uid
        self.description = "STM32 STLink"


class FakePyocd:
    """Stands in for pyOCD's session and programmer; ``trouble`` is raised on opening."""

    def __init__(self) -> None:
        self.handles = [Handle(UID)]
        self.trouble: Exception | None = None
        self.write_trouble: Exception | None = None
        self.done: list[Any] = []

    def session(self, handle: Handle, options: dict[str, Any]) -> FakePyocd:
        self.done.append((handle.unique_id, options))
        return self

    def programmer(self, session: FakePyocd, **options: Any) -> FakePyocd:
        self.done.append(options)
        return self

    def __enter__(self) -> FakePyocd:
        if self.trouble:
            raise self.trouble
        return self

    def __exit__(self, *trouble: object) -> None:
        self.done.append("closed")

    @property
    def target(self) -> FakePyocd:
        return self

    def reset(self) -> None:
        self.done.append("reset")

    def read_memory_block8(self, address: int, size: int) -> list[int]:
        self.done.append(("read", address, size))
        return list(IMAGE)

    def program(self, path: str, file_format: str) -> None:
        self.done.append((Path(path).name, file_format))
        if self.write_trouble:
            raise self.write_trouble


@pytest.fixture
def pyocd(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakePyocd]:
    fake = FakePyocd()
    monkeypatch.setattr(
        "pyocd.core.helpers.ConnectHelper.get_all_connected_probes",
        lambda blocking, unique_id=None: list(fake.handles),
    )
    monkeypatch.setattr("pyocd.core.session.Session", fake.session)
    monkeypatch.setattr("pyocd.flash.file_programmer.FileProgrammer", fake.programmer)
    return fake


@pytest.fixture
def ports(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """ports(*ports): the serial ports of this machine are these."""
    return lambda *seen: monkeypatch.setattr(serial_ports, "ports", lambda: seen)


def loader(**options: Any) -> PyocdLoader:
    return PyocdLoader(target="stm32f767zi", emulate=EMULATE, **options)


def test_the_only_probe_is_taken() -> None:
    assert choose([Probe(UID)], None, emulate=EMULATE).uid == UID


def test_a_probe_is_chosen_by_its_full_uid_in_any_case() -> None:
    assert choose([Probe(UID), Probe(OTHER)], OTHER.lower(), emulate=EMULATE).uid == OTHER


@pytest.mark.parametrize("part", [UID[:-1], UID[-6:], UID + "0"])
def test_part_of_a_uid_is_no_match(part: str) -> None:
    with pytest.raises(BenchError, match=f"no probe with the UID {part}") as caught:
        choose([Probe(UID, "STLink")], part, emulate=EMULATE)
    assert caught.value.why == (f"probe: {UID}  STLink",)


def test_several_probes_are_listed_and_one_asked_for() -> None:
    with pytest.raises(BenchError, match="2 probes are connected") as caught:
        choose([Probe(UID), Probe(OTHER)], None, emulate=EMULATE)
    assert [line.split()[1] for line in caught.value.why] == [UID, OTHER]
    assert caught.value.hints == (f"choose one: --probe {UID}",)


def test_no_probe_says_what_was_looked_for_and_seen_and_the_way_around(
    pyocd: FakePyocd, ports: Callable[..., None]
) -> None:
    pyocd.handles = []
    ports(Port("/dev/ttyUSB0", "0403:6010", "FT1", "FTDI"), Port("/dev/ttyS0", "", "", ""))
    with pytest.raises(BenchError) as caught:
        loader().find()
    text = str(caught.value)
    assert caught.value.exit_status == 6
    assert "ST-LINK/V2-1 (0483:374b)" in text
    assert "probes seen: none" in text
    assert "serial port: /dev/ttyUSB0 (0403:6010, FT1)" in text
    assert "ttyS0" not in text
    assert f"without a board: {EMULATE}" in text


def test_a_probe_without_permission_is_seen_by_its_port(
    pyocd: FakePyocd, ports: Callable[..., None]
) -> None:
    pyocd.handles = []
    ports(CDC)
    with pytest.raises(BenchError) as caught:
        loader().find()
    assert "/dev/ttyACM3 belongs to an ST-LINK/V2-1 that may not be opened" in caught.value.why
    assert "udev rules" in caught.value.hints[0]


def test_the_hint_names_the_users_model(
    pyocd: FakePyocd, ports: Callable[..., None], toy: Callable[..., Bundle]
) -> None:
    pyocd.handles = []
    ports()
    bundle = on_silicon(toy)
    with pytest.raises(BenchError, match=r"deployer run --board toy toy\.onnx"):
        create("pyocd", bundle).load(bundle)
    with pytest.raises(BenchError, match=r"deployer run --board toy nets/mine\.onnx"):
        create("pyocd", bundle, model="nets/mine.onnx").load(bundle)


def test_programming_always_names_the_target_and_connects_under_reset(
    pyocd: FakePyocd, tmp_path: Path
) -> None:
    elf = elf_of(tmp_path / "firmware.elf", (0x0800_0000, IMAGE))
    loader(frequency=1_000_000).program(elf)
    (uid, options), writer, image, _, closed = pyocd.done
    assert uid == UID
    assert options["target_override"] == "stm32f767zi"
    assert options["connect_mode"] == "under-reset"
    assert options["frequency"] == 1_000_000
    assert (writer["chip_erase"], writer["trust_crc"]) == ("sector", False)
    assert (image, closed) == (("firmware.elf", "elf"), "closed")


def test_a_reset_goes_through_the_chosen_probe(pyocd: FakePyocd) -> None:
    pyocd.handles = [Handle(UID), Handle(OTHER)]
    loader(uid=OTHER).reset()
    assert pyocd.done[0][0] == OTHER
    assert pyocd.done[1:] == ["reset", "closed"]


@pytest.mark.parametrize(
    ("trouble", "what"),
    [
        (exceptions.ProbeError("USB Error: [Errno 16] Resource busy"), "is in use or does not"),
        (OSError(16, "Resource busy"), "is in use or does not answer"),
        (exceptions.ProbeDisconnected("gone"), "was unplugged while programming"),
        (exceptions.TargetSupportError("no pack"), "does not know the target 'stm32f767zi'"),
        (exceptions.TransferError("no ACK"), "programming stm32f767zi through probe"),
    ],
)
def test_probe_trouble_is_explained(pyocd: FakePyocd, trouble: Exception, what: str) -> None:
    pyocd.trouble = trouble
    with pytest.raises(BenchError, match=what) as caught:
        loader().program(Path("firmware.elf"))
    assert str(trouble) in caught.value.why[0]


def test_a_failing_flash_is_explained_with_its_address(pyocd: FakePyocd) -> None:
    pyocd.write_trouble = exceptions.FlashProgramFailure("failed", address=0x08040000)
    with pytest.raises(BenchError, match="the flash could not be written") as caught:
        loader().program(Path("firmware.elf"))
    assert "0x08040000" in caught.value.why[0]


def test_the_console_is_the_port_with_the_probes_serial_number(
    ports: Callable[..., None],
) -> None:
    ports(Port("/dev/ttyACM0", "0483:374b", OTHER, ""), CDC)
    assert serial_ports.port_of(UID) == "/dev/ttyACM3"


def test_the_udev_rules_give_every_probe_and_meter_to_its_user() -> None:
    rules = (Path(__file__).parents[3] / "hil/60-deployer.rules").read_text()
    lines = [line for line in rules.splitlines() if 'TAG+="uaccess"' in line]
    given = {":".join(re.findall(r'=="([0-9a-f]{4})"', line)) for line in lines}
    assert given == {*probe.STLINKS, CABLE, *METERS}


def test_a_probe_without_a_port_asks_for_it(ports: Callable[..., None]) -> None:
    ports(Port("/dev/ttyACM0", "0483:374b", OTHER, ""))
    with pytest.raises(BenchError, match=f"no serial port .* {UID}") as caught:
        serial_ports.port_of(UID)
    assert OTHER in caught.value.why[0]
    assert "--port" in caught.value.hints[0]


def test_a_port_without_serial_number_belongs_to_no_probe(ports: Callable[..., None]) -> None:
    ports(Port("/dev/ttyS0", "", "", ""))
    with pytest.raises(BenchError):
        serial_ports.port_of("")


def test_pyocd_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyocd.core.helpers", None)
    with pytest.raises(BenchError, match="pyOCD is not installed"):
        probe.connected()


def on_silicon(toy: Callable[..., Bundle]) -> Bundle:
    """A bundle built for the board itself, not for a twin."""
    return toy(target="toy", runners={"pyocd": {"target": "stm32f767zi", "baud": 115_200}})


def test_what_pyocd_is_told(pyocd: FakePyocd, tmp_path: Path) -> None:
    elf = elf_of(tmp_path / "firmware.elf", (0x0800_0000, IMAGE))
    loader(frequency=1_000_000).program(elf)
    session = {
        "target_override": "stm32f767zi",
        "connect_mode": "under-reset",
        "frequency": 1_000_000,
        "hide_programming_progress": True,
        "no_config": True,
    }
    read = ("read", 0x0800_0000, len(IMAGE))
    writer = {"progress": None, "chip_erase": "sector", "smart_flash": True, "trust_crc": False}
    assert pyocd.done == [(UID, session), writer, ("firmware.elf", "elf"), read, "closed"]
    pyocd.done.clear()
    loader().reset()
    assert pyocd.done == [(UID, {**session, "frequency": 4_000_000}), "reset", "closed"]
