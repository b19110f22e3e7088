"""Networks larger than GAP8's L2, planned without a compiler: layers in stripes, weights fetched,
and the integers of the network as it is."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from deployer.errors import FitError
from deployer.ir.attrs import Pads, Window
from deployer.ir.graph import Graph
from deployer.ir.plan import MemoryPlan
from deployer.numerics.interpret import run
from deployer.pipeline.job import make_job
from deployer.pipeline.options import Options
from deployer.pipeline.stages import execute, open_store
from deployer.pipeline.store import Store
from deployer.resources import data_root
from unit.quantize.graphs import Draft

SAME = Window((3, 3), pads=Pads(1, 1, 1, 1))
HALF = Window((3, 3), (2, 2), pads=Pads(0, 0, 1, 1))
POINT = Window((1, 1))
OPTIONS = Options(golden_samples=1, bias_correction="off", equalize="off", requant="i32")
KIB = 1024


def narrow_wide_narrow() -> Graph:
    """48 channels of 40 rows between 4 and 8: 76,800 bytes that never exist at once."""
    draft = Draft(1, 40, 40, 4, seed=1)
    wide = draft.conv("x", 48, POINT)
    small = draft.conv(draft.depthwise(wide, HALF), 8, POINT)
    return draft.graph(draft.conv(small, 8, SAME))


def heavy() -> Graph:
    """Some 250 KB of weights, half of them of one dense layer."""
    draft = Draft(1, 10, 10, 16, seed=5)
    one = draft.conv(draft.conv("x", 48, SAME), 64, SAME)
    two = draft.conv(draft.conv(one, 96, HALF), 128, POINT)
    flat = draft.reshape(draft.depthwise(two, SAME), 1, 5 * 5 * 128)
    return draft.graph(draft.dense(draft.dense(flat, 42), 10))


@pytest.fixture
def planned(tmp_path: Path) -> Callable[[Graph, int], Store]:
    """planned(net, KiB of L2): the job's folder behind the allocation."""

    def plan(net: Graph, l2: int) -> Store:
        folder = tmp_path / str(l2)
        folder.mkdir()
        text = (data_root() / "boards" / "gap8.toml").read_text().replace('"gap8"', '"small"', 1)
        small, count = re.subn(r'size   = "512KiB"', f'size   = "{l2}KiB"', text)
        assert count == 1
        (folder / "small.toml").write_text(small)
        (folder / "net.onnx").write_bytes(b"the graph stands in for the imported file")
        job = make_job(
            folder / "net.onnx", "small", options=OPTIONS, output=folder, board_dir=folder
        )
        open_store(job).put("import", net)
        return execute(job, first="quantize", last="allocate")

    return plan


def same_integers(store: Store) -> None:
    plain, made = store.get("quantize").graph, store.get("schedule").graph
    rng = np.random.default_rng(3)
    given = {n: rng.integers(-128, 128, plain.values[n].shape, np.int8) for n in plain.inputs}
    expected, found = run(plain, given), run(made, given)
    for one, other in zip(plain.outputs, made.outputs, strict=True):
        np.testing.assert_array_equal(found[other], expected[one])


def stripes_of(store: Store) -> set[str]:
    names = {step.node for step in store.get("schedule").steps}
    return {name for name in names if ".rows." in name}


def test_less_memory_means_more_steps_and_the_same_integers(
    planned: Callable[[Graph, int], Store],
) -> None:
    counts = []
    for l2 in (512, 112, 100):
        store = planned(narrow_wide_narrow(), l2)
        plan: MemoryPlan = store.get("allocate")
        assert plan.arena < l2 * KIB
        same_integers(store)
        counts.append(len(store.get("schedule").steps))
    assert counts[0] < counts[1] <= counts[2]


def test_what_no_stripes_make_fit_is_refused_with_the_memory_named(
    planned: Callable[[Graph, int], Store],
) -> None:
    with pytest.raises(FitError, match="l2"):
        planned(narrow_wide_narrow(), 48)


@pytest.mark.parametrize("l2", [96, 160])
def test_weights_that_do_not_fit_are_fetched_before_their_step(
    l2: int, planned: Callable[[Graph, int], Store]
) -> None:
    store = planned(heavy(), l2)
    plan: MemoryPlan = store.get("allocate")
    prefetch = plan.prefetch
    assert prefetch is not None
    assert plan.arena < l2 * KIB
    assert all(fetch.begin <= fetch.step for fetch in prefetch.fetches)
    assert any(fetch.begin < fetch.step for fetch in prefetch.fetches)
    assert [f.step for f in prefetch.fetches] == sorted(f.step for f in prefetch.fetches)
    assert all(a.begin <= b.begin for a, b in pairwise(prefetch.fetches))
    same_integers(store)


def test_with_room_for_all_weights_none_is_fetched(
    planned: Callable[[Graph, int], Store],
) -> None:
    store = planned(heavy(), 512)
    assert store.get("allocate").prefetch is None
    assert stripes_of(store) == set()


def test_more_memory_never_fetches_more(planned: Callable[[Graph, int], Store]) -> None:
    fetched = [planned(heavy(), l2).get("allocate").prefetch.bytes for l2 in (96, 160, 224)]
    assert fetched == sorted(fetched, reverse=True)
