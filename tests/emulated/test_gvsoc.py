"""The firmware of GAP8 and our simulator of it against GVSoC, where that is installed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from deployer.bundle import Bundle
from deployer.simulator.gap8 import run
from deployer_hil.measure import prove
from deployer_hil.record import RunRecord
from deployer_hil.runner import create
from fakes.contract import CONTRACT, Check
from gvsoc_programs import run_in_gvsoc
from models import all_nets
from tests.emulated.gap8_programs import COMPILER, build

SOME = 8_000  # cycles; of a smaller layer what the caches have is a larger part, which is chance
# What eight cores make of each other at the banks, and code that a cache has in part.
LOOSE = {
    "matmul_own_banks": 0.1,
    "matmul_one_bank": 0.1,
    "straight_1024_one_again": 0.1,
    "straight_1280_one_again": 0.1,
}


@pytest.fixture(autouse=True)
def tools(tool: Callable[[str], str]) -> None:
    for name in (COMPILER, "gcc", "gvsoc"):
        tool(name)


@pytest.fixture
def bundle(built: Callable[..., Bundle]) -> Bundle:
    return built("gap8", "residual_net")


def proven(bundle: Bundle, name: str) -> RunRecord:
    with create(name, bundle) as runner:
        return prove(bundle, runner)


@pytest.mark.parametrize("check", CONTRACT, ids=lambda check: check.__name__)
def test_contract(check: Check, bundle: Bundle) -> None:
    with create("gvsoc", bundle) as runner:
        check(bundle, runner)


@pytest.mark.parametrize("net", all_nets())
def test_every_operator_is_bit_exact_and_takes_the_cycles_of_our_simulator(
    net: str, built: Callable[..., Bundle]
) -> None:
    bundle = built("gap8", net, softmax="device")
    theirs, ours = (proven(bundle, name) for name in ("gvsoc", "gap8_sim"))
    assert theirs.golden.match, theirs.golden
    for layer, own in zip(theirs.layers, ours.layers, strict=True):
        assert layer.count is not None
        error = 0.05 if layer.count > SOME else 0.1
        assert own.count == pytest.approx(layer.count, rel=error), layer.name


@pytest.mark.parametrize(
    "sources",
    [
        ("timing.c", "matmul.S"),
        ("cold.c",),
        ("fc.c",),
        ("given.c",),
        ("beside.c",),
        ("transfers.c",),
        ("hyperbus.c",),
        ("returns.c",),
    ],
)
def test_instructions_memories_transfers_and_fetches_take_the_same(
    sources: tuple[str, ...], tmp_path: Path
) -> None:
    elf = build(tmp_path, *sources)
    theirs, ours = (
        [line.split() for line in text.splitlines()]
        for text in (run_in_gvsoc(elf).stdout, run(elf, limit=20_000_000).output)
    )
    assert len(theirs) == len(ours) >= 4
    for (name, cycles), (own_name, own) in zip(theirs, ours, strict=True):
        assert own_name == name
        error = LOOSE.get(name, 0.06)
        assert int(own) == pytest.approx(int(cycles), rel=error, abs=13), name


@pytest.mark.parametrize("sources", [("control.c", "control.S"), ("integers.c",)])
def test_programs_print_the_same(sources: tuple[str, ...], tmp_path: Path) -> None:
    elf = build(tmp_path, *sources)
    assert run_in_gvsoc(elf).stdout == run(elf, limit=50_000_000).output
