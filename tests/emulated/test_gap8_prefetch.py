"""Networks whose weights do not fit GAP8's L2: fetched from HyperRAM, bit-exact."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from deployer.bundle import Bundle
from deployer.errors import FitError, ImageTooLarge, UsageError
from deployer.ir.attrs import Pads, Window
from deployer.ir.graph import Graph
from deployer.ir.plan import MemoryPlan
from deployer.pipeline.job import Job, make_job
from deployer.pipeline.library import Entry, export_library
from deployer.pipeline.options import Options
from deployer.pipeline.prove import run_job
from deployer.pipeline.stages import execute, open_store
from deployer.pipeline.store import Store
from deployer.plan.fetchable import PrefetchProblem
from deployer.plan.prefetch import on_demand
from deployer.resources import data_root
from deployer.simulator.gap8 import simulator
from deployer_hil.measure import connect, prove
from deployer_hil.runner import Caps, create
from deployer_hil.runners.program import ProgramRunner
from unit.quantize.graphs import Draft

SAME = Window((3, 3), pads=Pads(1, 1, 1, 1))
HALF = Window((3, 3), (2, 2), pads=Pads(0, 0, 1, 1))
OPTIONS = Options(golden_samples=2, bias_correction="off", equalize="off", requant="i32")


def heavy() -> Graph:
    """Some 250 KB of weights, half of them of one dense layer."""
    draft = Draft(1, 10, 10, 16, seed=5)
    one = draft.conv(draft.conv("x", 48, SAME), 64, SAME)
    two = draft.conv(draft.conv(one, 96, HALF), 128, Window((1, 1)))
    flat = draft.reshape(draft.depthwise(two, SAME), 1, 5 * 5 * 128)
    return draft.graph(draft.dense(draft.dense(flat, 42), 10))


def _job(folder: Path, l2: str, options: Options = OPTIONS, net: Graph | None = None) -> Job:
    """On a GAP8 with less L2."""
    text = (data_root() / "boards" / "gap8.toml").read_text().replace('"gap8"', '"small"', 1)
    small, count = re.subn(r'size   = "512KiB"', f'size   = "{l2}"', text)
    assert count == 1
    (folder / "small.toml").write_text(small)
    model = folder / "net.onnx"
    model.write_bytes(b"the graph stands in for the imported file")
    job = make_job(
        model, "small", runner="gap8_sim", options=options, output=folder, board_dir=folder
    )
    open_store(job).put("import", net or heavy())
    return job


def _planned(job: Job, last: str = "allocate") -> tuple[Store, MemoryPlan]:
    store = execute(job, first="quantize", last=last)
    return store, store.get("allocate")


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, MemoryPlan]:
    """Sources of the heavy network, most of its weights fetched."""
    return _planned(_job(tmp_path_factory.mktemp("generated"), "96KiB"), last="generate")


@pytest.mark.parametrize(
    ("l2", "changes"),
    [("96KiB", {}), ("112KiB", {"requant": "q32"}), ("160KiB", {"share": "off"})],
)
def test_fetched_weights_are_bit_exact(
    l2: str, changes: dict[str, str], tool: Callable[[str], str], tmp_path: Path
) -> None:
    tool("riscv64-unknown-elf-gcc")
    job = _job(tmp_path, l2, replace(OPTIONS, **changes))
    store, plan = _planned(job, last="build")
    report = run_job(job, store)
    assert report["golden"]["match"], report["golden"]
    assert all(layer["match"] for layer in report["layers"])
    prefetch = plan.prefetch
    assert prefetch is not None
    assert any(fetch.begin < fetch.step for fetch in prefetch.fetches)
    facts = report["memory"]["streamed"]
    assert (facts["memory"], facts["bytes"]) == ("l3", prefetch.bytes)
    assert store.get("build").outer.stat().st_size == prefetch.bytes


def _underestimated(job: Job) -> Job:
    """On a board whose file states 1 KiB for the harness."""
    assert job.board.code is not None
    code = replace(job.board.code, harness=1024)
    return replace(job, board=replace(job.board, code=code), target=replace(job.target, code=code))


def test_code_larger_than_estimated_has_the_plan_made_again(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    tool("riscv64-unknown-elf-gcc")
    notes: list[str] = []
    job = replace(_underestimated(_job(tmp_path, "112KiB")), notice=notes.append)
    store = execute(job, first="quantize")
    assert any("more than estimated: planned again" in note for note in notes)
    assert run_job(job, store)["golden"]["match"]


def test_a_plan_that_was_given_is_not_made_again(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    tool("riscv64-unknown-elf-gcc")
    job = _underestimated(_job(tmp_path, "112KiB"))
    execute(job, first="quantize", last="allocate")
    with pytest.raises(ImageTooLarge, match=r"the image takes [\d,]+ B more than l2") as caught:
        execute(job, first="tile")
    assert caught.value.exit_status == 4
    assert caught.value.excess > 0


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> Bundle:
    tool("riscv64-unknown-elf-gcc")
    return _planned(_job(tmp_path_factory.mktemp("sent"), "112KiB"), last="build")[0].get("build")


def test_weights_sent_over_the_console_are_fetched_from_there(built: Bundle) -> None:
    """As on a board whose HyperFlash has never seen them."""
    assert built.outer is not None
    told: list[tuple[str, int]] = []
    blank = ProgramRunner(
        "blank",
        Caps(timing="cycles", kind="simulated", sends=True),
        lambda bundle: [str(simulator()), str(bundle.firmware.absolute())],
    )
    with blank:
        record = prove(built, blank, progress=lambda label, done, _: told.append((label, done)))
    assert record.golden.match
    assert ("send weights", built.outer.stat().st_size) in told


def test_weights_in_flash_are_found_and_others_are_not(built: Bundle) -> None:
    assert built.outer is not None
    weights = built.outer.read_bytes()
    with create("gap8_sim", built) as runner, connect(built, runner) as session:
        assert session.weights_found(weights) == "flash"
        assert session.weights_found(weights[:-1] + b"!") == "missing"
        session.send_weights(weights[: 1024 + 6])
        assert session.weights_found(weights[: 1024 + 6]) == "flash"
        session.send_weights(bytes(40))
        assert session.weights_found(bytes(40)) == "ram"


def test_fetched_weights_have_the_crc_of_the_build_where_they_are_fetched_from(
    built: Bundle,
) -> None:
    assert built.outer is not None
    with create("gap8_sim", built) as runner, connect(built, runner) as session:
        groups = {group.where: group for group in session.constants()}
        assert all(group.intact for group in groups.values()), groups
        assert groups["l3"].bytes == built.outer.stat().st_size
        assert groups["image"].bytes > 0
        session.send_weights(bytes(40))
        assert session.weights_found(bytes(40)) == "ram"
        assert [group.where for group in session.constants() if not group.intact] == ["l3"]


def test_steps_count_as_much_as_an_inference_takes(built: Bundle) -> None:
    """No weights arrive while the harness says what a step has counted."""
    with create("gap8_sim", built) as runner, connect(built, runner) as session:
        session.load(built.golden["input"][0].tobytes())
        steps = sum(layer.count for layer in session.layers())
        whole = session.infer().microseconds * built.manifest["clock_hz"] / 1e6
    assert steps == pytest.approx(whole, rel=0.01)  # which copies the input, too


def test_weights_that_fit_are_not_fetched(tmp_path: Path) -> None:
    assert _planned(_job(tmp_path, "512KiB"))[1].prefetch is None


def test_more_room_means_fewer_bytes_fetched(
    generated: tuple[Store, MemoryPlan], tmp_path: Path
) -> None:
    roomy = _planned(_job(tmp_path, "192KiB"))[1].prefetch
    tight = generated[1].prefetch
    assert roomy is not None
    assert tight is not None
    assert roomy.bytes < tight.bytes
    assert roomy.cycles < tight.cycles


def test_what_is_fetched_and_what_stays_is_all_there_is(
    generated: tuple[Store, MemoryPlan],
) -> None:
    store, plan = generated
    assert plan.prefetch is not None
    text = store.get("generate").files["weights.c"]
    assert not [f for f in plan.prefetch.fetches if f"{f.array.replace('.', '_')}[" in text]
    sources = [(f.source, f.source + f.bytes) for f in plan.prefetch.fetches]
    assert all(end <= begin for (_, end), (begin, _) in pairwise(sources))
    weights = {p.buffer.id for p in plan.placements if p.buffer.id.endswith(".weights")}
    assert weights == {f.buffer for f in plan.prefetch.fetches}


def test_tables_that_came_with_the_weights_are_not_stored_twice(
    generated: tuple[Store, MemoryPlan],
) -> None:
    text = generated[0].get("generate").files["weights.c"]
    assert not re.search(r"(bias|multiplier|rounding)\w*\[", text)


def test_the_weights_of_the_image_are_part_of_its_identity(tmp_path: Path) -> None:
    """Sources that differ in weights of the outer memory alone are not the same."""
    texts = []
    for seed in (5, 6):
        draft = Draft(1, 2, 2, 16, seed=seed)
        net = draft.graph(draft.dense(draft.reshape("x", 1, 64), 1000))
        folder = tmp_path / str(seed)
        folder.mkdir()
        store, plan = _planned(_job(folder, "64KiB", net=net), last="generate")
        assert plan.prefetch is not None
        texts.append(re.findall(r"l3 holds .*", store.get("generate").files["network.c"]))
    assert len(texts[0]) == len(texts[1]) == 1
    assert texts[0] != texts[1]


def test_activations_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    draft = Draft(1, 20, 20, 16, seed=7)
    net = draft.graph(draft.conv(draft.conv("x", 64, SAME), 96, SAME))
    with pytest.raises(FitError) as error:
        _planned(_job(tmp_path, "96KiB", replace(OPTIONS, restructure="off"), net))
    assert "l2" in error.value.what
    assert any("the memory behind it has weights" in why for why in error.value.why)


def test_a_library_is_refused(generated: tuple[Store, MemoryPlan], tmp_path: Path) -> None:
    store, _ = generated
    entry = Entry("net", _job(tmp_path, "96KiB"), store)
    with pytest.raises(UsageError, match="fetched from l3"):
        export_library([entry], tmp_path / "library")
    assert not (tmp_path / "library").exists()


def test_weights_one_by_one_where_there_is_room_for_no_more(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """No prefetch is the last resort."""
    tool("riscv64-unknown-elf-gcc")
    job = _job(tmp_path, "96KiB")
    store = execute(job, first="quantize", last="schedule")
    _, plan = on_demand(PrefetchProblem(store.get("schedule"), job.target))
    assert plan.prefetch is not None
    assert all(fetch.begin == fetch.step for fetch in plan.prefetch.fetches)
    store.put("allocate", plan)
    report = run_job(job, execute(job, first="tile"))
    assert report["golden"]["match"], report["golden"]
