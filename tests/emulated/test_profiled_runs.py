"""The profiler on real firmware: what it counts is what the emulator counts, every time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from branching import branching
from deployer.board.load import load_board, load_twin
from deployer.bundle import Bundle
from deployer.errors import BenchError
from deployer.pipeline.job import make_job
from deployer.pipeline.options import Options
from deployer.pipeline.stages import execute, open_store
from deployer.tools.timing.estimate import estimate, unknown_mnemonics
from deployer.tools.timing.machine import Machine, machine_of
from deployer.tools.timing.plugin import plugin
from deployer.tools.timing.profile import Profile, profile
from deployer_hil.measure import prove
from deployer_hil.runner import create

BOARD, PREFIX = "nucleo-f767zi", "arm-none-eabi-"


@pytest.fixture(scope="module")
def machine() -> Machine:
    board = load_board(BOARD)
    return machine_of(board, load_twin(board, "qemu_system"))


@pytest.fixture(scope="module")
def tools(tool: Callable[[str], str]) -> None:
    for program in ("gcc", "arm-none-eabi-gcc", "qemu-system-arm"):
        tool(program)


@pytest.fixture(scope="module")
def residual(tools: None, built: Callable[..., Bundle]) -> Bundle:
    return built(BOARD, "residual_net")


@pytest.fixture(scope="module")
def found(residual: Bundle, machine: Machine) -> Profile:
    return profile(residual, machine, prefix=PREFIX)


def _counted(bundle: Bundle) -> list[int]:
    with create("qemu_system", bundle) as runner:
        record = prove(bundle, runner, samples=1)
    assert record.counts_agree
    return [layer.count or 0 for layer in record.layers]


def _harness(bundle: Bundle, found: Profile) -> set[int]:
    """What the emulator counts beyond the profiler, of each step."""
    pairs = zip(_counted(bundle), found.steps, strict=True)
    return {counted - step.counts.instructions for counted, step in pairs}


def test_every_step_has_the_instructions_the_emulator_counts(
    residual: Bundle, found: Profile
) -> None:
    """But for those between the harness reading its counter and the step, the same every time."""
    harness = _harness(residual, found)
    assert len(harness) == 1
    assert 0 < harness.pop() < 20


def test_blocks_hold_every_instruction(found: Profile) -> None:
    for step in found.steps:
        held = sum(len(block.instructions) * block.count for block in step.blocks)
        assert held == step.counts.instructions


def test_two_runs_count_the_same(residual: Bundle, found: Profile, machine: Machine) -> None:
    again = profile(residual, machine, prefix=PREFIX)
    assert [step.counts for step in again.steps] == [step.counts for step in found.steps]


def test_a_cold_run_misses_more_and_executes_the_same(
    residual: Bundle, found: Profile, machine: Machine
) -> None:
    cold = profile(residual, machine, prefix=PREFIX, warm=False)
    for one, other in zip(cold.steps, found.steps, strict=True):
        executed = [[(b.address, b.count) for b in each.blocks] for each in (one, other)]
        assert executed[0] == executed[1]
    misses = [
        sum(step.counts.data_misses + step.counts.fetch_misses for step in run.steps)
        for run in (cold, found)
    ]
    assert misses[0] > misses[1]


def test_smaller_caches_miss_more(residual: Bundle, found: Profile, machine: Machine) -> None:
    """Those of an STM32F746."""
    small = replace(machine.data, size=4096)
    other = replace(machine, data=small, code=replace(machine.code, size=4096))
    run = profile(residual, other, prefix=PREFIX)
    for kind in ("data_misses", "fetch_misses"):
        now, then = (sum(getattr(s.counts, kind) for s in p.steps) for p in (run, found))
        assert now > then


def test_an_estimate_is_the_pipeline_and_its_memory(found: Profile, machine: Machine) -> None:
    assert unknown_mnemonics(found.steps) == ()
    for step in estimate(found, machine):
        assert step.instructions / 2 <= step.core <= 6 * step.instructions
        assert step.core == pytest.approx(sum(cycles for _, cycles in step.functions))
        assert 0 < step.loop.cycles * step.loop.count <= step.core
        assert step.loop.function in dict(step.functions)
        costs = machine.costs
        events = (step.mispredicted, step.data_misses, step.fetch_misses)
        each = (costs.misprediction, costs.data_miss, costs.fetch_miss)
        assert step.memory == pytest.approx(sum(n * c for n, c in zip(events, each, strict=True)))


def test_layers_that_run_piece_by_piece_are_profiled(
    tools: None, tmp_path: Path, machine: Machine
) -> None:
    model = tmp_path / "net.onnx"
    model.write_bytes(b"the graph stands in for the imported file")
    options = Options(golden_samples=1, bias_correction="off", equalize="off", optimize="ram")
    job = make_job(model, BOARD, options=options, output=tmp_path)
    open_store(job).put("import", branching())
    bundle: Bundle = execute(job, first="quantize").get("build")
    assert bundle.manifest["restructured"]["regions"]
    run = profile(bundle, machine, prefix=PREFIX)
    assert len(run.steps) == len(bundle.manifest["steps"])
    assert len(_harness(bundle, run)) == 1


def test_a_wrong_result_is_not_profiled(residual: Bundle, machine: Machine) -> None:
    golden = {**residual.golden, "crc": residual.golden["crc"] + 1}
    wrong = Bundle(residual.path, residual.manifest)
    object.__setattr__(wrong, "golden", golden)
    with pytest.raises(BenchError, match="not golden"):
        profile(wrong, machine, prefix=PREFIX)


def test_the_plugin_is_compiled_once(tool: Callable[[str], str], tmp_path: Path) -> None:
    tool("gcc")
    first = plugin(tmp_path)
    stamp = first.stat().st_mtime_ns
    assert plugin(tmp_path) == first
    assert first.stat().st_mtime_ns == stamp
    assert [path.name for path in tmp_path.iterdir()] == [first.name]


def test_without_a_compiler_the_plugin_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BenchError, match="install gcc"):
        plugin(tmp_path / "cache")
