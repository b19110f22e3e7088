"""Cycles of the simulator against those measured on the GAP8 model of GVSoC."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from deployer.simulator.gap8 import run
from tests.emulated.gap8_programs import COMPILER, build, reported

HUNDRED = {  # cycles of a hundred
    "alu": 100, "sdot": 100, "mac": 100, "mul": 100, "mul_chain": 200, "mulh": 500, "div": 3000,
    "jump": 200, "taken": 300, "not_taken": 100, "load": 100, "load_use": 300, "pointer_use": 300,
    "store": 100, "misaligned": 200, "l2": 2000, "soc": 2000, "event_unit": 100,
}  # fmt: skip
DMA = {  # bytes: into L1, out of L1
    8: (18, 18), 64: (24, 24), 256: (48, 48), 1024: (144, 150), 4096: (528, 546),
    16384: (2070, 2130), 32764: (4122, 4254),
}  # fmt: skip
LINES = {  # 64 of 32 bytes (odd: not at a word of L1), 256 of 4 bytes
    "dma_lines_in": 270, "dma_lines_out": 336, "dma_lines_odd": 336,
    "dma_small_lines_in": 270, "dma_small_lines_out": 528,
}  # fmt: skip
COLD = {  # words of code: cycles of the slowest core, by one core, by all; again by one, by all
    512: (2968, 840, 517, 517), 1024: (5912, 1656, 1428, 1067), 1280: (7384, 2064, 3698, 1608),
    2048: (11800, 3288, 10261, 3060),
}  # fmt: skip
FC = {  # the fabric controller's: cold, again
    "straight_128": (597, 142), "straight_256": (1141, 439), "straight_320": (1413, 867),
    "straight_1024": (4405, 4353), "own_memory": (189, 46), "l1": (541, 398), "l2": (445, 302),
    "cluster_register": (541, 398), "soc_register": (432, 302),
}  # fmt: skip
GIVEN = {  # by the fabric controller: cycles, more than a load takes, until the answer is seen
    "event": 54, "event_in_cold_code": 29, "transfer_256": 18, "transfer_1024": 114,
}  # fmt: skip
BESIDE = {  # eight cores beside transfers into L1, out of it, both
    "loads": 2116, "loads_in": 2187, "loads_out": 2192, "loads_both": 2262,
    "copies": 3167, "copies_in": 3247, "copies_out": 3233, "copies_both": 3275,
}  # fmt: skip
# bytes: write, read; the first with the code of both to be fetched
HYPERRAM = {64: (259, 207), 1024: (1159, 1173), 8192: (8327, 8341)}
A_LINE = 13  # cycles of the fabric controller
ASKED, A_TRANSFER = 51, 82  # cycles around a transfer until a poll ends; before its first byte


@pytest.fixture(autouse=True)
def tools(tool: Callable[[str], str]) -> None:
    for name in (COMPILER, "gcc"):
        tool(name)


@pytest.fixture(scope="module")
def cycles(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], dict[str, int]]:
    """What timing.c reports; run once, when the tools are known to be there."""
    kept: dict[str, int] = {}

    def measure() -> dict[str, int]:
        if not kept:
            elf = build(tmp_path_factory.mktemp("timing"), "timing.c", "matmul.S")
            kept.update(reported(run(elf, limit=5_000_000)))
        return kept

    return measure


Measured = Callable[[], dict[str, int]]


def test_instructions_and_memories(cycles: Measured) -> None:
    for name, expected in HUNDRED.items():
        assert cycles()[name] == pytest.approx(expected, abs=1), name


def test_banks_serve_one_core_a_cycle(cycles: Measured) -> None:
    assert cycles()["one_bank"] == pytest.approx(525, rel=0.05)
    assert cycles()["two_a_bank"] == pytest.approx(130, rel=0.05)
    assert cycles()["own_banks"] == pytest.approx(65, rel=0.05)


def test_a_barrier_where_all_wait(cycles: Measured) -> None:
    assert cycles()["barrier"] == pytest.approx(9, abs=1)


def test_dma_from_eight_bytes_to_all(cycles: Measured) -> None:
    for size, (into_l1, out) in DMA.items():
        assert cycles()[f"dma_in_{size}"] == pytest.approx(into_l1, rel=0.05, abs=1.1), size
        assert cycles()[f"dma_out_{size}"] == pytest.approx(out, rel=0.05, abs=1.1), size


def test_dma_of_lines(cycles: Measured) -> None:
    for name, expected in LINES.items():
        assert cycles()[name] == pytest.approx(expected, rel=0.05), name


def test_dma_of_both_directions_takes_no_longer_than_of_one(cycles: Measured) -> None:
    assert cycles()["dma_both_ways"] == pytest.approx(1148, rel=0.05)


def test_matmul(cycles: Measured) -> None:
    assert cycles()["matmul_one"] == pytest.approx(953, rel=0.05)
    assert cycles()["matmul_cold"] == pytest.approx(1295, rel=0.05)
    assert cycles()["wrong"] == 0


def test_matmul_of_eight_cores(cycles: Measured) -> None:
    """In one bank the first words of all pixels are worse than apart."""
    assert cycles()["matmul_own_banks"] == pytest.approx(1025, rel=0.08)
    assert cycles()["matmul_one_bank"] == pytest.approx(1255, rel=0.08)


def test_transfers_move_the_right_bytes_in_time(tmp_path: Path) -> None:
    got = reported(run(build(tmp_path, "transfers.c"), limit=5_000_000))
    wrong = {name: value for name, value in got.items() if name.endswith("_wrong")}
    assert len(wrong) == 7
    assert not any(wrong.values()), wrong
    assert (got["early"], got["both_busy"]) == (0, 0x30)
    for size, (write, read) in HYPERRAM.items():
        assert got[f"{size}_write"] == pytest.approx(write, rel=0.07), size
        assert got[f"{size}_read"] == pytest.approx(read, rel=0.07), size


def test_a_transfer_of_the_hyperbus_takes_its_set_up_and_a_cycle_a_byte(tmp_path: Path) -> None:
    """gapuino_v3: 72 cycles, 6 of command, 4 of states. A write begins 10 later, for its first
    word; it is done when its last has been read: with the first on its way, five before the last
    where the fifo's eight words do not hold all."""
    got = reported(run(build(tmp_path, "hyperbus.c"), limit=5_000_000))
    for size in (4, 16, 32, 36, 64, 1020, 1022, 4096, 8192):
        words = (size + 3) // 4
        sent = 4 * (words - 5) if words > 8 else 4
        assert got[f"read_{size}"] == pytest.approx(ASKED + A_TRANSFER + size, abs=1), size
        assert got[f"reads_{size}"] == pytest.approx(ASKED + 2 * (A_TRANSFER + size), abs=1), size
        assert got[f"write_{size}"] == pytest.approx(ASKED + A_TRANSFER + 10 + sent, abs=1), size


def test_code_that_the_cache_does_not_have_or_only_in_part(tmp_path: Path) -> None:
    """A line on its way to one core is at hand for the others; what goes is left to chance."""
    measured = reported(run(build(tmp_path, "cold.c"), limit=5_000_000))
    for words, expected in COLD.items():
        names = [f"straight_{words}_{case}" for case in ("one_cold", "all_cold")]
        names += [f"straight_{words}_{case}" for case in ("one_again", "all_again")]
        found = [measured[name] for name in names]
        assert found[:2] == pytest.approx(expected[:2], rel=0.05), words
        assert found[2:] == pytest.approx(expected[2:], rel=0.1), words


def test_the_fabric_controller_has_a_cache_of_its_own(tmp_path: Path) -> None:
    """1 KB, as GVSoC's."""
    measured = reported(run(build(tmp_path, "fc.c"), limit=5_000_000))
    for name, expected in FC.items():
        found = [measured[f"{name}_{case}"] for case in ("cold", "again")]
        assert found == pytest.approx(expected, rel=0.03, abs=13), name


def test_cores_and_dma_take_turns_at_the_banks(tmp_path: Path) -> None:
    """Whose step comes first decides, as in GVSoC."""
    found = reported(run(build(tmp_path, "beside.c"), limit=5_000_000))
    assert found == pytest.approx(BESIDE, rel=0.01)


def test_what_the_fabric_controller_gives_is_given_when_its_store_begins(tmp_path: Path) -> None:
    """As in GVSoC: what the store and the fetch of its code take comes after it."""
    found = reported(run(build(tmp_path, "given.c"), limit=20_000_000))
    assert found == pytest.approx(GIVEN, abs=1)


def test_a_short_instruction_at_the_end_of_a_line_brings_the_next(tmp_path: Path) -> None:
    """Four bytes are fetched, as in GVSoC: a nop more, and a line more."""
    measured = reported(run(build(tmp_path, "returns.c"), limit=5_000_000))
    for case, line in (("cold", A_LINE), ("again", 0)):
        before, at = (measured[f"{end}_{case}"] for end in ("before_the_end", "at_the_end"))
        assert at == before + 1 + line, case


def test_a_core_that_waits_for_code_does_not_hold_a_bank(tmp_path: Path) -> None:
    """256 stores of every core to one bank: what one waits is hidden behind the others' stores."""
    measured = reported(run(build(tmp_path, "cold.c"), limit=5_000_000))
    assert measured["stores_all_cold"] == pytest.approx(measured["stores_all_again"], rel=0.01)
