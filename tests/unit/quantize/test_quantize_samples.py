"""Sample files as users have them, right and wrong."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graphs import Draft

from deployer.errors import UsageError
from deployer.ir.graph import Graph
from deployer.quantize.samples import (
    SYNTHETIC_NOTE,
    load_dataset,
    load_samples,
    synthetic_samples,
)


def graph_of(*shape: int, name: str = "x", **meta: str) -> Graph:
    draft = Draft(*shape, name=name)
    return draft.graph(draft.rescale(name), meta={k.replace("__", "/"): v for k, v in meta.items()})


IMAGE = graph_of(1, 4, 5, 3, model_shape__x="1,3,4,5")
GREY = graph_of(1, 4, 5, 1, model_shape__x="1,1,4,5")


def saved(folder: Path, **arrays: Any) -> Path:
    np.savez(folder / "samples.npz", **arrays)
    return folder / "samples.npz"


@pytest.mark.parametrize("key", ["x", "input", "inputs", "image", "images", "data"])
def test_model_layout_becomes_channels_last(tmp_path: Path, key: str) -> None:
    stored = np.arange(2 * 3 * 4 * 5).reshape(2, 3, 4, 5)
    samples = load_samples(IMAGE, saved(tmp_path, **{key: stored}))
    assert samples.arrays["x"].dtype == np.float32
    assert np.array_equal(samples.arrays["x"], stored.transpose(0, 2, 3, 1))
    assert (samples.count, samples.source, samples.synthetic) == (2, "samples.npz", False)
    content = (tmp_path / "samples.npz").read_bytes()
    assert samples.sha256 == hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize("shape", [(7, 4, 5), (7, 1, 4, 5), (7, 4, 5, 1)])
def test_unit_axes_may_be_missing_or_elsewhere(tmp_path: Path, shape: tuple[int, ...]) -> None:
    stored = np.arange(140, dtype=np.uint8).reshape(shape)
    samples = load_samples(GREY, saved(tmp_path, image=stored))
    assert samples.arrays["x"].shape == (7, 4, 5, 1)
    assert np.array_equal(samples.arrays["x"].ravel(), np.arange(140))


@pytest.mark.parametrize("kind", ["uint8", "int64", "float16", "float64"])
def test_values_are_scaled_then_shifted(tmp_path: Path, kind: str) -> None:
    path = saved(tmp_path, x=np.full((2, 4, 5), 100, dtype=kind))
    samples = load_samples(GREY, path, input_scale=0.5, input_offset=-1.0)
    assert (samples.arrays["x"] == 49).all()


def test_limit_keeps_the_first_samples_and_labels(tmp_path: Path) -> None:
    path = saved(tmp_path, x=np.arange(200).reshape(10, 4, 5), label=np.arange(10))
    data = load_dataset(GREY, path, limit=3)
    assert data.samples.count == 3
    assert data.labels is not None
    assert data.labels.tolist() == [0, 1, 2]


@pytest.mark.parametrize("key", ["label", "labels", "y"])
@pytest.mark.parametrize("kind", ["uint8", "int64", "float32"])
def test_labels_are_integers_of_any_type(tmp_path: Path, key: str, kind: str) -> None:
    labels = np.array([[3], [0], [-1]]) if kind != "uint8" else np.array([3, 0, 255])
    path = saved(tmp_path, x=np.zeros((3, 4, 5)), **{key: labels.astype(kind)})
    found = load_dataset(GREY, path).labels
    assert found is not None
    assert found.dtype == np.int64
    assert found.tolist() == labels.ravel().tolist()


def test_no_labels_is_fine(tmp_path: Path) -> None:
    assert load_dataset(GREY, saved(tmp_path, x=np.zeros((3, 4, 5)))).labels is None


def test_the_inputs_own_name_wins_over_the_usual_ones(tmp_path: Path) -> None:
    path = saved(tmp_path, x=np.ones((1, 4, 5)), image=np.zeros((1, 4, 5)))
    assert load_samples(GREY, path).arrays["x"].all()


def test_an_input_that_the_model_holds_channels_last_stays(tmp_path: Path) -> None:
    graph = graph_of(1, 4, 5, 3, model_shape__x="1,4,5,3", model_layout__x="NHWC")
    stored = np.arange(60).reshape(1, 4, 5, 3)
    assert np.array_equal(load_samples(graph, saved(tmp_path, x=stored)).arrays["x"], stored)


def test_a_sequence_gets_its_channels_last_where_the_device_wants_them_so(tmp_path: Path) -> None:
    graph = graph_of(1, 5, 3, model_shape__x="1,3,5", model_layout__x="NCL")
    stored = np.arange(30).reshape(2, 3, 5)
    found = load_samples(graph, saved(tmp_path, x=stored)).arrays["x"]
    assert np.array_equal(found, stored.transpose(0, 2, 1))
    plain = graph_of(1, 3, 5, model_shape__x="1,3,5")
    assert np.array_equal(load_samples(plain, saved(tmp_path, x=stored)).arrays["x"], stored)


def test_feature_vectors_stay(tmp_path: Path) -> None:
    graph = graph_of(1, 6)
    stored = np.arange(12).reshape(2, 6)
    assert np.array_equal(load_samples(graph, saved(tmp_path, x=stored)).arrays["x"], stored)


def test_two_inputs_are_found_by_name(tmp_path: Path) -> None:
    draft = Draft(1, 6, name="a")
    draft.second_input(1, 6, name="b")
    graph = draft.graph(draft.add("a", "b"))
    path = saved(tmp_path, a=np.zeros((4, 6)), b=np.ones((4, 6)))
    samples = load_samples(graph, path)
    assert not samples.arrays["a"].any()
    assert samples.arrays["b"].all()
    with pytest.raises(UsageError, match="no samples for input 'b'"):
        load_samples(graph, saved(tmp_path, a=np.zeros((4, 6)), input=np.ones((4, 6))))
    with pytest.raises(UsageError, match="different numbers") as failure:
        load_samples(graph, saved(tmp_path, a=np.zeros((4, 6)), b=np.ones((3, 6))))
    assert failure.value.why == ("a: 4", "b: 3")


WRONG_SHAPES = [
    ((2, 4, 5, 3), "x.transpose(0, 3, 1, 2)"),
    ((3, 4, 5), "x[numpy.newaxis]"),
    ((2, 60), "x.reshape(-1, 3, 4, 5)"),
    ((2, 3, 4, 6), "bring each sample"),
    ((60,), "bring each sample"),
]


@pytest.mark.parametrize(("shape", "remedy"), WRONG_SHAPES)
def test_a_wrong_shape_is_explained(tmp_path: Path, shape: tuple[int, ...], remedy: str) -> None:
    with pytest.raises(UsageError, match="wrong shape") as failure:
        load_samples(IMAGE, saved(tmp_path, x=np.zeros(shape)))
    found, expected = failure.value.why
    assert found == f"found {str(shape).replace(',)', ')')}"
    assert expected.startswith("expected (samples, 3, 4, 5)")
    assert remedy in failure.value.hints[0]
    assert failure.value.exit_status == 2


def test_a_number_is_no_batch(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="wrong shape"):
        load_samples(graph_of(1, 1), saved(tmp_path, x=np.float32(3)))


WRONG_ARRAYS = [
    ({"x": np.full((2, 4, 5), np.nan)}, "NaN or infinity"),
    ({"x": np.full((2, 4, 5), 1e39)}, "NaN or infinity"),
    ({"x": np.zeros((0, 4, 5))}, "is empty"),
    ({"x": np.full((2, 4, 5), "a")}, "not numbers"),
    ({"x": np.zeros((2, 4, 5), dtype=complex)}, "not numbers"),
    ({"x": np.full((2, 4, 5), None)}, "cannot read"),
    ({"pixels": np.zeros((2, 4, 5))}, "no samples for input 'x'"),
    ({}, "no samples for input 'x'"),
    ({"image": np.zeros((1, 4, 5)), "data": np.zeros((1, 4, 5))}, "several arrays"),
    ({"x": np.zeros((2, 4, 5)), "label": np.zeros(3, dtype=int)}, "labels"),
    ({"x": np.zeros((2, 4, 5)), "label": np.array([0.5, 1])}, "labels"),
    ({"x": np.zeros((2, 4, 5)), "label": np.array(["a", "b"])}, "labels"),
    ({"x": np.zeros((2, 4, 5)), "label": np.zeros((2, 10), dtype=int)}, "labels"),
]


@pytest.mark.parametrize(("arrays", "said"), WRONG_ARRAYS)
def test_wrong_contents_are_named(tmp_path: Path, arrays: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said) as failure:
        load_dataset(GREY, saved(tmp_path, **arrays))
    assert "samples.npz" in str(failure.value)
    assert failure.value.hints


def test_what_is_not_an_npz(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no sample file"):
        load_samples(GREY, tmp_path / "absent.npz")
    with pytest.raises(UsageError, match="no sample file"):
        load_samples(GREY, tmp_path)
    np.save(tmp_path / "one.npy", np.zeros(3))
    with pytest.raises(UsageError, match="not an npz"):
        load_samples(GREY, tmp_path / "one.npy")


def test_a_damaged_npz(tmp_path: Path) -> None:
    path = saved(tmp_path, x=np.zeros((200, 4, 5)))
    content = bytearray(path.read_bytes())
    content[500:600] = bytes(100 * [255])
    path.write_bytes(content)
    with pytest.raises(UsageError, match="cannot read"):
        load_samples(GREY, path)
    path.write_bytes(content[:300])
    with pytest.raises(UsageError, match="not an npz"):
        load_samples(GREY, path)


def test_synthetic_samples_of_large_inputs_are_fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    elements = sum(IMAGE.values[name].elements for name in IMAGE.inputs)
    for room, count in ((3 * elements, 3), (1, 1), (1 << 26, 16)):
        monkeypatch.setattr("deployer.quantize.samples._MAX_SYNTHETIC_ELEMENTS", room)
        assert {len(a) for a in synthetic_samples(IMAGE).arrays.values()} == {count}


def test_synthetic_samples_are_seeded_and_marked() -> None:
    first, again, other = (synthetic_samples(IMAGE, seed=s, count=5) for s in (1, 1, 2))
    assert first.synthetic
    assert first.sha256 is None
    assert "seed 1" in first.source
    assert first.arrays["x"].shape == (5, 4, 5, 3)
    assert np.array_equal(first.arrays["x"], again.arrays["x"])
    assert not np.array_equal(first.arrays["x"], other.arrays["x"])
    assert "--calibration" in SYNTHETIC_NOTE


def test_only_the_samples_that_are_used_are_read(tmp_path: Path) -> None:
    """A file for which there is no memory is fine as long as its beginning is wanted."""
    big = np.zeros((40_000, 100, 100), dtype=np.uint8)
    big[:3] = np.arange(30_000).reshape(3, 100, 100) % 251
    np.savez_compressed(tmp_path / "samples.npz", input=big)
    graph = graph_of(1, 100, 100, 1, model_shape__x="1,1,100,100")
    found = load_samples(graph, tmp_path / "samples.npz", limit=3)
    assert np.array_equal(found.arrays["x"][..., 0], big[:3])
    with pytest.raises(UsageError, match="too large") as failure:
        load_samples(graph, tmp_path / "samples.npz")
    assert "(40000, 100, 100) of uint8" in str(failure.value)
    assert "keep the first" in str(failure.value)


def test_a_large_file_is_read_in_pieces_that_agree_with_the_whole(tmp_path: Path) -> None:
    stored = np.random.default_rng(3).standard_normal((900, 3, 40, 50))
    graph = graph_of(1, 40, 50, 3, model_shape__x="1,3,40,50")
    found = load_samples(graph, saved(tmp_path, x=stored), input_scale=0.5, input_offset=2.0)
    whole = stored.astype(np.float32).transpose(0, 2, 3, 1) * np.float32(0.5) + np.float32(2.0)
    assert np.array_equal(found.arrays["x"], whole)


@pytest.mark.parametrize("label", [np.array([np.nan, 0.0]), np.array([1e300, 0.0])])
def test_labels_beyond_any_class_are_refused(tmp_path: Path, label: np.ndarray) -> None:
    path = saved(tmp_path, x=np.zeros((2, 4, 5)), label=label)
    with pytest.raises(UsageError, match="labels"):
        load_dataset(GREY, path)
