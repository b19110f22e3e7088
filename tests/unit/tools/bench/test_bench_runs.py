"""What tables make of stages, devices and tools, with those of nobody in their place."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from deployer.errors import BenchError, UsageError
from deployer.ir.plan import Schedule, Step
from deployer.pipeline.job import Job, make_job
from deployer.pipeline.options import Options
from deployer.tools.bench import board_time, cost_runs, model_time
from deployer.tools.bench.cmsis_nn import Peer
from deployer.tools.bench.peer_rows import footnotes, layer_cells, network_cells, with_peer
from deployer_hil.cycles import Cycles
from deployer_hil.throughput import Load
from unit.ir.nets import Net
from unit.tools.bench.timed_nets import layer
from unit.tools.timing.measured import MACHINE


def schedule() -> Schedule:
    net = Net("net")
    x = net.conv(net.input(1, 4, 4, 2), 3, 3, name="conv")
    graph = net.graph(net.add(x, x, name="sum"))
    steps = tuple(Step(i, node.name, "dpl_any") for i, node in enumerate(graph.nodes))
    return Schedule(graph, steps, 0)


STEPS = [
    {"name": "conv", "op": "Conv2d", "kernel": "dpl_conv", "macs": 864, "shape": [1, 4, 4, 3],
     "weight_bytes": 400, "copied_bytes": 100},
    {"name": "sum", "op": "Add", "kernel": "dpl_add", "macs": 0, "shape": [1, 4, 4, 3],
     "weight_bytes": 0, "copied_bytes": 0},
]  # fmt: skip
MANIFEST: dict[str, Any] = {
    "model": {"name": "net", "sha256": "ab"},
    "steps": STEPS,
    "toolchain": {"compiler": "a compiler", "flags": ["-O2", "-g"]},
}


class Store:
    """Of a job whose stages are done; ``put`` holds what was put by hand."""

    def __init__(self) -> None:
        self.put_by_hand: list[str] = []
        self.image = SimpleNamespace(manifest=MANIFEST, firmware=Path("firmware.elf"))

    def get(self, stage: str) -> Any:
        return {"schedule": schedule(), "build": self.image}[stage]

    def put(self, stage: str, artifact: Any) -> None:
        self.put_by_hand.append(stage)


@contextmanager
def device(*given: Any, **options: Any) -> Any:
    yield SimpleNamespace(options=options)


def job(tmp_path: Path, board: str = "gap8") -> Job:
    return make_job(tmp_path / "net.onnx", board, options=Options())


def record(**changes: Any) -> SimpleNamespace:
    golden = SimpleNamespace(match=True, first_layer="")
    rows = [SimpleNamespace(count=count) for count in (700, None)]
    fields = {"kind": "counted", "golden": golden, "layers": rows, "target": "t", "tool": "x"}
    return SimpleNamespace(**{**fields, **changes})


def counted(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    found: Any,
    board: str = "gap8",
    **changes: Any,
) -> Any:
    store = Store()
    patches = {
        "open_store": lambda job: store,
        "execute": lambda job, first: store,
        "create": device,
        "prove": lambda bundle, device: found,
        **changes,
    }
    for name, value in patches.items():
        monkeypatch.setattr(cost_runs, name, value)
    run = cost_runs.count_launches(job(tmp_path, board), schedule().graph)
    assert store.put_by_hand == ["restructure"]
    return run


def test_every_launch_is_counted_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run = counted(monkeypatch, tmp_path, record())
    assert [(c.launch.output, c.count, c.cycles) for c in run.counted] == [
        ("conv_out", 700, 0.0), ("sum_out", 0, 0.0),
    ]  # fmt: skip
    assert (run.target, run.tool, run.compiler) == ("t", "x", "a compiler")


def test_launches_have_the_cycles_of_the_core_where_the_board_has_a_pipeline(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    times = [SimpleNamespace(index=1, core=12.5, instructions=30)]
    pipeline = {
        "profile": lambda bundle, machine, prefix, warm: SimpleNamespace(warm=warm),
        "estimate": lambda found, costs: [] if found.warm else times,
    }
    run = counted(monkeypatch, tmp_path, record(), board="nucleo-f767zi", **pipeline)
    assert [each.cycles for each in run.counted] == [0.0, 12.5]
    assert [each.count for each in run.counted] == [700, 30]  # the profiler's, where no other is


def test_counts_of_a_run_that_is_not_exact_are_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    wrong = SimpleNamespace(match=False, first_layer="conv")
    with pytest.raises(BenchError, match="net is not exact: conv"):
        counted(monkeypatch, tmp_path, record(golden=wrong))


def test_a_runner_that_does_not_count_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="of gap8 counts no instructions") as caught:
        counted(monkeypatch, tmp_path, record(kind="none"))
    assert caught.value.hints == ("a board with an emulated twin: nucleo-f767zi, gap8",)


@contextmanager
def alone(job: Job) -> Any:
    yield


def test_a_board_s_own_counter_is_read_cold_and_warm(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    given: list[int] = []

    def measured(bundle: Any, device: Any, *, clock_hz: int) -> Cycles:
        given.append(clock_hz)
        assert device.options == {"port": "here"}
        return Cycles(cold=(90, 80), warm=(50, 40), tool="a probe", caps={"icache": "on"})

    for name, value in {
        "alone": alone, "execute": lambda job: Store(), "create": device,
        "measure_cycles": measured, "measure_throughput": lambda *given, **named: given[-1],
    }.items():  # fmt: skip
        monkeypatch.setattr(board_time, name, value)
    found = board_time.measure_model(job(tmp_path), {"port": "here"}, Load(7, 1))
    assert (found.throughput, found.energy, found.mac_cycles) == (Load(7, 1), None, None)
    rows = [(row.name, row.cold, row.warm, row.elements) for row in found.layers]
    assert rows == [("conv", 90, 50, 48), ("sum", 80, 40, 48)]
    assert found.total == {"cold": 170, "warm": 90}
    assert (found.macs, found.flags, found.tool) == (864, ("-O2", "-g"), "a probe")
    assert (found.name, found.sha256, found.compiler) == ("net", "ab", "a compiler")
    assert given == [job(tmp_path).board.clock_hz] == [found.clock_hz]
    assert "4x4" in found.layers[0].geometry


def timed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str = "", **machine: Any) -> Any:
    steps = tuple(layer(index, 100).time for index in range(2))
    for patched, value in {
        "alone": alone, "execute": lambda job: Store(),
        "profile": lambda bundle, machine, prefix: SimpleNamespace(tool="an emulator", steps=steps),
        "estimate": lambda found, costs: found.steps,
        "unknown_mnemonics": lambda steps, pipeline: ("frobnicate",),
        "by_symbol": lambda symbol: SimpleNamespace(sources=(f"{symbol}.c",)),
        "kernel_bytes": lambda firmware, sources, prefix: 1000 * len(sources),
    }.items():  # fmt: skip
        monkeypatch.setattr(model_time, patched, value)
    given = job(tmp_path, "nucleo-f767zi")
    return model_time.time_model(given, replace(MACHINE, **machine), name=name)


def test_a_model_is_timed_by_its_launches(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = timed(monkeypatch, tmp_path)
    conv, total = found.layers
    assert [(each.name, each.op, each.elements) for each in (conv, total)] == [
        ("conv", "Conv2d", 48), ("sum", "Add", 48),
    ]  # fmt: skip
    assert (conv.floor, total.floor) == (432.0, None)  # the weights stay in the cache
    assert (found.name, found.macs, found.unknown) == ("net", 864, ("frobnicate",))
    assert (found.tool, found.kernel_bytes, found.flags) == ("an emulator", 1000, ("-O2", "-g"))
    assert timed(monkeypatch, tmp_path, name="other").name == "other"
    facts = found.facts
    assert (facts["layers"][0]["name"], facts["layers"][0]["floor"]) == ("conv", 432.0)
    assert [row["cycles"] for row in facts["layers"]] == [150.0, 150.0]
    totals = facts["total"]
    assert totals == {"instructions": 200, "core": 100.0, "cycles": 300.0, "floor": 432.0}


@pytest.mark.parametrize(
    ("size", "tight", "floor"),  # of tight memory the ends, from where the weights begin
    [
        (400, (0, 0), 432.0),  # all stay
        (399, (0, 0), 3000.0),  # 300 bytes are read
        (399, (0, 1), 432.0),  # none misses
        (399, (-1, 0), 3000.0),
        (399, (1, 2), 3000.0),
    ],
)
def test_weights_that_are_read_in_every_inference_bound_it(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    size: int,
    tight: tuple[int, int],
    floor: float,
) -> None:
    target = job(tmp_path, "nucleo-f767zi").target
    base = target.memory(target.place.weights).base
    tight = (base + tight[0], base + tight[1])
    data = replace(MACHINE.data, size=size, line=4)
    costs = replace(MACHINE.costs, data_miss=40.0)
    found = timed(monkeypatch, tmp_path, data=data, costs=costs, tight=tight)
    assert found.layers[0].floor == pytest.approx(floor)


def test_peers_stand_beside_the_layers_that_both_have() -> None:
    rows = [
        {"op": "Conv2d", "macs": 864, "elements": 48, "instructions": 1000, "core": 500.0,
         "cycles": 700.0},
        {"op": "Add", "macs": 0, "elements": 48, "instructions": 90, "core": 50.0, "cycles": 60.0},
    ]  # fmt: skip
    times = {"conv": layer(0, 2000).time}
    found = with_peer({"name": "net", "layers": rows}, schedule(), Peer(times, "single"))
    ours = {"instructions": 1000, "core": 500.0, "cycles": 700.0}
    theirs = {"instructions": 2000, "core": 1000.0, "cycles": 1100.0}
    assert found["against"] == {
        "rounding": "single", "layers": 1, "macs": 864, "ours": ours, "theirs": theirs,
        "left_out": ["Add"],
    }  # fmt: skip
    assert [row["against"] for row in found["layers"]] == [theirs, None]
    cells = layer_cells(found["layers"][0])
    assert cells == ["2.31", "1.27", "2.00x", "1.57x"]
    assert network_cells(found) == cells
    assert layer_cells(found["layers"][1]) == [""] * 4
    first, _, last = footnotes([found])
    assert "(single rounding)" in first
    assert last == "Not called of CMSIS-NN: Add."
    whole = {**found, "against": {**found["against"], "left_out": []}}
    assert len(footnotes([whole])) == 2


def test_every_operator_is_counted_in_every_way_it_can_run(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = schedule().graph
    quantized = SimpleNamespace(get=lambda stage: SimpleNamespace(graph=graph))
    counts: list[str] = []

    def count(job: Job, found: Any) -> cost_runs.Run:
        assert job.model.is_file()
        counts.append(job.model.stem)
        return cost_runs.Run((len(counts),), f"t{len(counts)}", "x", "c")  # type: ignore[arg-type]

    for name, value in {
        "operator_graphs": lambda: (replace(graph, name="one"), replace(graph, name="two")),
        "open_store": lambda job: Store(),
        "execute": lambda job, first, last: quantized,
        "rounds": lambda kernels, integer: (integer, integer),
        "variants": lambda part: (("whole", ()), ("rows", ())),
        "count_launches": count,
    }.items():
        monkeypatch.setattr(cost_runs, name, value)
    told: list[str] = []
    run = cost_runs.count_operators("gap8", board_dir=None, tell=told.append)
    assert run.counted == (1, 2, 3, 4, 5, 6, 7, 8)
    assert run.target == "t8"
    assert counts == ["one"] * 4 + ["two"] * 4
    assert told[:4] == [
        "one whole, kernels 0: 1 launches", "one rows, kernels 0: 1 launches",
        "one whole, kernels 1: 1 launches", "one rows, kernels 1: 1 launches",
    ]  # fmt: skip
