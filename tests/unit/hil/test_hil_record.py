"""Records survive a file; anything else is refused."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deployer.errors import UsageError
from deployer_hil import record as records
from deployer_hil.record import GoldenRecord, LayerRecord, RunRecord
from fakes.records import record_of

NUMBER = st.integers(0, 2**62)
LAYER = st.builds(
    LayerRecord, NUMBER, st.text(max_size=8), st.booleans(), st.tuples(NUMBER, NUMBER)
)
GOLDEN = st.builds(GoldenRecord, st.booleans(), NUMBER, NUMBER, NUMBER, NUMBER)
TEXTS = st.dictionaries(st.text(max_size=8), st.text(max_size=8), max_size=3)
RECORD = st.builds(
    RunRecord,
    **{name: st.text(max_size=8) for name in ("runner", "tool", "board", "target", "bundle")},
    **{name: st.text(max_size=8) for name in ("model", "model_sha256", "kind", "counter")},
    counts_agree=st.booleans(),
    caps=TEXTS,
    mem=st.dictionaries(st.text(max_size=8), NUMBER, max_size=3),
    layers=st.lists(LAYER, max_size=3).map(tuple),
    golden=GOLDEN,
    host=TEXTS,
    schema=st.just(records.SCHEMA),
)


@given(RECORD)
def test_a_record_survives_its_line(record: RunRecord) -> None:
    line = record.to_json()
    assert "\n" not in line
    assert RunRecord.from_json(line) == record


def example() -> RunRecord:
    texts = {
        field.name: "x" for field in dataclasses.fields(RunRecord) if field.type in ("str", str)
    }
    layers = (LayerRecord(0, "conv", True, (9, 7)), LayerRecord(1, "fc", True))
    golden = GoldenRecord(True, 1, 1, 10, 0)
    return RunRecord(
        **texts, counts_agree=False, caps={}, mem={}, layers=layers, golden=golden, host={}
    )


def test_a_line_gives_median_and_minimum() -> None:
    rows = json.loads(example().to_json())["layers"]
    assert (rows[0]["count"], rows[0]["minimum"], rows[0]["counts"]) == (7, 7, [9, 7])
    assert (rows[1]["count"], rows[1]["minimum"]) == (None, None)


def test_records_gather_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    for _ in range(2):
        records.append(path, example())
    assert records.read(path) == [example(), example()]


def lines_that_are_no_record() -> list[str]:
    body = json.loads(example().to_json())
    return [
        "",
        "[]",
        "{}",
        "not json",
        json.dumps({**body, "schema": 99}),
        json.dumps({**body, "extra": 1}),
        json.dumps({key: value for key, value in body.items() if key != "golden"}),
        json.dumps({**body, "layers": [{}]}),
        json.dumps({**body, "golden": None}),
    ]


@pytest.mark.parametrize("line", lines_that_are_no_record())
def test_anything_else_is_refused(line: str) -> None:
    with pytest.raises(UsageError, match="record"):
        RunRecord.from_json(line)


def test_the_work_of_layers_survives_and_older_records_have_none() -> None:
    layer = LayerRecord(0, "conv", True, (9,), macs=40, moved=12)
    record = dataclasses.replace(record_of(()), layers=(layer,))
    assert RunRecord.from_json(record.to_json()).layers == (layer,)
    body = json.loads(record.to_json())
    for name in ("macs", "moved"):
        del body["layers"][0][name]
    (older,) = RunRecord.from_json(json.dumps(body)).layers
    assert (older.macs, older.moved) == (None, None)
