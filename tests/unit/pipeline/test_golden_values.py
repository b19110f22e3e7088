"""Golden bytes, agreement with the float network, and the facts of a report."""

from __future__ import annotations

import dataclasses
import zlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deployer.analysis.launch import launches
from deployer.board.load import load_board
from deployer.bundle import Bundle
from deployer.errors import BenchError, UsageError
from deployer.ir.types import DType
from deployer.numerics import interpret
from deployer.pipeline import ready
from deployer.pipeline.golden import crc, join, make_golden, quantize_inputs, split_outputs
from deployer.pipeline.prove import _agreement, _top1
from deployer.pipeline.ready import require_probe, require_programs, stages_between
from deployer.pipeline.report import float_facts, image_facts, layer_rows, make_report, memory_facts
from deployer.pipeline.store import STAGES
from deployer.pipeline.widths import mixed_note, width_text
from deployer.quantize.mixed import WidthSearch, WidthTrial
from deployer_hil.record import GoldenRecord, LayerRecord, RunRecord
from planned import planned


@pytest.mark.parametrize("name", ["residual", "wide"])
def test_golden_values_are_those_of_the_integer_network(name: str) -> None:
    schedule = planned(name).schedule
    graph = schedule.graph
    rng = np.random.default_rng(1)
    given = {
        n: rng.integers(-100, 100, (2, *graph.values[n].shape[1:])).astype(
            graph.values[n].dtype.numpy
        )
        for n in graph.inputs
    }
    golden = make_golden(schedule, given)
    for index in range(2):
        one = {n: array[index : index + 1] for n, array in given.items()}
        assert golden.inputs[index].tobytes() == b"".join(one[n].tobytes() for n in graph.inputs)
        values = {node.output: array for node, array in interpret.trace(graph, one)}
        wanted = b"".join(values[n].tobytes() for n in graph.outputs)
        assert golden.outputs[index].tobytes() == wanted
        probed = [launch.output for launch in launches(schedule)]
        crcs = [zlib.crc32(values[n].tobytes()) for n in probed]
        assert golden.crcs[index].tolist() == crcs
    assert golden.outputs.dtype == golden.inputs.dtype == np.int8
    assert golden.crcs.dtype == np.uint32


ARRAYS = st.sampled_from([np.int8, np.int16])


@given(kinds=st.lists(ARRAYS, min_size=1, max_size=3), count=st.integers(1, 3), data=st.data())
def test_outputs_are_joined_and_split_again(kinds: list[Any], count: int, data: Any) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    values, arrays = {}, {}
    for i, kind in enumerate(kinds):
        shape = (count, *data.draw(st.sampled_from([(2,), (3, 1, 2), (1, 2, 2)])))
        arrays[f"y{i}"] = rng.integers(-128, 128, shape).astype(kind)
        info = np.dtype(kind)
        values[f"y{i}"] = SimpleNamespace(
            bytes=int(np.prod(shape[1:])) * info.itemsize,
            shape=(1, *shape[1:]),
            dtype=SimpleNamespace(numpy=info),
            quant=i,
        )
    graph: Any = SimpleNamespace(outputs=tuple(values), values=values)
    joined = join(arrays, graph.outputs)
    assert joined.shape == (count, sum(value.bytes for value in values.values()))
    assert joined[0].tobytes() == b"".join(array[0].tobytes() for array in arrays.values())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("deployer.pipeline.golden.dequantize", lambda array, q: (array, q))
        found = split_outputs(graph, joined)
    for i, (name, array) in enumerate(arrays.items()):
        np.testing.assert_array_equal(found[name][0], array)
        assert found[name][1] == i


def test_a_crc_is_of_the_bytes_in_order() -> None:
    array = np.arange(12, dtype=np.int16).reshape(3, 4)
    assert crc(array.T) == zlib.crc32(np.ascontiguousarray(array.T).tobytes())


def test_inputs_are_quantized_by_their_own_scales() -> None:
    graph = planned("residual").quantized
    (name,) = graph.inputs
    value = graph.values[name]
    real = np.zeros((1, *value.shape[1:]), np.float32)
    assert set(np.unique(quantize_inputs(graph, {name: real})[name])) == {value.q.zero_point}


def outputs(*rows: tuple[float, ...]) -> dict[str, np.ndarray]:
    return {"y": np.array(rows), "second": np.zeros((len(rows), 2))}


FOUND = outputs((1, 2, 3), (3, 2, 1), (0, 5, 1), (9, 1, 1))


def test_agreement_is_the_share_of_samples_with_one_largest_place() -> None:
    real = outputs((0, 0, 1), (0, 0, 1), (0, 1, 0), (1, 0, 0))
    assert _agreement(real, FOUND) == 0.75
    assert _agreement(FOUND, FOUND) == 1.0


@pytest.mark.parametrize(
    ("labels", "top1"),
    [
        (None, None),
        ([-1, -1, -1, -1], None),
        ([2, 0, 1, 0], 1.0),
        ([2, 0, 0, -1], 2 / 3),
        ([0, -1, -1, -1], 0.0),
    ],
)
def test_top1_is_over_the_samples_with_a_label(
    labels: list[int] | None, top1: float | None
) -> None:
    assert _top1(FOUND, None if labels is None else np.array(labels)) == top1


def record(**mem: int) -> RunRecord:
    layers = (LayerRecord(0, "a", True, (7, 9)), LayerRecord(1, "b", False))
    golden = GoldenRecord(False, 3, 2, 90, 4, "b", 1, "as built")
    names = ("runner", "tool", "board", "target", "bundle", "model", "model_sha256")
    texts: Any = {name: name for name in names}
    return RunRecord(
        **texts, kind="counted", counter="cycles", counts_agree=True, caps={"port": "x"},
        mem=mem, layers=layers, golden=golden, host={},
    )  # fmt: skip


PLANNED = {
    "arena": 1000, "stack": 200, "static": 30, "input_copy": 4, "weights": 50_000, "code": 600,
}  # fmt: skip


@pytest.mark.parametrize(
    ("copied", "more"), [(None, 0), ({"by_memory": {"dtcm": 10_000, "sram": 5}}, 10_005)]
)
def test_memory_is_added_up(copied: Any, more: int) -> None:
    planned = {**PLANNED, "copied_weights": copied}
    assert memory_facts(planned, record(stack_used=77)) == {
        **planned, "stack_used": 77, "ram_network": 1200, "ram": 1234, "spare": more,
        "flash": 50_600,
    }  # fmt: skip
    assert memory_facts(planned, record())["stack_used"] is None


QUANT: dict[str, Any] = {
    "samples": 5,
    "warnings": ["noise"],
    "calibration": {"synthetic": True},
    "layers": [{"node": "a", "output": {"sqnr_db": 31.0}}],
    "outputs": [
        {"sqnr_db": 20.0, "max_abs_error": 0.5, "top1_agreement": 0.75},
        {"sqnr_db": 99.0, "max_abs_error": 9, "top1_agreement": 0},
    ],
}


def test_the_first_output_tells_how_far_the_float_network_is() -> None:
    assert float_facts(QUANT) == {
        "samples": 5, "sqnr_db": 20.0, "max_abs_error": 0.5, "top1_agreement": 0.75,
        "synthetic": True,
    }  # fmt: skip


def test_rows_join_what_was_planned_and_what_was_seen() -> None:
    rows = layer_rows([{"name": "a", "macs": 3}, {"name": "b", "macs": 4}], QUANT, record())
    assert rows == [
        {"name": "a", "macs": 3, "count": 7, "kind": "counted", "match": True, "sqnr_db": 31.0},
        {"name": "b", "macs": 4, "count": None, "kind": "counted", "match": False,
         "sqnr_db": None},
    ]  # fmt: skip


def test_a_report_has_the_warnings_of_both(tmp_path: Any) -> None:
    manifest = {
        "id": "i", "board": "b", "target": "b", "runners": {}, "model": {"m": 1},
        "options": {"o": 1}, "toolchain": {"t": 1}, "clock_hz": 9,
        "memory": {**PLANNED, "copied_weights": None},
        "steps": [{"name": "a"}, {"name": "b"}], "shared": {"s": 1},
    }  # fmt: skip
    bundle = Bundle(tmp_path, manifest)
    made = make_report(QUANT, bundle, record(), {"warnings": ["labels"]}, widths="int8")
    assert made["warnings"] == ["noise", "labels"]
    assert made["golden"] == {
        "match": False, "samples": 3, "elements": 90, "differing": 4,
        "first_differing_layer": "b", "weights": "as built",
    }  # fmt: skip
    assert made["counter"] == {"kind": "counted", "unit": "cycles", "clock_hz": 9}
    assert (made["device"], made["shared"], made["restructured"]) == ({"port": "x"}, {"s": 1}, None)
    assert (made["widths"], made["bundle"], made["runner"]) == ("int8", "i", "runner")
    assert made["model"] == {"m": 1}
    bare = make_report({**QUANT, "warnings": []}, bundle, record(), None, widths="int8")
    assert (bare["warnings"], bare["accuracy"]) == ([], None)


def test_a_twin_s_image_is_described_in_full(tmp_path: Any) -> None:
    manifest = {"board": "b", "target": "t", "runners": {}}
    text = (
        "same network, plan and kernels, linked for t with its port; start-up, clocks, console and "
        "addresses of b are in the image that build and flash make"
    )
    assert image_facts(Bundle(tmp_path, manifest)) == {"of": "twin", "note": text}


def test_stages_between_two_are_those_that_run() -> None:
    assert stages_between("import", "run") == STAGES
    assert stages_between("tile", "tile") == ("tile",)
    assert stages_between("schedule", "tile") == ("schedule", "allocate", "tile")
    with pytest.raises(UsageError, match="nothing runs from stage tile to stage import") as caught:
        stages_between("tile", "import")
    assert caught.value.why == (f"tile comes behind import: {', '.join(STAGES)}",)
    for words in (("tiel", "run"), ("import", "tiel")):
        option = "--from" if words[0] == "tiel" else "--until"
        with pytest.raises(UsageError, match=f"{option} 'tiel' is no stage") as caught:
            stages_between(*words)
        assert caught.value.hints[0] == "did you mean tile?"


@pytest.mark.parametrize(
    ("first", "last", "asked"),
    [
        ("import", "run", ["compiler nucleo-f767zi", "qemu-system-arm"]),
        ("import", "build", ["compiler nucleo-f767zi"]),
        ("import", "generate", []),
        ("run", "run", ["qemu-system-arm"]),
    ],
)
def test_programs_of_the_stages_are_looked_for(
    first: str, last: str, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[str] = []
    monkeypatch.setattr(ready, "find_tools", lambda board: found.append(f"compiler {board.name}"))
    monkeypatch.setattr(ready, "find_program", lambda name, package: found.append(name))
    job = planned("residual").job
    require_programs(job, first, last)
    assert found == asked
    found.clear()
    bare = dataclasses.replace(job, runner="none")
    require_programs(bare, first, last)
    assert found == [name for name in asked if "compiler" in name]


def test_a_missing_emulator_is_told_with_the_board(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str, package: str) -> None:
        raise BenchError(f"{name} is not installed", hints=[f"apt-get install {package}"])

    monkeypatch.setattr(ready, "find_program", missing)
    with pytest.raises(BenchError, match="nothing to run nucleo-f767zi in: qemu-system-arm") as bad:
        require_programs(planned("residual").job, "run", "run")
    assert bad.value.hints[0].startswith("apt-get install qemu")
    assert bad.value.hints[1] == "deployer doctor lists every tool"


@pytest.mark.parametrize(("runner", "program"), [("gvsoc", "gapy"), ("pulp_open", "gvsoc")])
def test_a_missing_gvsoc_is_told_before_anything_is_built(
    runner: str, program: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("DEPLOYER_GAPY", raising=False)
    monkeypatch.delenv("DEPLOYER_GVSOC", raising=False)
    monkeypatch.setattr(ready, "find_tools", lambda board: None)
    job = dataclasses.replace(planned("residual").job, runner=runner)
    require_programs(job, "import", "build")
    with pytest.raises(BenchError, match=f"nothing to run nucleo-f767zi in: {program}, which"):
        require_programs(job, "import", "run")
    (tmp_path / program).touch(mode=0o755)
    require_programs(job, "import", "run")


@pytest.mark.parametrize("name", ["rpi3", "host"])
def test_a_board_without_a_probe_is_told_what_does_the_same(name: str) -> None:
    probed = ("pyocd", "openocd")
    require_probe(load_board("gap8"), probed, "m.onnx")
    board = load_board(name)
    with pytest.raises(UsageError, match=f"{board.name} is not programmed over") as caught:
        require_probe(board, probed, "m.onnx")
    run = f"deployer run --board {board.name} m.onnx"
    ways = (
        (f"build it and prove it on this machine: {run}",)
        if name == "host"
        else (
            f"prove it in the board's emulator: {run}",
            "make the program, to be started on the board by you: "
            "deployer build --board rpi3 m.onnx",
        )
    )
    assert caught.value.hints == ways
    assert caught.value.why[0].startswith(f"its runners: {', '.join(board.runners)}; these are")
    assert caught.value.why[0].endswith("gap8, nucleo-f767zi")


def test_widths_are_told_in_words() -> None:
    def graph(*bits: int) -> Any:
        names = [f"v{i}" for i in range(len(bits))]
        values = {
            n: SimpleNamespace(dtype={8: DType.S8, 16: DType.S16, 32: DType.F32}[b])
            for n, b in zip(names, bits, strict=True)
        }
        nodes = [SimpleNamespace(output=name) for name in names[1:]]
        return SimpleNamespace(inputs=names[:1], nodes=nodes, values=values)

    assert width_text(graph(8, 8, 8)) == "int8"
    assert width_text(graph(16, 16)) == "int16"
    assert width_text(graph(16, 8, 16, 8)) == "mixed, 2 of 4 int16"
    assert width_text(graph(8, 8, 16)) == "mixed, 1 of 3 int16"
    assert width_text(graph(32, 32)) == "float32"


def test_a_search_for_widths_is_told_with_its_ends() -> None:
    trials = tuple(
        WidthTrial(name, 1000 * i, 20.0 + i, 0.5, taken)
        for i, (name, taken) in enumerate(
            (("", False), ("*", False), ("a", True), ("b", False), ("c", True), ("d", False))
        )
    )
    note = mixed_note(WidthSearch("sqnr=35", ("a", "c"), (), trials))
    assert note == (
        "widths for sqnr=35, on samples kept apart: int8 20.0 dB in 0 B, mixed 24.0 dB in 4,000 B, "
        "int16 21.0 dB in 1,000 B"
    )
    note = mixed_note(WidthSearch("sqnr=35", ("*",), (), trials))
    assert "mixed 21.0 dB in 1,000 B" in note
