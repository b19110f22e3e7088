"""What tables refuse before their first row, and the error they end with."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from deployer.errors import BenchError, MismatchError, ModelError, ThresholdError, UsageError
from deployer.tools.bench import zoo
from deployer.tools.bench.accuracy import AccuracyRow, require_all, variants_of
from deployer.tools.bench.reference import names_in_order
from deployer.tools.bench.row import DIFFERS, EXACT, FAILED, LIMIT, NO_FIT, UNSUPPORTED, Row
from deployer.tools.bench.verdict import require_fine, require_proven, worst_of
from deployer.tools.bench.zoo import ZooRequest

ROW = Row("net", "ms", "plain", "gap8", "Net", (3, 8, 8), 2000, 4, outcome=EXACT)
REQUEST = ZooRequest(
    names=("resnet8",),
    boards=("host",),
    styles=(),
    schemes=(),
    golden=4,
    seconds=1.0,
    stream_input=False,
)
VARIANT = AccuracyRow("ms", "mse", agreement=0.75, seconds=0.26)


def test_the_worst_of_outcomes_is_told() -> None:
    order = (DIFFERS, FAILED, UNSUPPORTED, LIMIT, EXACT)
    for index, one in enumerate(order):
        assert worst_of([*reversed(order[index:]), NO_FIT]) == one
    assert worst_of([]) == EXACT


@pytest.mark.parametrize(
    ("outcome", "kind"),
    [
        (DIFFERS, MismatchError),
        (FAILED, BenchError),
        (UNSUPPORTED, ModelError),
        (LIMIT, ThresholdError),
    ],
)
def test_rows_that_are_not_exact_are_listed(outcome: str, kind: type[Exception]) -> None:
    rows = [
        ROW,
        replace(ROW, outcome=NO_FIT),
        replace(ROW, network="b", outcome=outcome, detail="d"),
        replace(ROW, network="c", outcome=outcome),
    ]
    require_fine(rows[:2], lambda row: row.network)
    with pytest.raises(kind, match=r"^2 of 4 rows are not exact") as caught:
        require_fine(rows, lambda row: f"{row.network}: {row.outcome}")
    assert caught.value.why == (f"b: {outcome}", f"c: {outcome}")  # type: ignore[attr-defined]


def test_the_worst_row_is_the_error() -> None:
    late, wrong = (replace(ROW, outcome=outcome) for outcome in (LIMIT, DIFFERS))
    with pytest.raises(ThresholdError):
        require_fine([ROW, late], lambda row: row.network)
    with pytest.raises(MismatchError):
        require_fine([late, wrong, ROW], lambda row: row.network)


@pytest.mark.parametrize(
    ("outcomes", "kind"),
    [
        (["", "exact", "exact, 3 s"], None),
        (["exact", "time limit"], ThresholdError),
        (["time limit", "DIFFERS"], MismatchError),
        (["no emulator", "time limit"], ThresholdError),
        (["no emulator", ""], BenchError),
    ],
)
def test_the_worst_that_a_proof_came_to_is_the_status(
    outcomes: list[str], kind: type[Exception] | None
) -> None:
    words = {"exact": EXACT, "time limit": LIMIT, "DIFFERS": DIFFERS}
    for word, real in words.items():
        outcomes = [text.replace(word, real) for text in outcomes]
    if kind is None:
        require_proven(outcomes)
        return
    bad = tuple(text for text in outcomes if text and not text.startswith(EXACT))
    with pytest.raises(
        kind, match=f"{len(bad)} of {len(outcomes)} points are not proven"
    ) as caught:
        require_proven(outcomes)
    assert caught.value.why == bad  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("change", "asked"),
    [
        ({}, True),
        ({"golden_samples": 5}, False),
        ({"optimize": "ram"}, False),
        ({"stream_input": True}, False),
        ({"input": (3, 8, 9)}, False),
        ({"macs": 1}, False),
    ],
)
def test_a_kept_row_is_of_the_same_size_and_options(
    change: dict[str, Any], asked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Network:
        input, macs = ROW.input, ROW.macs

    monkeypatch.setattr(zoo, "edge_network", lambda name, edge: Network)
    assert REQUEST.covers(replace(ROW, **change)) is asked


def test_names_that_do_not_exist_are_refused_before_the_first_row() -> None:
    REQUEST.check()
    for wrong in (replace(REQUEST, boards=("nothing",)), replace(REQUEST, names=("nothing",))):
        with pytest.raises(UsageError, match="nothing"):
            wrong.check()


def test_variants_without_integers_are_listed() -> None:
    require_all([VARIANT])
    bad = replace(VARIANT, error="no ranges")
    with pytest.raises(ModelError, match="1 of 2 variants have no integers") as caught:
        require_all([VARIANT, bad])
    assert caught.value.why == ("ms mse: no ranges",)


def test_only_the_variants_asked_for_are_made() -> None:
    every = variants_of((), ())
    assert {one.scheme for one in every} == {"multiply-shift", "power-of-two"}
    some = variants_of(("power-of-two",), ("mse", "minmax"))
    assert {(one.scheme, one.calibrate) for one in some} == {
        ("power-of-two", "mse"), ("power-of-two", "minmax"),
    }  # fmt: skip
    wrong = ((("powers",), ()), "scheme 'powers'"), (((), ("mes",)), "calibration 'mes'")
    for words, what in wrong:
        with pytest.raises(UsageError, match=f"unknown {what}") as caught:
            variants_of(*words)
        assert caught.value.hints


def test_networks_of_kernels_are_in_the_table_s_order() -> None:
    every = names_in_order(())
    assert names_in_order((every[2], every[0])) == [every[0], every[2]]
    with pytest.raises(UsageError, match="unknown network 'nothing'"):
        names_in_order(("nothing",))
