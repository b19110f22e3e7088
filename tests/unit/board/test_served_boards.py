"""Boards that their port does not serve are refused, each with what it states and what to do."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from deployer.board.load import board_folders, load_board
from deployer.board.port import FILE
from deployer.board.served import misfits, port_defines, require_rate, require_served
from deployer.choices import TilerName
from deployer.errors import UsageError
from deployer.resources import data_root
from deployer.tools.bench.tiles_setting import Setting, resized

SHIPPED = data_root() / "boards"
FILES = sorted(path.stem for folder in board_folders() for path in folder.glob("*.toml"))
H743 = (  # as its data sheet has it
    ("216_000_000", "400_000_000"),
    ("ST NUCLEO-F767ZI: STM32F767ZI", "ST NUCLEO-H743ZI: STM32H743ZI"),
    ("0x2002_0000", "0x2400_0000"),
    ('"384KiB"', '"512KiB"'),
    ('"16KiB"\naccess = "rx"', '"64KiB"\naccess = "rx"'),
)


def changed(folder: Path, name: str, *edits: tuple[str, str]) -> tuple[str, ...]:
    """Why the board ``name`` is not served once its file is edited."""
    text = (SHIPPED / f"{name}.toml").read_text()
    for old, new in edits:
        assert old in text
        text = text.replace(old, new, 1)
    (folder / f"{name}.toml").write_text(text)
    return misfits(load_board(name, folder))


@pytest.mark.parametrize("name", FILES)
def test_a_board_that_ships_is_served(name: str) -> None:
    require_served(load_board(name))


def test_another_chip_under_a_copied_file_is_refused_by_clock_and_memories(tmp_path: Path) -> None:
    assert changed(tmp_path, "nucleo-f767zi", *H743) == (
        "clock_hz is 400,000,000, the port sets"
        " 54,000,000 or 108,000,000 or 168,000,000 or 216,000,000",
        "memory sram is 0x24000000 to 0x24080000, 0x20020000 to 0x20080000 is served",
        "memory itcm is 0x0 to 0x10000, 0x0 to 0x4000 is served",
    )


def test_a_refusal_says_which_file_and_what_to_do(tmp_path: Path) -> None:
    changed(tmp_path, "nucleo-f767zi", ('"stm32f767zi"', '"stm32h743zi"'))
    with pytest.raises(UsageError) as caught:
        require_served(load_board("host"), load_board("nucleo-f767zi", tmp_path))
    assert caught.value.exit_status == 2
    assert str(tmp_path / "nucleo-f767zi.toml") in caught.value.what
    assert caught.value.why == ('chip is "stm32h743zi", it serves stm32f767zi',)
    said = " ".join(caught.value.hints)
    assert "copy firmware/ports/stm32f7 to firmware/ports/NAME" in said
    assert "port.toml what it serves" in said


def test_a_copied_port_that_states_the_chip_serves_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a refusal says to do, but for the registers."""
    copy = tmp_path / "firmware" / "ports" / "stm32h7"
    shutil.copytree(data_root() / "firmware" / "ports" / "stm32f7", copy)
    (tmp_path / "boards").symlink_to(SHIPPED)
    text = (copy / FILE).read_text()
    for old, new in (
        ("stm32f767zi", "stm32h743zi"),
        ("216_000_000", "400_000_000"),
        ("0x2002_0000", "0x2400_0000"),
        ('"384KiB"', '"512KiB"'),
        ('"16KiB"', '"64KiB"'),
    ):
        text = text.replace(old, new)
    (copy / FILE).write_text(text)
    for module in ("port", "sections"):
        monkeypatch.setattr(f"deployer.board.{module}.data_root", lambda: tmp_path)
    edits = (*H743, ('"stm32f767zi"', '"stm32h743zi"'), ('"stm32f7"', '"stm32h7"'))
    assert changed(tmp_path, "nucleo-f767zi", *edits) == ()


@pytest.mark.parametrize(
    ("name", "old", "new", "why"),
    [
        ("nucleo-f767zi", 'chip        = "stm32f767zi"\n', "", "chip is not stated, it serves"),
        ("nucleo-f767zi", "216_000_000", "200_000_000", "clock_hz is 200,000,000, the port sets"),
        ("nucleo-f767zi", "216_000_000", "0", "clock_hz is 0, the port sets 54,000,000 or"),
        ("nucleo-f767zi", '"cortex-m7"', '"cortex-m4"', 'core is "cortex-m4", stm32f767zi has'),
        ("nucleo-f767zi", "cortex-m.ld", "riscv.ld", 'linker is "link/riscv.ld.j2", the port is'),
        ("nucleo-f767zi", "115_200", "9601", "runners.pyocd.baud is 9,601, the port serves USART3"),
        ("nucleo-f767zi", '"2MiB"', '"4MiB"', "memory flash is 0x8000000 to 0x8400000, 0x8000000"),
        ("nucleo-f767zi", "0x0800_0000", "0x0020_0000", "memory flash is 0x200000 to 0x400000"),
        ("nucleo-f767zi", '"rx"  # written', '"rwx"  #', "memory itcm has access rwx, the port"),
        ("gap8", "175_000_000", "250_000_000", "clock_hz is 250,000,000, the port sets"),
        ("gap8", "cores       = 8", "cores       = 4", "cores is 4, the port runs 1 or 8"),
        (
            "gap8",
            "[runners.openocd]",
            "[runners.openocd]\nbaud = 19200",
            "serves UART of the uDMA at 9,600 or 57,600 or",
        ),
        ("gap8", '"-mabi=ilp32",', '"-DDPL_PULP_OPEN",', "toolchain.cflags has -DDPL_PULP_OPEN"),
        ("gap8", "level  = 2", "level  = 0", "memory l3 has level 0, no core addresses it"),
        ("gap8", '"64KiB"', '"128KiB"', "memory l1 is 0x10000000 to 0x10020000, 0x10000000 to"),
        ("gap8", "[runners.gvsoc]", "[runners.gvsoc]\nbaud = 57_600", None),
        ("pulp-open", ', "-DDPL_PULP_OPEN"', "", "toolchain.cflags lacks -DDPL_PULP_OPEN, which"),
        ("pulp-open", '"pulp-open"\ncore', '"gap8"\ncore', "toolchain.cflags has -DDPL_PULP_OPEN"),
        ("qemu-mps2-an500", "[runners.qemu_system]", "[runners.x]\nbaud = 9600", "without a rate"),
        ("qemu-mps2-an500", "0x0000_0000", "0x0000_1000", "memory flash begins at 0x1000, 0x0 is"),
        ("qemu-riscv32-virt", '"512KiB"', '"384KiB"', "memory l2 has 393,216 B at 0x80000000"),
        ("qemu-riscv32-virt", "cores       = 8", "cores       = 4", "cores is 4, the port runs 8"),
        ("qemu-riscv32-virt", "0x8080_0000", "0x8090_0000", "that divides its base"),
        ("rpi3", "1_200_000_000", "1_400_000_000", None),
        ("host", "clock_hz    = 0", 'chip = "x"\nclock_hz = 1', None),
        ("rpi3", '"1GiB"', '"512MiB"', None),
    ],
)
def test_what_the_port_does_not_serve_is_named(
    tmp_path: Path, name: str, old: str, new: str, why: str | None
) -> None:
    found = changed(tmp_path, name, (old, new))
    assert bool(found) == bool(why), found
    assert why is None or why in "\n".join(found)


@pytest.mark.parametrize(("name", "memory"), [("nucleo-f767zi", "dtcm"), ("rpi3", "ram")])
def test_a_memory_that_the_ports_c_names_has_that_name(
    tmp_path: Path, name: str, memory: str
) -> None:
    text = (SHIPPED / f"{name}.toml").read_text().replace(f'"{memory}"', '"store"')
    (tmp_path / f"{name}.toml").write_text(text)
    found = misfits(load_board(name, tmp_path))
    assert found[0].startswith("memory store is none the port knows: ")
    assert f"memory {memory} is not stated, the port names it" in found


def test_a_memory_larger_than_the_chips_is_served_where_it_is_explored() -> None:
    larger = resized(load_board("gap8"), Setting(TilerName.COST, 4 << 20, 400 << 10))
    assert misfits(larger, "gap8_sim") == ()
    found = misfits(larger, "gvsoc")
    assert [why.split(" is ")[0] for why in found] == ["memory l2", "memory l1"]
    assert found[1].endswith("is served, 409,600 B of it by gap8_sim alone")
    assert port_defines(larger)["DPL_L1_RANGE_BYTES"] == f"{400 << 10}u"
    beyond = resized(load_board("gap8"), Setting(TilerName.COST, None, 401 << 10))
    assert len(misfits(beyond, "gap8_sim")) == 1


def test_caches_of_other_lines_than_the_port_clears_are_refused(tmp_path: Path) -> None:
    edit = ("line = 32", "line = 64")
    found = changed(tmp_path, "nucleo-f767zi", edit, edit)
    assert found == ("timing has cache lines of 64 B, the port clears 32 B ones",)
    timing = re.search(r"\[timing\](.|\n)*?\n\n", (SHIPPED / "nucleo-f767zi.toml").read_text())
    assert timing
    table = re.sub('"(dtcm|itcm)"', '"l1"', timing[0])
    found = changed(tmp_path, "gap8", ("[stack]", f"{table}[stack]"))
    assert found == ("timing has caches, the port starts none",)


def test_a_smaller_part_of_each_memory_is_served(tmp_path: Path) -> None:
    edits = (("0x0800_0000", "0x0802_0000"), ('"2MiB"', '"1MiB"'), ('"384KiB"', '"100KiB"'))
    assert changed(tmp_path, "nucleo-f767zi", *edits) == ()


def test_the_ports_c_is_compiled_for_the_clock_and_console_that_are_stated() -> None:
    nucleo = port_defines(load_board("nucleo-f767zi"))
    assert (nucleo["DPL_CLOCK_HZ"], nucleo["DPL_BAUD"]) == ("216000000u", "115200u")
    assert (nucleo["DPL_ITCM_RANGE_BASE"], nucleo["DPL_ITCM_RANGE_BYTES"]) == ("0x0u", "16384u")
    assert nucleo["DPL_GUARD_BYTES"] == "256u"
    assert "DPL_BAUD" not in port_defines(load_board("qemu-riscv32-virt"))
    assert port_defines(load_board("rpi3")) == {}


@pytest.mark.parametrize(
    ("board", "runner", "baud"),
    [
        ("nucleo-f767zi", "pyocd", 0),
        ("nucleo-f767zi", "pyocd", 115_200),
        ("nucleo-f767zi", "pyocd", 2_000_000),
        ("gap8", "openocd", 115_200),
        ("gap8", "gvsoc", 2_000_000),  # which writes its rate into the image
    ],
)
def test_a_rate_of_the_console_is_taken(board: str, runner: str, baud: int) -> None:
    require_rate(load_board(board), runner, baud)


@pytest.mark.parametrize(
    ("board", "runner", "baud", "why"),
    [
        ("nucleo-f767zi", "pyocd", 921_601, "921,600 or 1,000,000 or 2,000,000 baud"),
        (
            "gap8",
            "openocd",
            -1,
            "serves UART of the uDMA at 9,600 or 57,600 or 115,200 or 230,400 or 460,800"
            " or 921,600 or 1,000,000 or 2,000,000 baud",
        ),
        ("rpi3", "pyocd", 9_600, "serves stdin and stdout without a rate"),
    ],
)
def test_a_rate_that_the_image_does_not_set_is_refused(
    board: str, runner: str, baud: int, why: str
) -> None:
    with pytest.raises(UsageError, match=f"no {baud:,} baud on the console of {board}") as caught:
        require_rate(load_board(board), runner, baud)
    assert caught.value.exit_status == 2
    (line,) = caught.value.why
    assert line.endswith(why)
    assert caught.value.hints[0] == "leave out --baud"
