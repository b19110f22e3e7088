"""Files of artifacts that say something else than their fields take: where, and what."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from deployer.choices import Word
from deployer.errors import UsageError
from deployer.ir import serde
from deployer.ir.decode import DecodeError, Decoder


class Colour(Enum):
    RED = "red"


class Shade(Word):
    DARK = "dark"


@dataclass(frozen=True)
class Dot:
    x: int
    y: float = 0.0


@dataclass(frozen=True)
class Line:
    ends: tuple[Dot, Dot]
    names: tuple[str, ...]
    colour: Colour | None
    marks: dict[str, int]
    weights: np.ndarray
    closed: bool
    more: Any


def array(key: str) -> np.ndarray:
    return np.full(2, len(key))


DECODER = Decoder({"Dot": Dot, "Line": Line}, {"Colour": Colour}, array)
DOT = {"$": "Dot", "x": 1, "y": 2}
LINE: dict[str, Any] = {
    "$": "Line", "ends": [DOT, DOT], "names": ["a", "b"],
    "colour": {"$enum": "Colour", "value": "red"}, "marks": {"$map": {"m": 3}},
    "weights": {"$array": "abc"}, "closed": True, "more": None,
}  # fmt: skip


@dataclass(frozen=True)
class Mark:
    shade: Shade


def test_a_word_is_written_as_a_text_and_read_as_a_member(tmp_path: Path) -> None:
    decoder = Decoder({"Mark": Mark}, {}, array)
    assert decoder.decode({"$": "Mark", "shade": "dark"}).shade is Shade.DARK
    serde.save(Shade.DARK, tmp_path / "word.json")
    assert json.loads((tmp_path / "word.json").read_text())["artifact"] == "dark"
    for wrong in ("light", 1, None, {"$enum": "Shade", "value": "dark"}):
        with pytest.raises(DecodeError, match=r"artifact\.shade is no"):
            decoder.decode({"$": "Mark", "shade": wrong})


def test_every_kind_of_field_is_read() -> None:
    found = DECODER.decode({**LINE, "more": [1, {"$map": {"k": [2.5, "t", False]}}, None]})
    assert isinstance(found, Line)
    assert found.ends == (Dot(1, 2), Dot(1, 2))
    assert (found.names, found.colour, found.marks) == (("a", "b"), Colour.RED, {"m": 3})
    assert (found.weights.tolist(), found.closed) == ([3, 3], True)
    assert found.more == (1, {"k": (2.5, "t", False)}, None)
    assert DECODER.decode({**LINE, "colour": None}).colour is None
    assert DECODER.decode({**LINE, "names": []}).names == ()
    assert DECODER.decode({**LINE, "more": {"$array": "k"}}).more.tolist() == [1, 1]
    assert DECODER.decode({**LINE, "more": {"$enum": "Colour", "value": "red"}}).more is Colour.RED


LARGE = 1 << 62


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"ends": [DOT]}, "artifact.ends has 1 items, not 2"),
        ({"ends": [DOT, LINE]}, "artifact.ends[1] is no Dot"),
        ({"ends": [DOT, None]}, "artifact.ends[1] is no Dot"),
        ({"ends": DOT}, "artifact.ends is no list"),
        ({"ends": [DOT, {**DOT, "x": 1.5}]}, "artifact.ends[1].x is no int"),
        ({"ends": [{**DOT, "x": True}, DOT]}, "artifact.ends[0].x is no int"),
        ({"ends": [{**DOT, "y": "1"}, DOT]}, "artifact.ends[0].y is no float"),
        ({"ends": [{**DOT, "x": LARGE + 1}, DOT]}, "artifact.ends[0].x is too large"),
        ({"ends": [{**DOT, "x": -LARGE - 1}, DOT]}, "artifact.ends[0].x is too large"),
        ({"names": [1]}, "artifact.names[0] is no str"),
        ({"names": "ab"}, "artifact.names is no list"),
        ({"colour": {"$enum": "Colour", "value": "blue"}}, "artifact.colour is no Colour"),
        ({"colour": {"$enum": "Taste", "value": "red"}}, "artifact.colour is no Taste"),
        ({"colour": {"$enum": "Colour"}}, "artifact.colour is no Colour"),
        ({"colour": "red"}, "artifact.colour is no Colour"),
        ({"marks": {"m": 3}}, "artifact.marks is no table"),
        ({"marks": {"$map": [3]}}, "artifact.marks is no table"),
        ({"marks": {"$map": {"m": None}}}, "artifact.marks.m is no int"),
        ({"weights": [1]}, "artifact.weights is no array"),
        ({"weights": {"$array": 1}}, "artifact.weights is no array"),
        ({"closed": 1}, "artifact.closed is no bool"),
        ({"more": {}}, "artifact.more names no known class"),
        ({"more": {"$": "Dots"}}, "artifact.more names no known class"),
        ({"more": {"$": ["Dot"]}}, "artifact.more names no known class"),
        ({"more": [0, {"$": "Dot", "x": 1}]}, "artifact.more[1]: Dot and 'y' do not agree"),
        ({"more": {**DOT, "z": 1, "a": 2}}, "artifact.more: Dot and 'a' do not agree"),
        ({"more": {"$map": {"k": {"$map": 1}}}}, "artifact.more.k is no table"),
    ],
)
def test_what_a_field_does_not_take_is_named_with_its_place(
    change: dict[str, Any], said: str
) -> None:
    with pytest.raises(DecodeError) as caught:
        DECODER.decode({**LINE, **change})
    assert str(caught.value) == said


@pytest.mark.parametrize("number", [LARGE, -LARGE, 0])
def test_integers_of_up_to_62_bits_are_read(number: int) -> None:
    assert DECODER.decode({**DOT, "x": number}).x == number


def refusal(path: Path) -> UsageError:
    with pytest.raises(UsageError) as caught:
        serde.load(path)
    return caught.value


AGAIN = "run from stage plan again: it was edited, or is damaged"


@pytest.mark.parametrize(
    ("body", "what", "why", "hint"),
    [
        ([], "PATH has schema None, this version reads 1", (), None),
        ({"artifact": 1}, "PATH has schema None, this version reads 1", (), None),
        ({"schema": 2, "artifact": 1}, "PATH has schema 2, this version reads 1", (), None),
        ({"schema": 1}, "not a readable artifact: PATH", ("it holds no artifact",), AGAIN),
        (
            {"schema": 1, "artifact": {"$": "Nobody"}},
            "not a readable artifact: PATH", ("artifact names no known class",), AGAIN,
        ),
    ],
)  # fmt: skip
def test_files_of_no_artifact_say_what_to_run_again(
    body: Any, what: str, why: tuple[str, ...], hint: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "4-plan" / "plan.json"
    path.parent.mkdir()
    path.write_text(json.dumps(body))
    found = refusal(path)
    assert found.what == what.replace("PATH", str(path))
    assert found.why == why
    assert found.hints == (hint or "run the earlier stages again, without --from",)


def test_a_file_that_is_not_there_says_what_to_run_first(tmp_path: Path) -> None:
    found = refusal(tmp_path / "plan.json")
    assert found.what == f"no artifact at {tmp_path / 'plan.json'}"
    assert found.hints == ("run the earlier stages first",)


def test_a_file_of_no_stage_is_made_again(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text("{")
    (hint,) = refusal(tmp_path / "plan.json").hints
    assert hint == "make it again: it was edited, or is damaged"


def test_arrays_that_are_missing_or_too_large_are_named(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    serde.save({"x": np.zeros(3)}, path)
    path.with_suffix(".npz").write_bytes(serde.pack_arrays({"other": np.zeros(3)}))
    (why,) = refusal(path).why
    assert why == "a.npz: no array '0000.x'"


def test_arrays_are_packed_without_the_time_of_day() -> None:
    data = serde.pack_arrays({"b": np.ones(2, np.int8), "a": np.zeros(1, np.float32)})
    assert data == serde.pack_arrays({"a": np.zeros(1, np.float32), "b": np.ones(2, np.int8)})
    assert data.index(b"a.npy") < data.index(b"b.npy")
    assert data[10:14] == b"\x00\x00\x21\x00"  # midnight, the first of January 1980
