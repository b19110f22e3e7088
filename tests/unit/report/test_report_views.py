"""What a report shows of records, before any page: series, trends, layers, fronts, rooflines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deployer.report.columns import runs_table
from deployer.report.layer_costs import layer_facts, roofline_facts, roofs
from deployer.report.metrics import latency_ms
from deployer.report.pareto import front, pareto_facts
from deployer.report.runs import Run, flat, run_of, short_commit
from deployer.report.scripts import script, unpacked
from deployer.report.series import choices_of, series_of
from deployer.report.trend import points, trend_facts
from deployer_hil import Result, RunRecord
from fakes.many_results import named
from fakes.records import record_of

COUNTS = st.lists(st.integers(0, 1 << 40), min_size=2, max_size=2)


def runs(*records: RunRecord) -> list[Run]:
    return [run_of(Result(at, "s", str(at), "", each)) for at, each in enumerate(records, 1)]


def made(commit: str) -> dict[str, Any]:
    return {"made": {"commit": commit, "compiler": "gcc 12.2"}}


def test_a_series_has_one_model_board_runner_kind_counter_and_set_of_options() -> None:
    kinds = ({}, {"runner": "pyocd"}, {"kind": "measured"}, {"counter": "cycles"})
    others = ({"board": "b2"}, {"model": "m2"}, {"options": {"scheme": "power-of-two"}})
    found = series_of(runs(*(record_of(**each) for each in (*kinds, *others, *kinds))))
    assert [len(each.runs) for each in found] == [2 if len(each.runs) == 2 else 1 for each in found]
    assert len(found) == 7
    assert sorted(run.number for each in found for run in each.runs) == list(range(1, 12))
    assert {each.variant for each in found if each.board == "b2"} == {""}
    variants = {each.variant for each in found if (each.model, each.board) == ("net", "toy")}
    assert variants == {"scheme=multiply-shift", "scheme=power-of-two"}


def test_another_clock_is_another_series() -> None:
    pair = runs(*(record_of(caps={"clock_hz": clock}) for clock in ("1000", "2000")))
    assert [each.variant for each in series_of(pair)] == ["clock=1000 Hz", "clock=2000 Hz"]


def test_an_option_that_came_with_a_later_version_splits_nothing() -> None:
    assert choices_of([{"a": "1"}, {"a": "1", "b": "2"}, {"a": "1", "b": "2"}]) == []
    assert choices_of([{"a": "1"}, {"a": "2", "b": "2"}]) == ["a"]


def test_nested_options_have_dotted_names_and_hashes_are_left_out() -> None:
    options = {"calibration": {"source": "c.npz", "sha256": "ab"}, "ram": None, "tuned": "cd"}
    assert flat(options) == {"calibration.source": "c.npz", "ram": "null"}


@pytest.mark.parametrize(
    ("commit", "short"), [("", ""), ("ab" * 20, "ababababa"), ("ab" * 20 + "+", "ababababa+")]
)
def test_commits_are_short_and_say_that_files_differ(commit: str, short: str) -> None:
    assert short_commit(commit) == short


def test_a_point_is_a_commit_with_the_median_and_the_spread_of_its_runs() -> None:
    records = [record_of((n,), **made("a" * 40)) for n in (10, 30, 20)]
    (series,) = series_of(runs(*records, record_of((9,), **made("b" * 40))))
    first, second = points(series)
    spread = first.spreads["count"]
    assert (spread.middle, spread.low, spread.high) == (20, 10, 30)
    assert (first.commit, first.runs, first.last) == ("a" * 9, 3, 3)
    assert trend_facts(series)["figures"]["count"] == [[20, 10, 30], 9]
    assert second.spreads["ram"].middle == 4000


def test_commits_stand_in_the_order_of_their_first_run() -> None:
    order = [record_of(**made(each * 40)) for each in "caab" + "c"]
    (series,) = series_of(runs(*order))
    assert [point.commit[0] for point in points(series)] == ["c", "a", "b"]


def test_runs_without_a_commit_are_points_of_their_own() -> None:
    (series,) = series_of(runs(*(record_of(**made("")) for _ in range(2))))
    assert [point.commit for point in points(series)] == ["#1", "#2"]


@given(st.lists(st.tuples(COUNTS, st.booleans()), min_size=1, max_size=12))
def test_changes_of_layers_add_up_to_their_counts(drawn: list[tuple[list[int], bool]]) -> None:
    """As ``runcounts.js`` adds them; lists of layers change from run to run."""
    records = [named(("a", "b") if same else ("a", "c"), counts) for counts, same in drawn]
    (series,) = series_of(runs(*records))
    facts = layer_facts(series)
    for at, (counts, _) in enumerate(drawn):
        assert added(facts, at) == counts


def added(facts: dict[str, Any], at: int) -> list[int]:
    shape, found = facts["shape"][at], [0, 0]
    for place, change in zip(facts["shape"][: at + 1], facts["counts"], strict=False):
        if place == shape:
            found = [a + b for a, b in zip(found, change, strict=True)]
    return found


def test_runs_that_count_nothing_leave_the_changes_of_others_alone() -> None:
    nothing = record_of(())
    (series,) = series_of(runs(record_of((5, 7)), nothing, record_of((6, 7))))
    assert layer_facts(series)["counts"] == [[5, 7], [], [1, 0]]


PAIRS = st.dictionaries(
    st.integers(0, 50), st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=20
)


@given(PAIRS)
def test_a_front_is_what_no_other_beats(pairs: dict[int, tuple[float, float]]) -> None:
    def beaten(one: tuple[float, float]) -> bool:
        return any(a <= one[0] and b <= one[1] and (a, b) != one for a, b in pairs.values())

    assert front(pairs) == sorted(key for key, one in pairs.items() if not beaten(one))


def test_pareto_plots_never_mix_and_leave_out_what_was_not_exact() -> None:
    wrong = record_of((1,), model="wrong")
    wrong = RunRecord(**{**vars(wrong), "golden": type(wrong.golden)(False, 1, 0, 10, 3)})
    records = [
        record_of((10,), memory={"ram": 5}, accuracy={"device": 0.9}),
        record_of((20,), model="m2", memory={"ram": 6}, accuracy={"device": 0.95}),
        record_of((5,), kind="measured"),
        record_of((5,), board="b2"),
        record_of((5,), runner="other"),
        wrong,
    ]
    plots = pareto_facts(series_of(runs(*records)))
    assert len(plots) == 4
    (mixed,) = [plot for plot in plots if len(plot["points"]) > 1]
    names = [point["model"] for point in mixed["points"]]
    assert sorted(names) == ["m2", "net"]
    assert [names[at] for at in mixed["fronts"]["ram"]["all"]] == ["net"]
    assert len(mixed["fronts"]["accuracy"]["all"]) == 2  # more accuracy, more instructions
    assert len(mixed["fronts"]["ram"]["own"]) == 2
    assert mixed["cost"] == "count"


@pytest.mark.parametrize(
    ("counter", "clock", "ms"),
    [
        ("cycles", "1000", 350.0),
        ("cycles", "fast", None),
        ("cycles", "inf", None),
        ("cycles", "0", None),
        ("instructions", "1000", None),
        ("nanoseconds", "", 0.00035),
    ],
)
def test_latency_is_told_where_there_is_a_time(counter: str, clock: str, ms: float | None) -> None:
    assert latency_ms(record_of(counter=counter, caps={"clock_hz": clock})) == ms


def test_no_layer_is_above_the_roof_and_one_touches_it() -> None:
    (series,) = series_of(runs(named(("a", "b", "c"), (100, 200, 400))))
    roof = roofs([series])[series.judged_by]
    facts = roofline_facts(series, roof)
    assert facts is not None
    ceilings = [(min(roof.rate, x * roof.flow), y) for _, x, y in facts["points"]]
    assert all(y <= top * (1 + 1e-9) for top, y in ceilings)
    assert any(y == pytest.approx(top) for top, y in ceilings)
    xs = [x for x, _ in facts["roof"]]
    assert xs == sorted(xs)


def test_a_record_that_tells_no_work_has_no_roofline() -> None:
    (series,) = series_of(runs(record_of()))
    assert roofs([series]) == {}
    assert roofline_facts(series, None) is None


def test_every_run_has_a_row_and_knows_the_one_before_it() -> None:
    rows = runs(record_of(), record_of(board="b2"), record_of(), record_of())
    table = runs_table(rows, series_of(rows))
    assert table["number"] == [1, 2, 3, 4]
    assert table["before"] == [0, 0, 1, 3]
    assert [table["board"]["words"][at] for at in table["board"]["at"]] == [r.board for r in rows]


@given(st.text(), st.lists(st.integers()))
def test_scripts_hold_what_was_put_in_and_no_markup(name: str, numbers: Sequence[int]) -> None:
    facts = {"name": name, "numbers": numbers}
    text = script("runs", facts)
    assert unpacked(text) == facts
    assert not set(text) & set("<>&'\\")


def test_names_show_what_they_hide() -> None:
    (run,) = runs(record_of(model="a\u202eb", board="</script>\x1b"))
    assert (run.model, run.board) == (r"a\u202eb", r"</script>\x1b")


def test_measured_and_assumed_energy_never_share_a_plot() -> None:
    def joules(kind: str, value: float, count: int) -> RunRecord:
        return record_of((count,), energy={"kind": kind, "microjoules": value, "meter": "m"})

    records = [
        joules("measured", 50.0, 10),
        replace(joules("assumed", 5.0, 20), model="m2"),
        record_of((30,), model="m3"),
    ]
    (plot,) = pareto_facts(series_of(runs(*records)))
    rows = {row["model"]: (row["energy"], row["assumed"]) for row in plot["points"]}
    assert rows == {"net": (50.0, None), "m2": (None, 5.0), "m3": (None, None)}
    at = [row["model"] for row in plot["points"]].index("net")
    assert plot["fronts"]["energy"] == {"all": [at], "own": [at]}


def test_throughput_and_frames_a_joule_are_figures_of_their_kind() -> None:
    energy = {"microjoules": 50.0, "inferences_per_joule": 20_000.0, "meter": "m"}
    records = [
        record_of(throughput={"fps": 12.5}, energy={**energy, "kind": "measured"}),
        record_of(throughput={"fps": None}, energy={**energy, "kind": "assumed"}),
        record_of(energy={"kind": "measured", "microjoules": 50.0}),
    ]
    keys = ("fps", "energy", "assumed", "frames", "assumed_frames")
    found = [[run.figures.get(key) for key in keys] for run in runs(*records)]
    assert found == [
        [12.5, 50.0, None, 20_000.0, None],
        [None, None, 50.0, None, 20_000.0],
        [None, 50.0, None, None, None],
    ]
