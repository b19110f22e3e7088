"""What the ports that ship state of themselves, against the manuals and the rig."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from deployer.board.port import ANY, FILE, load_port
from deployer.errors import UsageError
from deployer.resources import data_root
from deployer_hil.register_model import chip as model
from deployer_hil.runners import gvsoc, probed

PORTS = sorted(path.parent.name for path in (data_root() / "firmware/ports").glob("*/port.c"))
KIB = 1024


@pytest.fixture
def stated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], Path]:
    """Makes the file of port stm32f7 in a copy say something else, and gives its path."""
    ports = tmp_path / "firmware" / "ports"
    shutil.copytree(data_root() / "firmware" / "ports", ports)
    monkeypatch.setattr("deployer.board.port.data_root", lambda: tmp_path)

    def edit(old: str, new: str) -> Path:
        path = ports / "stm32f7" / FILE
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))
        return path

    return edit


@pytest.mark.parametrize("name", PORTS)
def test_a_port_that_ships_states_what_it_serves(name: str) -> None:
    port = load_port(name)
    assert port.chips
    assert port.console.device
    assert all(chip.clocks_hz or chip.name == ANY for chip in port.chips)
    assert not port.linker or (data_root() / "boards" / port.linker).is_file()


def test_memories_of_the_stm32f767_are_those_of_its_manual() -> None:
    """RM0410, 2.2 and 3.3: base and bytes of AXI flash, DTCM, SRAM1 with SRAM2, ITCM."""
    chip = load_port("stm32f7").chip("stm32f767zi")
    assert chip is not None
    assert {m.name: (m.base, m.size) for m in chip.memories} == {
        "flash": (0x0800_0000, 2048 * KIB),
        "dtcm": (0x2000_0000, 128 * KIB),
        "sram": (0x2002_0000, 368 * KIB + 16 * KIB),
        "itcm": (0, 16 * KIB),
    }


def test_the_register_model_is_of_the_chip_that_the_port_serves() -> None:
    chip = load_port("stm32f7").chip("stm32f767zi")
    assert chip is not None
    assert model.CLOCK_HZ in chip.clocks_hz
    ranges = {memory.name: range(memory.base, memory.end) for memory in chip.memories}
    assert (ranges["itcm"], ranges["flash"]) == (model._ITCM, model._FLASH)
    assert ranges["dtcm"].start == model._RAM.start
    assert ranges["sram"].stop == model._RAM.stop


def test_probes_talk_at_the_rate_of_the_ports_consoles() -> None:
    rates = {load_port(name).console.baud for name in PORTS} - {0}
    assert rates == {probed.BAUD}
    assert b"DPLBAUD\0" + probed.BAUD.to_bytes(4, "little") == gvsoc.STAND_IN.image


def test_ranges_that_the_mpu_covers_whole_can_be_a_region() -> None:
    """ARMv7-M: a region has a power of two bytes and begins at a multiple of it."""
    covered = {"stm32f7": ("itcm",), "mps2": ("itcm", "sram")}
    for port, names in covered.items():
        (chip,) = load_port(port).chips
        for memory in (m for m in chip.memories if m.name in names):
            assert memory.size & (memory.size - 1) == 0
            assert memory.base % memory.size == 0


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("schema           = 1", "schema = 2", "schema is 2"),
        ("cores            = [1]\n", "", "lacks the key 'cores'"),
        ("cores            = [1]", "cores = []", "cores is []"),
        ("clocks_hz", "clock_hz", "did you mean 'clocks_hz'?"),
        (
            "[54_000_000, 108_000_000, 168_000_000, 216_000_000]",
            '["fast"]',
            'chip[0].clocks_hz[0] is "fast"',
        ),
        ("needed = true", "needed = 1", "chip[0].memory[1].needed is 1"),
        ("[console]", "[consoles]", "did you mean 'console'?"),
        ('size   = "2MiB"', "size = 2", "chip[0].memory[0].size is 2"),
    ],
)
def test_a_mistake_in_a_ports_file_is_named(
    stated: Callable[[str, str], Path], old: str, new: str, said: str
) -> None:
    path = stated(old, new)
    with pytest.raises(UsageError) as caught:
        load_port("stm32f7")
    assert said in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_port_that_states_nothing_serves_nothing(stated: Callable[[str, str], Path]) -> None:
    stated("schema", "schema").unlink()
    with pytest.raises(UsageError, match=r"cannot read .*stm32f7/port\.toml"):
        load_port("stm32f7")
