"""GAP8 through OpenOCD: finding program and cable, the steps on JTAG, and every way to fail."""

from __future__ import annotations

import struct
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from deployer.bundle import Bundle
from deployer.errors import BenchError, UsageError
from deployer_hil import serial_ports, tools
from deployer_hil.image import Image, read_image
from deployer_hil.openocd import L2, OpenocdLoader, load_command
from deployer_hil.openocd_files import Openocd, find_openocd
from deployer_hil.openocd_trouble import trouble
from deployer_hil.probe import Probe
from deployer_hil.runner import create
from deployer_hil.serial_ports import Port
from fakes.fake_openocd import SCRIPTS, FakeOpenocd

OPTIONS = dict(zip(("cable", "target", "boot"), SCRIPTS, strict=True))
JTAG = Port("/dev/ttyUSB0", "0403:6010", "FT1", "Dual RS232-HS", 0)
UART = Port("/dev/ttyUSB1", "0403:6010", "FT1", "Dual RS232-HS", 1)
OTHER = Port("/dev/ttyUSB3", "0403:6010", "FT2", "Dual RS232-HS", 1)
ENVIRONMENT = ("GAP_SDK_HOME", "OPENOCD_SCRIPTS", "GAP_OPENOCD_TOOLS", "GAPY_OPENOCD_CABLE")


@pytest.fixture(autouse=True)
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without OpenOCD."""
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    for name in ENVIRONMENT:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def openocd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeOpenocd:
    fake = FakeOpenocd(tmp_path / "installed")
    monkeypatch.setenv("PATH", f"{fake.program.parent}:/usr/bin:/bin")
    return fake


@pytest.fixture
def ports(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """ports(*ports): the serial ports of this machine are these."""
    return lambda *seen: monkeypatch.setattr(serial_ports, "ports", lambda: seen)


def image(path: Path, *, at: int = 0x1C000000, size: int = 64, machine: int = 243) -> Path:
    """An executable of one segment of ``size`` bytes, and one that takes no bytes."""
    ident = b"\x7fELF\x01\x01\x01".ljust(16, b"\0")
    entry = 0x1C000080
    header = struct.pack(
        "<16sHHIIIIIHHHHHH", ident, 2, machine, 1, entry, 52, 0, 0, 52, 32, 2, 0, 0, 0
    )
    loaded = struct.pack("<8I", 1, 116, at, at, size, size, 5, 4)
    cleared = struct.pack("<8I", 1, 116, 0x10000000, 0x10000000, 0, 4096, 6, 4)
    path.write_bytes(header + loaded + cleared + bytes(size))
    return path


def loader(**options: object) -> OpenocdLoader:
    return OpenocdLoader(lambda: find_openocd(SCRIPTS), emulate="deployer run net.onnx", **options)


def bundle_for_gap8(toy: Callable[..., Bundle], **more: object) -> Bundle:
    return toy(runners={"openocd": OPTIONS}, target="toy", **more)


def test_the_steps_are_those_of_a_boot_over_jtag_and_no_others(tmp_path: Path) -> None:
    """Nothing of what writes flash or e-fuses is even loaded."""
    scripts = tuple(tmp_path / script for script in SCRIPTS)
    found = Openocd("openocd", tmp_path, scripts)
    command = load_command(found, "firmware.elf", Image(0x1C000080, 64), cable="FT1")
    quiet = "gdb_port disabled; telnet_port disabled; tcl_port disabled"
    steps = [
        "halt",
        "load_image {firmware.elf} 0x0 elf",
        "mww 0x1b302000 0x1c000080",
        "resume",
        "echo {deployer: image started}",
        "shutdown",
    ]
    assert command == [
        *("openocd", "-s", str(tmp_path), "-c", quiet),
        *("-f", str(scripts[0]), "-c", "ftdi_serial FT1"),
        *("-f", str(scripts[1]), "-f", str(scripts[2]), "-c", "; ".join(steps)),
    ]


def test_a_serial_number_that_would_be_a_command_is_refused(tmp_path: Path) -> None:
    found = Openocd("openocd", tmp_path, (tmp_path, tmp_path))
    with pytest.raises(BenchError, match="cannot be given"):
        load_command(found, "firmware.elf", Image(0, 0), cable="FT1; shutdown")


def test_a_missing_openocd_is_named_with_the_way_to_get_it(
    toy: Callable[..., Bundle], ports: Callable[..., None]
) -> None:
    ports(UART)
    bundle = bundle_for_gap8(toy)
    with pytest.raises(BenchError, match="gap8-openocd is not installed") as caught:
        create("openocd", bundle, model="nets/mine.onnx").load(bundle)
    assert caught.value.exit_status == 6
    assert "gap_sdk" in caught.value.hints[0]
    assert caught.value.hints[-1].endswith("deployer run --board toy nets/mine.onnx")


def test_an_openocd_that_was_named_and_is_not_there(toy: Callable[..., Bundle]) -> None:
    bundle = bundle_for_gap8(toy)
    with pytest.raises(BenchError, match="/no/such is not installed"):
        create("openocd", bundle, openocd="/no/such").load(bundle)


def test_a_stock_openocd_is_told_from_the_vendors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stock = FakeOpenocd(tmp_path / "stock", name="openocd")
    (stock.scripts / SCRIPTS[1]).unlink()
    monkeypatch.setenv("PATH", str(stock.program.parent))
    with pytest.raises(BenchError, match=f"lacks {SCRIPTS[1]}: only GreenWaves'") as caught:
        find_openocd(SCRIPTS)
    assert caught.value.why == (f"looked in {stock.scripts}",)


def test_gap_sdk_comes_before_an_openocd_of_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stock = FakeOpenocd(tmp_path / "stock", name="openocd")
    sdk = FakeOpenocd(tmp_path / "sdk/install/workstation/gap8-openocd")
    monkeypatch.setenv("PATH", str(stock.program.parent))
    monkeypatch.setenv("GAP_SDK_HOME", str(tmp_path / "sdk"))
    found = find_openocd(SCRIPTS)
    assert found.program == str(sdk.program)
    assert found.scripts == tuple(sdk.scripts / script for script in SCRIPTS)


def test_scripts_may_lie_where_the_environment_says(
    openocd: FakeOpenocd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = tmp_path / "mine"
    (mine / "tcl").mkdir(parents=True)
    (mine / SCRIPTS[2]).write_text("")
    monkeypatch.setenv("OPENOCD_SCRIPTS", str(mine))
    found = find_openocd(SCRIPTS)
    assert found.scripts == (*(openocd.scripts / name for name in SCRIPTS[:2]), mine / SCRIPTS[2])


def test_the_environment_may_name_another_cable(
    openocd: FakeOpenocd,
    toy: Callable[..., Bundle],
    ports: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ports(UART)
    monkeypatch.setenv("GAPY_OPENOCD_CABLE", "interface/jlink.cfg")
    bundle = bundle_for_gap8(toy)
    with pytest.raises(BenchError, match=r"lacks interface/jlink\.cfg"):
        create("openocd", bundle).load(bundle)


def test_the_console_is_the_second_channel(
    openocd: FakeOpenocd, ports: Callable[..., None]
) -> None:
    ports(JTAG, UART)
    assert loader().find() == Probe("FT1", "Dual RS232-HS", "/dev/ttyUSB1")


def test_one_of_several_boards_is_chosen_by_its_serial_number(
    openocd: FakeOpenocd, ports: Callable[..., None]
) -> None:
    ports(JTAG, UART, OTHER)
    with pytest.raises(BenchError, match="2 probes are connected") as caught:
        loader().find()
    assert caught.value.hints == ("choose one: --probe FT1",)
    assert loader(uid="FT2").find().port == "/dev/ttyUSB3"


def test_no_cable_says_what_was_looked_for_and_seen(
    openocd: FakeOpenocd, ports: Callable[..., None]
) -> None:
    ports(Port("/dev/ttyACM0", "0483:374b", "066B", "STLink"), JTAG)
    with pytest.raises(BenchError, match="no GAPuino found") as caught:
        loader().find()
    text = str(caught.value)
    assert caught.value.exit_status == 6
    assert "FTDI chip (0403:6010)" in text
    assert "serial port: /dev/ttyACM0 (0483:374b, 066B)" in text
    assert "without a board: deployer run net.onnx" in text


def test_a_console_given_by_name_chooses_its_own_cable(
    openocd: FakeOpenocd, ports: Callable[..., None]
) -> None:
    ports(UART, OTHER)
    assert loader(port="/dev/ttyUSB3").find().uid == "FT2"
    assert loader(port="/dev/ttyS0").find() == Probe("", port="/dev/ttyS0")


def test_the_interface_is_told_by_where_the_port_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def port(location: str | None) -> SimpleNamespace:
        ids = {"device": "/dev/tty", "vid": 1, "pid": 2, "serial_number": "", "description": ""}
        return SimpleNamespace(**ids, location=location)

    infos = [port(where) for where in ("1-4.2:1.0", "1-4.2:1.1", "1-4.2", None)]
    monkeypatch.setattr("serial.tools.list_ports.comports", lambda: infos)
    assert [port.interface for port in serial_ports.ports()] == [0, 1, None, None]


def test_what_an_image_takes_is_read_from_it(tmp_path: Path) -> None:
    assert read_image(image(tmp_path / "elf", size=96), memory=L2) == Image(0x1C000080, 96)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"machine": 40}, "is no 32-bit RISC-V executable"),
        ({"at": 0x80000000}, "64 bytes at 0x80000000"),
        ({"at": 0x1C07FFF0}, "64 bytes at 0x1c07fff0"),
    ],
)
def test_an_image_for_something_else_is_refused(
    wrong: dict[str, int], told: str, openocd: FakeOpenocd, tmp_path: Path
) -> None:
    with pytest.raises(BenchError, match=told):
        loader().program(image(tmp_path / "elf", **wrong))
    assert openocd.calls == []


@pytest.mark.parametrize("kept", [0, 30, 100, 140])
def test_a_piece_of_an_image_is_refused(kept: int, tmp_path: Path) -> None:
    path = image(tmp_path / "elf")
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(BenchError, match="is no 32-bit RISC-V executable"):
        read_image(path, memory=L2)


def test_no_image_is_refused(openocd: FakeOpenocd, tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="cannot read"):
        loader().program(tmp_path / "absent.elf")
    with pytest.raises(BenchError, match="no image to start"):
        loader().reset()


@pytest.mark.parametrize(
    ("said", "what", "hint"),
    [
        ("Error: libusb_open() failed with LIBUSB_ERROR_ACCESS", "may not be opened", "0403:6010"),
        ("Error: unable to claim interface: Resource busy", "is in use", "close other debuggers"),
        ("Error: unable to open ftdi device: no device found", "finds no cable", "connect"),
        ("Unknown target type gap8, try one of arm7tdmi", "does not know GAP8", "configs/gapuino"),
        ("Error: JTAG scan chain interrogation failed: all ones", "no GAP8 answers", "powered"),
        ("Error: something else", "ended with status 1 before the image ran", "replug"),
    ],
)
def test_what_openocd_says_is_explained(said: str, what: str, hint: str) -> None:
    error = trouble(1, f"Info : clock speed 1500 kHz\n{said}\n", cable="0403:6010")
    assert what in error.what
    assert error.why[-1] == f"OpenOCD: {said}"
    assert hint in " ".join(error.hints)


def test_an_openocd_that_hangs_is_ended_with_all_it_started(
    openocd: FakeOpenocd, tmp_path: Path
) -> None:
    openocd.has(hang="600.125")
    stuck = loader(patience=2.0)
    stuck.program(image(tmp_path / "firmware.elf"))
    begin = time.monotonic()
    with pytest.raises(BenchError, match="had not loaded the image after 2 s") as caught:
        stuck.reset()
    assert caught.value.exit_status == 6
    assert len(openocd.calls) == 1
    while "600.125" in running() and time.monotonic() - begin < 30:
        time.sleep(0.1)  # it was told to end; the system has yet to do it
    assert "600.125" not in running()


def test_an_image_for_the_twin_is_refused(toy: Callable[..., Bundle]) -> None:
    with pytest.raises(UsageError, match="which no debug probe can load"):
        create("openocd", toy(runners={"openocd": OPTIONS}))


def test_weights_behind_l2_are_sent_over_the_console(
    toy: Callable[..., Bundle], openocd: FakeOpenocd
) -> None:
    """JTAG does not reach them, and a board that was off has lost them."""
    bundle = bundle_for_gap8(toy)
    assert create("openocd", bundle).caps.sends
    assert create("openocd", bundle, loader=loader()).caps.sends


def test_counts_are_measured_cycles_unless_another_loader_is_given(
    toy: Callable[..., Bundle], openocd: FakeOpenocd
) -> None:
    bundle = bundle_for_gap8(toy)
    runner = create("openocd", bundle)
    assert (runner.caps.timing, runner.caps.kind) == ("cycles", "measured")
    assert runner.tool == "Open On-Chip Debugger 0.0 (fake)"
    assert create("openocd", bundle, loader=loader()).caps.kind == "none"


def test_doctor_is_told_whether_openocd_is_here(openocd: FakeOpenocd, tmp_path: Path) -> None:
    row = tools.openocd(["gap8"])
    assert (row.version, row.enables) == (
        "Open On-Chip Debugger 0.0 (fake)",
        "deployer flash --board gap8",
    )
    openocd.program.unlink()
    assert tools.openocd(["gap8"]).version is None


def running() -> str:
    """The command lines of every process."""
    lines = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            lines.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:  # it has ended
            continue
    return "\n".join(lines)


def test_a_checked_image_is_all_of_the_progress(tmp_path: Path) -> None:
    told: list[float] = []
    loader().program(image(tmp_path / "firmware.elf"), told.append)
    assert told == [1.0]
