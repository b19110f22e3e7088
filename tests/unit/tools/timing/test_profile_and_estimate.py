"""From a counted run to cycles of steps, with an emulator and a session that are not there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from deployer.errors import BenchError
from deployer.tools.timing.code_size import bytes_in
from deployer.tools.timing.counts import parse_counts
from deployer.tools.timing.disassembly import Program
from deployer.tools.timing.estimate import estimate
from deployer.tools.timing.profile import profile
from unit.tools.timing.loops import instructions
from unit.tools.timing.measured import MACHINE

module = import_module("deployer.tools.timing.profile")

CODE = "mov r0, r1; add r0, r0, #1; cmp r0, r2; bne #0; mov r3, r4; bx lr; nop"
PLACES = {4 * index: each for index, each in enumerate(instructions(CODE))}
SYMBOLS = {0: "step_0", 16: "step_2", 24: "dpl_port_counter"}
CRC = [11, 22, 33]
# region, instructions, loads, stores, mispredictions, misses of data and of code; then its blocks
RUN = ["R 0 40 3 2 5 7 2", "B 0 4 16 10 5", "R 1 2 0 0 1 0 3", "B 10 2 8 1 1"]


class Emulator:
    """Stands in for runner and session: writes what the plugin would."""

    tool = "qemu 1.2"

    def __init__(self) -> None:
        self.inferences = 0
        self.crc = list(CRC)
        self.lines = RUN
        self.plugin = ""

    def create(self, name: str, bundle: Any, *, plugin: str, icount: bool) -> Any:
        assert (name, icount) == ("qemu_system", False)
        self.plugin = plugin
        return self._opened(self)

    def connect(self, bundle: Any, runner: Any, *, timeouts: Any) -> Any:
        assert timeouts.run == 900
        return self._opened(self)

    @contextmanager
    def _opened(self, given: Any) -> Iterator[Any]:
        yield given

    def load(self, data: bytes) -> None:
        assert data == b"\1\2"

    def layers(self, count: int) -> list[Any]:
        self.inferences += 1
        out = Path(self.plugin)
        out.write_text("\n".join(self.lines * self.inferences))
        return [SimpleNamespace(crc=crc) for crc in self.crc[:count]]


@pytest.fixture
def emulator(monkeypatch: pytest.MonkeyPatch) -> Emulator:
    fake = Emulator()
    program = Program(PLACES, SYMBOLS)
    monkeypatch.setattr(module, "disassemble", lambda elf, objdump: program)
    monkeypatch.setattr(module, "create", fake.create)
    monkeypatch.setattr(module, "connect", fake.connect)

    def plugin(machine: Any, regions: Path, out: Path, *, begins: list[int], end: int) -> str:
        assert (begins, end) == ([0, 16], 24)
        return str(out)

    monkeypatch.setattr(module, "plugin_argument", plugin)
    return fake


def bundle() -> Any:
    steps = [{"kernel": "a"}, {"kernel": ""}, {"kernel": "b"}]
    golden = {"input": np.array([[1, 2], [3, 4]], np.int8), "crc": np.array([CRC, [4, 5, 6]])}
    return SimpleNamespace(
        firmware=Path("elf"), manifest={"steps": steps}, golden=golden, floats=False
    )


@pytest.mark.parametrize(("given", "inferences"), [({}, 2), ({"warm": False}, 1)])
def test_the_last_inference_counts(
    emulator: Emulator, given: dict[str, bool], inferences: int
) -> None:
    found = profile(bundle(), MACHINE, prefix="arm-", **given)
    assert emulator.inferences == inferences
    assert found.tool == "qemu 1.2"
    assert [step.index for step in found.steps] == [0, 1, 2]
    assert [step.counts.instructions for step in found.steps] == [40, 0, 2]
    assert [[b.count for b in step.blocks] for step in found.steps] == [[10], [], [1]]


def test_cycles_are_those_of_blocks_and_of_memory(emulator: Emulator) -> None:
    found = profile(bundle(), MACHINE, prefix="arm-")
    first, nothing, last = estimate(found, MACHINE)
    assert first.memory == 5 * 7.0 + 7 * 12.0 + 2 * 12.0
    assert (first.instructions, first.loads, first.stores) == (40, 3, 2)
    assert (first.mispredicted, first.data_misses, first.fetch_misses) == (5, 7, 2)
    assert first.core == first.loop.cycles * 10 == 20
    assert first.cycles == first.core + first.memory
    assert first.functions == (("step_0", first.core),)
    assert (first.loop.function, first.loop.count) == ("step_0", 10)
    assert first.loop.lines == ("mov r0, r1", "add r0, r0, #1", "cmp r0, r2", "bne #0")
    assert (nothing.cycles, nothing.functions, nothing.loop.lines) == (0, (), ())
    assert last.functions[0][0] == "step_2"
    assert last.memory == 1 * 7.0 + 3 * 12.0


def test_a_wrong_output_is_worth_nothing(emulator: Emulator) -> None:
    emulator.crc[2] = 0
    with pytest.raises(BenchError, match="not golden"):
        profile(bundle(), MACHINE, prefix="arm-")


def test_a_step_that_was_not_entered_is_told(emulator: Emulator) -> None:
    emulator.lines = ["R 0 40 3 2 5 7 2", "B 0 4 16 10 5"]
    with pytest.raises(BenchError, match="missed steps") as failed:
        profile(bundle(), MACHINE, prefix="arm-", warm=False)
    assert list(failed.value.why) == ["2 steps, entered: [0]"]


def test_instructions_that_are_not_in_the_image_are_told(emulator: Emulator) -> None:
    emulator.lines = [*RUN[:2], "R 1 9 0 0 1 0 3", "B 10 9 36 1 0"]
    with pytest.raises(BenchError, match="the disassembly lacks") as failed:
        profile(bundle(), MACHINE, prefix="arm-")
    assert list(failed.value.why) == ["in step 2"]


def test_counts_of_a_damaged_profile_are_refused() -> None:
    assert [run.region for run in parse_counts(RUN)] == [0, 1]
    with pytest.raises(BenchError, match="damaged"):
        parse_counts(["B 0 4 16 10 5"])
    with pytest.raises(BenchError, match="damaged"):
        parse_counts(["R 0 41 3 2 5 7 2", "B 0 4 16 10 5"])


def test_bytes_of_kernels_are_those_of_their_files() -> None:
    lines = [
        " 1: 00000000 0 FILE LOCAL DEFAULT ABS conv2d_s8__ref.c",
        " 2: 00000000 20 FUNC LOCAL DEFAULT 1 helper",
        " 3: 00000000 0x10 FUNC GLOBAL DEFAULT 1 dpl_conv2d_s8__ref",
        " 4: 00000000 99 OBJECT LOCAL DEFAULT 1 table",
        " 5: 00000000 0 FILE LOCAL DEFAULT ABS other.c",
        " 6: 00000000 50 FUNC LOCAL DEFAULT 1 helper",
        " 7: 00000000 70 FUNC GLOBAL DEFAULT 1 main",
        "no row of the table",
    ]
    assert bytes_in(lines, {"dpl_conv2d_s8__ref"}) == 36
