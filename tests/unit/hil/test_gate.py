"""What a gate lets through, what it names, and what it refuses to compare."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deployer.errors import UsageError
from deployer_hil.gate import (
    Baseline,
    Finding,
    findings,
    junit_xml,
    read_baseline,
    require_comparable,
    rows_of,
    with_rows,
)
from deployer_hil.record import GoldenRecord, RunRecord
from fakes.records import record_of

REASON = {"time": "2026-01-01T00:00:00+00:00", "commit": "c0ffee", "reason": "first"}
COUNTS = (100_000, 250_000, 40_000)


def baseline_of(*records: RunRecord) -> Baseline:
    return with_rows(Baseline(), rows_of(records), REASON)


def worse_of(before: list[RunRecord], after: list[RunRecord]) -> list[Finding]:
    known, rows = baseline_of(*before), rows_of(after)
    require_comparable(known, rows)
    return [each for each in findings(known, rows) if each.worse]


def texts_of(before: RunRecord, after: RunRecord) -> list[str]:
    runs = 5 if before.kind == "measured" else 1
    return [each.text for each in worse_of([before] * runs, [after] * runs)]


def cycles(kind: str, counts: tuple[int, ...] = COUNTS) -> RunRecord:
    return record_of(counts, kind=kind, counter="cycles")


def test_equal_results_pass_twenty_times_of_twenty() -> None:
    for _ in range(20):
        assert texts_of(record_of(COUNTS), record_of(COUNTS)) == []


def test_a_counted_layer_may_not_take_one_more() -> None:
    assert texts_of(record_of(COUNTS), record_of((100_000, 250_001, 40_000))) == [
        "total 390,000 -> 390,001 (+0.00 %)",
        "layer1: instructions 250,000 -> 250,001 (+0.00 %)",
    ]
    assert texts_of(record_of(COUNTS), record_of((99_000, 250_000, 40_000))) == []


@pytest.mark.parametrize(
    ("kind", "within", "beyond"),
    [
        ("simulated", 252_500, 252_501),
        ("estimated", 252_500, 252_501),
        ("measured", 255_000, 255_001),
    ],
)
def test_cycles_have_a_tolerance_by_what_they_are_worth(
    kind: str, within: int, beyond: int
) -> None:
    before = cycles(kind)
    assert texts_of(before, cycles(kind, (100_000, within, 40_000))) == []
    (line,) = texts_of(before, cycles(kind, (100_000, beyond, 40_000)))
    assert line.startswith(f"layer1: cycles 250,000 -> {beyond:,}")


def test_a_kernel_slower_by_two_per_cent_is_named_with_its_layer() -> None:
    assert texts_of(cycles("simulated"), cycles("simulated", (100_000, 255_000, 40_000))) == [
        "total 390,000 -> 395,000 (+1.28 %)",
        "layer1: cycles 250,000 -> 255,000 (+2.00 %)",
    ]


def test_a_few_cycles_of_a_small_layer_are_no_regression() -> None:
    before, after = cycles("simulated", (1000, 90_000)), cycles("simulated", (1200, 90_000))
    assert texts_of(before, after) == []
    assert len(texts_of(before, cycles("simulated", (1201, 90_000)))) == 1


def test_a_wrong_result_is_worse_whatever_else_got_better() -> None:
    wrong = GoldenRecord(match=False, samples=2, matching=1, elements=20, differing=1)
    assert texts_of(record_of(COUNTS), record_of((1, 1, 1), golden=wrong)) == ["exact yes -> NO"]


def test_bytes_may_not_grow_and_accuracy_loses_two_tenths_of_a_point() -> None:
    before = record_of(memory={"ram": 4000, "flash": 20000}, accuracy={"device": 0.851})
    grown = replace(before, memory={"ram": 4001, "flash": 19000})
    assert texts_of(before, grown) == ["ram 4,000 -> 4,001 (+0.03 %)"]
    assert texts_of(before, replace(before, accuracy={"device": 0.849})) == []
    assert texts_of(before, replace(before, accuracy={"device": 0.848})) == [
        "accuracy 0.851 -> 0.848"
    ]


def joules(microjoules: float, kind: str = "measured", meter: str = "JS220 1") -> RunRecord:
    figures = {"kind": kind, "meter": meter, "microjoules": microjoules}
    return replace(cycles("measured"), energy=figures)


@pytest.mark.parametrize(
    ("before", "within", "beyond"), [(5000.0, 5100.0, 5100.1), (20.0, 21.0, 21.1)]
)
def test_measured_energy_may_grow_by_two_per_cent_or_a_microjoule(
    before: float, within: float, beyond: float
) -> None:
    assert texts_of(joules(before), joules(within)) == []
    (line,) = texts_of(joules(before), joules(beyond))
    assert line.startswith("energy ")


def test_energy_is_the_median_of_the_runs_of_one_meter() -> None:
    runs = [joules(value) for value in (9000, 100, 104, 101, 103, 102)]
    (row,) = rows_of(runs)
    assert (row.metrics["energy"], row.meter) == (102, "JS220 1")
    others = [joules(value, meter="JS220 2") for value in (1, 1, 1)]
    with pytest.raises(UsageError, match="3 measured runs of net on toy, 5 needed"):
        rows_of([*runs, *others])


def test_a_baseline_of_another_meter_is_refused_and_one_without_compares_the_rest() -> None:
    with pytest.raises(UsageError, match="is of another meter") as caught:
        worse_of([joules(100)] * 5, [joules(100, meter="PPK2")] * 5)
    assert caught.value.why == ("meter: JS220 1 there, PPK2 here",)
    assert worse_of([cycles("measured")] * 5, [joules(1e9)] * 5) == []
    assert worse_of([joules(1)] * 5, [cycles("measured")] * 5) == []


def test_assumed_power_is_no_metric_of_a_gate() -> None:
    (row,) = rows_of([joules(100, kind="assumed", meter="assumed power of 3.5 W")] * 5)
    assert ("energy" in row.metrics, row.meter) == (False, "")


@given(st.floats(1, 1e9), st.floats(1, 1e9))
def test_less_energy_is_never_worse_and_far_more_always(first: float, second: float) -> None:
    low, high = sorted((first, second))
    before, after = rows_of([joules(high)] * 5), rows_of([joules(low)] * 5)
    assert [f for f in findings(Baseline(before), after) if f.worse] == []
    grown = [f.metric for f in findings(Baseline(after), before) if f.worse]
    assert (grown == ["energy"]) == (high - low > max(1.0, 0.02 * low))


def test_measured_rows_are_medians_of_five() -> None:
    runs = [cycles("measured", (n, 7)) for n in (900, 100, 105, 103, 101, 102)]
    (row,) = rows_of(runs)
    assert [layer.count for layer in row.layers] == [102, 7]
    with pytest.raises(UsageError, match="4 measured runs of net on toy, 5 needed"):
        rows_of(runs[:4])


def test_runs_of_another_build_do_not_count_into_the_median() -> None:
    runs = [cycles("measured", (n, 7)) for n in range(5)]
    older = [replace(run, bundle="f" * 16) for run in runs]
    with pytest.raises(UsageError, match="3 measured runs"):
        rows_of([*older, *runs[:3]])


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"made": {"compiler": "gcc 14"}}, "compiler"),
        ({"caps": {"clock_hz": "2000000"}}, "clock_hz"),
        ({"kind": "simulated"}, "kind"),
    ],
)
def test_a_baseline_of_other_conditions_is_refused(change: dict[str, Any], named: str) -> None:
    with pytest.raises(UsageError, match=f"is of another {named}") as caught:
        worse_of([record_of()], [record_of(**change)])
    assert caught.value.exit_status == 2


@pytest.mark.parametrize("change", [{"board": "other"}, {"runner": "host"}, {"model": "else"}])
def test_a_baseline_of_another_board_or_runner_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="has none of these results") as caught:
        worse_of([record_of()], [record_of(**change)])
    assert caught.value.why[0] == "there: net on toy (qemu_system)"


def test_other_options_are_another_row_and_another_place_of_the_samples_is_not() -> None:
    def options(source: str, scheme: str = "multiply-shift") -> RunRecord:
        calibration = {"source": source, "sha256": "a" * 64}
        return record_of(options={"scheme": scheme, "calibration": calibration})

    assert len(rows_of([options("here"), options("there")])) == 1
    assert len(rows_of([options("here"), options("here", "power-of-two")])) == 2


def test_a_network_of_other_layers_is_refused() -> None:
    with pytest.raises(UsageError, match="has other layers"):
        worse_of([record_of((1, 2))], [record_of((1, 2, 3))])


def test_a_baseline_is_read_back_with_its_reasons(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    old = baseline_of(record_of(COUNTS), *[replace(joules(7.5), board="other")] * 5)
    new = with_rows(old, rows_of([record_of((1, 2, 3))]), {**REASON, "reason": "faster"})
    path.write_text(new.to_json())
    assert read_baseline(path) == new
    assert [reason["reason"] for reason in new.reasons] == ["first", "faster"]
    assert [(len(row.layers), row.meter) for row in new.rows] == [(3, "JS220 1"), (3, "")]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("[", "is no baseline"),
        ("{}", "schema None"),
        ('{"schema": 1, "rows": [{}], "reasons": []}', "lacks the key 'rows"),
        ('{"schema": 1, "rows": 3, "reasons": []}', "rows is 3"),
    ],
)
def test_a_file_that_is_no_baseline_is_refused(tmp_path: Path, text: str, what: str) -> None:
    path = tmp_path / "baseline.json"
    path.write_text(text)
    with pytest.raises(UsageError, match=what):
        read_baseline(path)


def test_what_ci_reads_counts_cases_and_failures_and_escapes_names() -> None:
    model = '<net "&" \x07>'
    before, after = record_of(COUNTS, model=model), record_of((100_001, 250_000, 1), model=model)
    known, rows = baseline_of(before), rows_of([after])
    tree = ElementTree.fromstring(junit_xml(findings(known, rows)))
    assert tree.attrib == {"tests": "7", "failures": "1"}
    (failed,) = [case for case in tree.iter("testcase") if case.find("failure") is not None]
    assert failed.attrib["name"] == "layer0: instructions"
    assert failed.attrib["classname"].startswith('<net "&" ?>')


counts = st.lists(st.integers(0, 10**9), min_size=1, max_size=6)


@given(counts, st.sampled_from(["counted", "simulated", "estimated"]))
def test_a_result_holds_against_itself_and_never_against_a_slower_one(
    found: list[int], kind: str
) -> None:
    plain = record_of(found, kind=kind)
    slower = record_of([2 * count + 1000 for count in found], kind=kind)
    assert texts_of(plain, plain) == []
    assert texts_of(slower, plain) == []
    layers = [line for line in texts_of(plain, slower) if line.startswith("layer")]
    assert len(layers) == len(found)


def test_the_file_is_plain_json_that_a_review_can_read() -> None:
    body = json.loads(baseline_of(record_of(COUNTS)).to_json())
    assert body["rows"][0]["layers"][1] == {"name": "layer1", "count": 250_000}
