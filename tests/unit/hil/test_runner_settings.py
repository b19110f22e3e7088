"""What runners promise of their figures, and the command lines they make, whole."""

from __future__ import annotations

import errno
import os
import struct
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from deployer.bundle import Bundle
from deployer.errors import BenchError, UsageError
from deployer_hil import gvsoc, openocd, process, stream
from deployer_hil.gvsoc import command, open_command
from deployer_hil.image import read_image
from deployer_hil.openocd_trouble import hung, trouble
from deployer_hil.process import output_of, start, version_line
from deployer_hil.runner import BUILTIN, Caps, create, emulated_by, find, load_object
from deployer_hil.runners.qemu_system import machine
from fakes.bundles import make_bundle

Toy = Callable[..., Bundle]
CYCLES = ("cycles", "simulated")
PROMISES = {  # timing, kind, how much slower, whether it is sent weights
    "host": ("none", "none", 1, False),
    "qemu_user": ("none", "none", 1, False),
    "qemu_system": ("none", "none", 1, False),
    "gap8_sim": (*CYCLES, 1, False),
    "gvsoc": (*CYCLES, 20, False),
    "pulp_open": (*CYCLES, 6, False),
    "pyocd": ("cycles", "measured", 1, False),
    "openocd": ("cycles", "measured", 1, True),
    "register_model": ("none", "none", 1, False),
    "ssh": ("cycles", "measured", 1, False),
    "tcp": ("cycles", "measured", 1, False),
}
EMULATOR = {"program": "fake-qemu", "package": "qemu-fake"}
OPTIONS: dict[str, dict[str, Any]] = {
    "qemu_user": EMULATOR,
    "qemu_system": EMULATOR,
    "gvsoc": {"target": "gapuino_v3"},
    "pulp_open": {"target": "pulp-open"},
    "pyocd": {"target": "stm32f767zi"},
    "openocd": {"cable": "a.cfg", "target": "b.tcl", "boot": "c.tcl"},
    "ssh": {"machines": ["aarch64"], "host": "pi"},
    "tcp": {"address": "pi:7700"},
}


@pytest.mark.parametrize("name", PROMISES)
def test_a_runner_says_what_its_figures_are_worth(name: str, toy: Toy) -> None:
    bundle = toy(target="toy", runners={name: OPTIONS.get(name, {})})
    caps = create(name, bundle).caps
    assert (caps.timing, caps.kind, caps.slow, caps.sends) == PROMISES[name]


def test_every_runner_has_its_promise() -> None:
    assert set(PROMISES) == set(BUILTIN)
    assert Caps() == Caps(timing="none", kind="none", slow=1, sends=False)


@pytest.mark.parametrize("name", ["gap8_sim", "gvsoc", "register_model"])
def test_the_twin_s_image_does_not_run_where_the_board_s_own_does(name: str, toy: Toy) -> None:
    bundle = toy(runners={name: OPTIONS.get(name, {})})
    with pytest.raises(UsageError, match=f"toy-twin, which does not run in {name}") as caught:
        create(name, bundle)
    assert caught.value.hints == ("build for the board itself: deployer run --board toy toy.onnx",)


@pytest.mark.parametrize(
    ("icount", "clock"), [(0, "shift=0"), (6, "shift=6"), ("shift=6,sleep=off",) * 2]
)
def test_counting_is_asked_for_in_qemu_s_words(
    icount: int | str, clock: str, toy: Toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "fake-qemu"
    program.write_text('#!/bin/sh\necho "$@" > "$0.log"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    options = {**EMULATOR, "args": ["-M", "toy"], "icount": icount}
    bundle = toy(runners={"qemu_system": options})
    for more, plugin in (({}, []), ({"plugin": "lib.so,a=b"}, ["-plugin", "lib.so,a=b"])):
        with create("qemu_system", bundle, **more) as runner:
            assert (runner.caps.timing, runner.caps.kind) == ("instructions", "counted")
            runner.load(bundle)
            assert runner.open().read(1, 10) == b""
        words = (tmp_path / "fake-qemu.log").read_text().split()
        console = ["-display", "none", "-monitor", "none", "-serial", "stdio", "-no-reboot"]
        end = ["-icount", clock, "-kernel", str(bundle.firmware.absolute())]
        assert words == ["-M", "toy", *plugin, *console, *end]


def test_a_machine_without_a_clock_has_none() -> None:
    plain = machine("qemu", ["-M", "x"], "image")
    assert plain[-3:] == ["-no-reboot", "-kernel", "image"]


def test_gvsoc_s_command_lines_are_whole(tmp_path: Path) -> None:
    watched = ["/usr/bin/timeout", "--kill-after=5", "3600", "/usr/bin/stdbuf", "-oL"]
    elf = tmp_path / "a.elf"
    line = command(elf, "F", gapy="gapy", settings=["a/b=1"])
    assert [Path(part).name if "/usr" in part else part for part in line] == [
        *(Path(part).name if "/usr" in part else part for part in watched),
        *("gapy", "--target=gapuino_v3", "--platform=gvsoc", "--work-dir=F"),
        *("--config-opt=a/b=1", "run", "--image", "--flash", "--exec-prepare", "--exec"),
        f"--binary={elf}",
    ]
    line = open_command(elf, "F", gvsoc="gvsoc", target="pulp-open", limit=7)
    assert line[1:3] == ["--kill-after=5", "7"]
    assert line[5:] == [
        *("gvsoc", "--target=pulp-open", f"--binary={elf}", "--work-dir=F"),
        *("image", "flash", "run"),
    ]


@pytest.mark.parametrize("size", [gvsoc.FLASH_DATA, gvsoc.FLASH_DATA + 1])
def test_a_flash_image_that_leaves_no_room_is_refused(
    size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Data begins at 1 MiB, behind what boots."""
    from deployer_hil.runners.gvsoc import _fill_flash

    assert gvsoc.FLASH_DATA == 1 << 20
    path = tmp_path / gvsoc.FLASH_IMAGE
    path.write_bytes(b"\1" * size)
    if size > gvsoc.FLASH_DATA:
        with pytest.raises(BenchError, match="made no flash image that leaves room") as caught:
            _fill_flash(["true"], tmp_path, b"weights")
        assert caught.value.why == ("status 0",)
        return
    _fill_flash(["true", "--exec"], tmp_path, b"weights")
    assert path.read_bytes() == b"\1" * size + b"weights"


def test_no_flash_image_at_all_shows_the_last_words(tmp_path: Path) -> None:
    from deployer_hil.runners.gvsoc import _fill_flash

    said = "import sys; sys.exit('\\n'.join(map(str, range(9))))"
    with pytest.raises(BenchError) as caught:
        _fill_flash([sys.executable, "-SEc", said], tmp_path, b"weights")
    assert caught.value.why == ("status 1", "4", "5", "6", "7", "8")


def test_the_commands_without_a_board_name_the_model(toy: Toy) -> None:
    bundle = toy()
    assert emulated_by(bundle, None) == "deployer run --board toy toy.onnx"
    assert emulated_by(bundle, "my net.onnx") == "deployer run --board toy 'my net.onnx'"


def test_objects_are_loaded_by_name() -> None:
    assert load_object("deployer_hil.runner:create") is create
    assert find("host") is load_object(BUILTIN["host"])
    for wrong in ("deployer_hil.runner", "deployer_hil.runner:no", ":x", "no_such:x"):
        with pytest.raises(UsageError, match=f"cannot load '{wrong}'"):
            load_object(wrong)


def test_the_register_model_is_a_program_of_its_own(toy: Toy) -> None:
    pytest.importorskip("unicorn")
    from deployer_hil.runners.register_model import _command

    bundle = toy(target="toy")
    firmware = str(bundle.firmware.absolute())
    assert _command(bundle) == [sys.executable, "-m", "deployer_hil.register_model", firmware]
    assert create("register_model", bundle).tool == f"unicorn {version('unicorn')}"


def test_a_missing_unicorn_is_named(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    bundle = toy(target="toy")
    with pytest.raises(BenchError, match="unicorn, which emulates the core") as caught:
        create("register_model", bundle).load(bundle)
    assert caught.value.hints[0] == "pip install unicorn"


def test_the_simulator_gets_what_lies_behind_l2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deployer_hil.runners.gap8_sim.simulator", lambda: Path("/sim"))
    plain = make_bundle(tmp_path / "plain", runners={"gap8_sim": {}}, target="toy")
    seen: list[list[str]] = []
    for outer in (None, Path("/weights")):
        loaded = SimpleNamespace(outer=outer, firmware=Path("/image"))
        seen.append(create("gap8_sim", plain)._command(loaded))  # type: ignore[attr-defined]
    assert seen == [["/sim", "/image"], ["/sim", "--l3", "/weights", "/image"]]


def program(folder: Path, text: str) -> str:
    path = folder / "program"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("echo ' v1 '; echo v2", "v1"),
        ("echo v3 >&2", "v3"),
        ("echo v4; exit 1", ""),
        ("exit 0", ""),
        ("printf '\\377'", ""),
    ],
)
def test_a_version_is_the_first_line_of_a_program_that_tells_it(
    tmp_path: Path, text: str, told: str
) -> None:
    assert version_line(program(tmp_path, text)) == told
    assert version_line(str(tmp_path / "absent")) == ""


def test_what_a_program_printed_and_how_it_ended(tmp_path: Path) -> None:
    command = [program(tmp_path, "pwd; printf 'x\\377' >&2; exit 3")]
    assert output_of(command, folder=tmp_path, seconds=60) == (3, f"{tmp_path}\nx\ufffd")


def test_the_last_words_are_ten_lines_of_the_last_bytes(tmp_path: Path) -> None:
    script = "i=0; while [ $i -lt 30 ]; do echo line $i >&2; echo >&2; i=$((i+1)); done; exit 4"
    line = start([program(tmp_path, script)])
    assert line.read(1, 10) == b""
    expected = [f"stderr: line {i}" for i in range(20, 30)]
    assert line.epitaph() == ("program ended with status 4", *expected)
    line.close()
    assert line.epitaph() == ("program ended with status 4",)
    script = "head -c 5000 /dev/zero | tr '\\0' x >&2"
    line = start([program(tmp_path, script)], name="it")
    assert line.read(1, 10) == b""
    assert line.epitaph() == ("it ended with status 0", "stderr: " + "x" * 100 + "…")
    line.close()


def test_only_the_last_4096_bytes_are_last_words(tmp_path: Path) -> None:
    script = "echo first >&2; head -c 4095 /dev/zero | tr '\\0' '\\n' >&2; exit 1"
    line = start([program(tmp_path, f"{script}")])
    assert line.read(1, 10) == b""
    assert line.epitaph() == ("program ended with status 1",)
    line.close()
    script = "echo first >&2; head -c 4090 /dev/zero | tr '\\0' '\\n' >&2; exit 1"
    line = start([program(tmp_path, script)])
    assert line.read(1, 10) == b""
    assert line.epitaph() == ("program ended with status 1", "stderr: first")
    line.close()


def test_a_program_that_still_runs_has_closed_its_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "_GRACE_SECONDS", 0.05)
    line = start([program(tmp_path, "exec >&-; exec sleep 60")])
    assert line.read(1, 10) == b""
    assert line.epitaph() == ("program closed its output",)
    line.close()


def test_an_interrupt_of_ours_reaches_the_program(tmp_path: Path) -> None:
    line = start([program(tmp_path, "exec sleep 60")])
    child = line._peer._child  # type: ignore[attr-defined]
    assert os.getpgid(child.pid) == os.getpgid(0)
    line.close()


def test_a_program_that_cannot_start_says_why(tmp_path: Path) -> None:
    path = tmp_path / "program"
    path.write_text("no program")
    with pytest.raises(BenchError, match=f"cannot start {path}") as caught:
        start([str(path)])
    assert caught.value.why == (os.strerror(errno.EACCES),)
    assert caught.value.hints == ("is it built for this machine, and executable?",)


@pytest.mark.parametrize("code", sorted(stream._GONE))
def test_a_line_that_is_gone_has_ended_and_any_other_trouble_is_told(code: int) -> None:
    assert stream._nothing_if_gone(OSError(code, "")) == b""
    with pytest.raises(BenchError, match="the line to the device failed") as caught:
        stream._nothing_if_gone(OSError(errno.ENOMEM, "no memory"))
    assert caught.value.why == (f"[Errno {errno.ENOMEM}] no memory",)


@pytest.mark.parametrize(("size", "seconds"), [(64, 20), (100_000, 30), (400_000, 60)])
def test_openocd_has_twenty_seconds_and_one_for_each_ten_thousand_bytes(
    size: int, seconds: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openocd, "output_of", lambda command, folder, seconds: (None, ""))
    found = openocd.Openocd("openocd", tmp_path, (tmp_path, tmp_path))
    loader = openocd.OpenocdLoader(lambda: found)
    loader.program(elf(tmp_path / "a", [(1, 0x1C000000, size)], entry=0x1C000000))
    with pytest.raises(BenchError, match=f"had not loaded the image after {seconds} s"):
        loader.reset()


def test_openocd_s_words_are_the_last_eight_errors_or_lines() -> None:
    lines = [f"line {i}" for i in range(12)]
    told = trouble(2, "\n\n".join(lines), cable="x")
    assert told.what == "OpenOCD ended with status 2 before the image ran"
    assert told.why == tuple(f"OpenOCD: {line}" for line in lines[4:])
    told = hung(2.4, "Info: a\n  Error: b\nerror: c\nwarning: error")
    assert told.what == "OpenOCD had not loaded the image after 2 s and was ended"
    assert told.why == ("OpenOCD:   Error: b", "OpenOCD: error: c")
    assert hung(2, "").why == ("OpenOCD printed nothing",)


def elf(path: Path, segments: list[tuple[int, int, int]], *, entry: int = 100) -> Path:
    """A RISC-V executable of (kind, address, size), its bytes at the end."""
    ident = b"\x7fELF\x01\x01\x01".ljust(16, b"\0")
    head = struct.pack(
        "<16sHHIIIIIHHHHHH", ident, 2, 243, 1, entry, 52, 0, 0, 52, 32, len(segments), 0, 0, 0
    )
    at = 52 + 32 * len(segments)
    rows = [struct.pack("<8I", kind, at, 7, to, size, size, 5, 4) for kind, to, size in segments]
    path.write_bytes(head + b"".join(rows) + bytes(max(size for *_, size in segments)))
    return path


MEMORY = range(100, 164)


@pytest.mark.parametrize(
    ("segments", "size"), [([(1, 100, 64)], 64), ([(1, 100, 1), (4, 0, 9), (1, 163, 1)], 2)]
)
def test_an_image_may_fill_its_memory(
    segments: list[tuple[int, int, int]], size: int, tmp_path: Path
) -> None:
    for entry in (100, 163):
        image = read_image(elf(tmp_path / "a", segments, entry=entry), memory=MEMORY)
        assert (image.entry, image.bytes) == (entry, size)


@pytest.mark.parametrize(
    ("segments", "entry", "told"),
    [
        ([(1, 99, 1)], 100, "does not fit where it would be loaded"),
        ([(1, 100, 65)], 100, "does not fit where it would be loaded"),
        ([(1, 100, 4)], 99, "starts at 0x63, outside"),
        ([(1, 100, 4)], 164, "starts at 0xa4, outside"),
        ([(4, 100, 4)], 100, "is no 32-bit RISC-V executable"),
    ],
)
def test_an_image_beside_its_memory_is_refused(
    segments: list[tuple[int, int, int]], entry: int, told: str, tmp_path: Path
) -> None:
    with pytest.raises(BenchError, match=told):
        read_image(elf(tmp_path / "a", segments, entry=entry), memory=MEMORY)


def test_an_image_that_was_cut_is_refused(tmp_path: Path) -> None:
    path = elf(tmp_path / "a", [(1, 100, 8)])
    read_image(path, memory=MEMORY)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(BenchError, match="is no 32-bit RISC-V executable") as caught:
        read_image(path, memory=MEMORY)
    assert caught.value.hints == ("build it again",)
