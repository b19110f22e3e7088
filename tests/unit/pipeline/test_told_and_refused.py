"""What is told of tiles, a library, a verdict and artifacts; and what of them is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from deployer.board.load import load_board
from deployer.errors import FitError, MismatchError, UsageError
from deployer.ir import serde
from deployer.pipeline import itcm
from deployer.pipeline.artifacts import FORMATS, Generated, Quantized, as_json
from deployer.pipeline.kernel_set import for_library, library_in, with_library
from deployer.pipeline.options import Options
from deployer.pipeline.plan_facts import tiling_facts
from deployer.pipeline.prove import require_match
from deployer.plan import verdict
from deployer.plan.fetchable import ALIGN_BYTES
from planned import planned

NUCLEO, GAP8 = load_board("nucleo-f767zi"), load_board("gap8")


def test_tiles_are_told_with_their_sizes_and_estimates() -> None:
    plan = planned("fetched").tiles
    plain = next(step for step in plan.steps if step.tiling is None)
    assert tiling_facts(plain) is None
    assert tiling_facts(None) is None
    step = next(step for step in plan.steps if step.tiling and step.count > 1)
    facts, tiling = tiling_facts(step), step.tiling
    assert facts is not None
    assert tiling is not None
    assert facts["tile"] == list(step.tile[1:])
    assert np.prod(facts["counts"]) == facts["count"] == step.count
    assert (facts["memory"], facts["kind"]) == ("l1", "estimated")
    assert facts["bytes"] == tiling.bytes
    assert facts["cycles"] == tiling.costs.cycles


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Options:
    monkeypatch.delenv("DEPLOYER_CMSIS_NN", raising=False)
    (tmp_path / "arm_nnfunctions.h").write_text("")
    (tmp_path / "lib.a").write_bytes(b"!<arch>\n")
    return Options(kernels="cmsis-nn", cmsis_nn_lib=tmp_path / "lib.a", cmsis_nn_include=tmp_path)


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({}, "q31"),
        ({"requant": "q16"}, "q16"),
        ({"scheme": "power-of-two"}, "auto"),
        ({"tuned": Path("tuned")}, "auto"),
    ],
)
def test_the_library_s_rule_is_taken_where_nothing_else_decides(
    library: Options, changes: dict[str, Any], rule: str
) -> None:
    found = for_library(replace(library, **changes), NUCLEO)
    assert found.requant == rule
    assert (found.cmsis_nn_lib, found.cmsis_nn_include) == (
        library.cmsis_nn_lib, library.cmsis_nn_include,
    )  # fmt: skip
    linked = library_in(found)
    assert linked is not None
    assert linked.archive == library.cmsis_nn_lib


@pytest.mark.parametrize(
    ("changes", "board", "said"),
    [
        ({"kernels": "other"}, NUCLEO, "unknown set of kernels 'other'"),
        ({}, GAP8, "--kernels cmsis-nn is for Cortex-M cores, gap8 has a"),
        ({"bits": 16}, NUCLEO, "--bits 16 leaves it none"),
        ({"cmsis_nn_lib": None}, NUCLEO, "no library is given"),
        ({"cmsis_nn_include": None}, NUCLEO, "no headers are given"),
    ],
)
def test_a_library_that_cannot_be_called_is_refused(
    library: Options, changes: dict[str, Any], board: Any, said: str
) -> None:
    with pytest.raises(UsageError) as caught:
        for_library(replace(library, **changes), board)
    assert said in caught.value.what
    assert caught.value.hints


def test_without_a_library_the_board_s_kernels_are_all(library: Options) -> None:
    assert library_in(replace(library, kernels="board")) is None
    assert library_in(replace(library, cmsis_nn_include=None)) is None
    assert with_library(NUCLEO).kernels == ("cmsis_nn", *NUCLEO.kernels)


def report(**changes: Any) -> dict[str, Any]:
    golden = {"match": True, "first_differing_layer": None, "differing": 0, "weights": "as built"}
    changed = {**golden, **changes}
    return {"options": {}, "widths": "int8", "board": "gap8", "golden": changed}


def refused(given: dict[str, Any]) -> MismatchError:
    with pytest.raises(MismatchError) as caught:
        require_match(given)
    return caught.value


def test_integers_that_are_not_golden_are_told_with_their_layer() -> None:
    require_match(report())
    wrong = {"match": False, "first_differing_layer": "conv", "differing": 7}
    found = refused(report(**wrong))
    assert found.what == "gap8 does not compute the golden integers"
    assert found.why == (
        "first differing layer: conv", "7 elements differ", "weights on the device: as built",
    )  # fmt: skip
    damaged = refused(report(**wrong, weights="damaged"))
    library = refused({**report(**wrong), "options": {"kernels": "cmsis-nn"}})
    board = refused({**report(**wrong), "options": {"kernels": "board"}})
    assert len({each.hints for each in (found, damaged, library)}) == 3
    assert board.hints == found.hints
    floats = refused({**report(**wrong), "widths": "float32"})
    assert floats.what == "gap8 does not compute the golden floats"


def test_samples_that_differ_from_the_host_s_are_refused() -> None:
    accuracy = {"differing_samples": 2, "samples": 50}
    assert "2 of 50 samples differ" in refused({**report(), "accuracy": accuracy}).what
    require_match({**report(), "accuracy": {"differing_samples": 0, "samples": 50}})
    require_match({**report(), "accuracy": None})


def test_a_memory_behind_that_is_short_too_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sizes are rounded up to the alignment of what is fetched."""
    outer = SimpleNamespace(name="l3", size=10 * ALIGN_BYTES)
    monkeypatch.setattr(verdict, "outer_of", lambda board: (outer, None) if board else None)
    error = FitError("net does not fit 'l2' on gap8", why=["l2"], hints=["less"])

    def told(*sizes: int, board: Any = GAP8) -> FitError:
        fetchable = [SimpleNamespace(bytes=size) for size in sizes]
        given: Any = SimpleNamespace(board=board, fetchable=fetchable)
        return verdict._with_outer(error, given)

    assert told(9 * ALIGN_BYTES, ALIGN_BYTES) is error
    assert told(9 * ALIGN_BYTES, ALIGN_BYTES - 1) is error
    assert told(99 * ALIGN_BYTES, board=None) is error
    found = told(9 * ALIGN_BYTES, ALIGN_BYTES + 1)
    assert found.what == "net does not fit 'l2' and 'l3' on gap8"
    need = f"{11 * ALIGN_BYTES:,} B of {10 * ALIGN_BYTES:,} B ({ALIGN_BYTES} too many)"
    line = f"l3 needs {need}: weights {11 * ALIGN_BYTES}"
    assert (found.why, found.hints) == (("l2", line), ("less",))


def test_the_linker_is_told_the_objects_that_are_copied(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made, root = planned("residual"), Path("root")
    names = itcm.kernel_sources(made.schedule)
    monkeypatch.setattr(itcm, "data_root", lambda: root)
    sizes = {f"{i}.o": 100 + i for i, _ in enumerate(names)}
    monkeypatch.setattr(itcm, "code_size", lambda prefix, path: sizes[path.name])
    asked: list[Any] = []

    def chosen(schedule: Any, found: Any, room: int) -> list[str]:
        asked.append((found, room))
        return [names[-1], names[0]]

    monkeypatch.setattr(itcm, "choose_itcm", chosen)
    objects = {root / name: Path("objects") / f"{i}.o" for i, name in enumerate(names)}
    itcm.write_itcm_placement(made.schedule, NUCLEO, objects, tmp_path)
    text = (tmp_path / itcm.ITCM_FILE).read_text()
    last = len(names) - 1
    assert text == f"*/{last}.o(.text .text.*)\n*/0.o(.text .text.*)\n"
    room = NUCLEO.memory(NUCLEO.place.hot).size - itcm.KEPT_BYTES
    assert asked == [({name: 100 + i for i, name in enumerate(names)}, room)]


def test_copied_code_is_told_with_its_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(itcm, "functions_in", lambda prefix, image, section: ("a", "b"))
    assert itcm.itcm_facts(NUCLEO, Path("image"), 0) is None
    assert itcm.itcm_facts(NUCLEO, Path("image"), 9) == {
        "memory": NUCLEO.place.hot, "bytes": 9, "functions": ["a", "b"],
    }  # fmt: skip


def put_quantized(folder: Path) -> Quantized:
    graph = planned("residual").quantized
    rng = np.random.default_rng(0)
    inputs = {
        name: rng.integers(-128, 128, (3, *graph.values[name].shape[1:])).astype(np.int8)
        for name in graph.inputs
    }
    layers = {"sqnr_db": None, "max_abs_error": 0.5, "top1_agreement": 1}
    body = {
        "calibration": {
            "calibrate": "minmax", "percentile": None, "equalize": False,
            "bias_correction": True, "synthetic": True,
        },
        "layers": [], "outputs": [layers], "samples": 3,
    }  # fmt: skip
    made = Quantized(graph, body, inputs)
    FORMATS["quantize"].write(made, folder)
    return made


def test_a_quantized_network_is_read_back_with_its_golden_inputs(tmp_path: Path) -> None:
    made = put_quantized(tmp_path)
    found = FORMATS["quantize"].read(tmp_path)
    assert found.report == made.report
    for name, array in made.inputs.items():
        np.testing.assert_array_equal(found.inputs[name], array)


def save_inputs(
    name: str = "input", count: int = 1, kind: type = np.int8, shape: tuple[int, ...] = ()
) -> Callable[[Path], None]:
    """Golden inputs that are others; ``shape`` () for that of the network's input."""

    def damage(folder: Path) -> None:
        extents = shape or planned("residual").quantized.values["input"].shape[1:]
        np.savez(folder / "golden_inputs.npz", **{name: np.zeros((count, *extents), kind)})

    return damage


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda folder: (folder / "golden_inputs.npz").unlink(), "no artifact at"),
        (lambda folder: (folder / "graph.json").unlink(), "no artifact at"),
        (lambda folder: (folder / "report.json").write_text("{}"), "report.json"),
        (save_inputs("other"), "it holds other, not input"),
        (save_inputs(kind=np.int16), "of int16, not"),
        (save_inputs(shape=(2,)), "'input' is (1, 2) of int8"),
        (save_inputs(count=0), "'input' is (0, "),
        (
            lambda folder: serde.save(planned("residual").schedule, folder / "graph.json"),
            "it is no Graph",
        ),
    ],
)
def test_a_quantized_network_that_was_damaged_is_refused(
    tmp_path: Path, damage: Callable[[Path], None], said: str
) -> None:
    put_quantized(tmp_path)
    damage(tmp_path)
    with pytest.raises(UsageError) as caught:
        FORMATS["quantize"].read(tmp_path)
    assert said in str(caught.value)


def test_offsets_that_were_edited_are_those_of_the_plan(tmp_path: Path) -> None:
    plan = planned("residual").plan
    FORMATS["allocate"].write(plan, tmp_path)
    assert FORMATS["allocate"].read(tmp_path) == plan
    table = tmp_path / "allocation.csv"
    table.write_bytes(b"\xff")
    with pytest.raises(UsageError) as caught:
        FORMATS["allocate"].read(tmp_path)
    assert "byte 0 is not UTF-8" in str(caught.value)
    table.unlink()
    with pytest.raises(UsageError, match="no artifact at"):
        FORMATS["allocate"].read(tmp_path)
    table.mkdir()
    with pytest.raises(UsageError, match="not a readable artifact"):
        FORMATS["allocate"].read(tmp_path)


def test_sources_that_are_not_there_are_asked_for(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no artifact at"):
        FORMATS["generate"].read(tmp_path / "none")
    FORMATS["generate"].write(Generated({"a.c": "int a;"}), tmp_path)
    assert (tmp_path / "a.c").read_text() == "int a;"


def test_a_run_is_written_with_a_row_a_layer(tmp_path: Path) -> None:
    from deployer.pipeline.artifacts import Ran

    rows = [{"name": "a", "tiles": {"count": 4}}, {"name": "b", "tiles": None}, {"name": "c"}]
    FORMATS["run"].write(Ran({"layers": rows}, '{"tool": 1}'), tmp_path)
    assert (tmp_path / "layers.csv").read_text() == "name,tiles\na,4\nb,1\nc,1\n"
    found = FORMATS["run"].read(tmp_path)
    assert found.record == '{"tool": 1}'
    assert found.report == {"schema": 1, "layers": rows}


def test_anything_frozen_becomes_json() -> None:
    case = as_json({1: (np.int8(3), [None, "a"]), "b": np.float32(0.5)})
    assert json.loads(json.dumps(case)) == {"1": [3, [None, "a"]], "b": 0.5}
    step = planned("residual").schedule.steps[0]
    assert as_json(step)["node"] == step.node
