"""Limits that quantization keeps, each on both sides, in the numbers that the docs state."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from deployer.ir.attrs import ConcatAttrs, Window
from deployer.ir.types import QuantParams
from deployer.numerics.requant import choose
from deployer.quantize import npz, tune
from deployer.quantize.goal import Goal
from deployer.quantize.linear import solve_linear
from deployer.quantize.mixed import Quality, Search, Wide
from deployer.quantize.multiply_shift import multiply_shift
from deployer.quantize.rounding import has_moments, input_rows
from deployer.quantize.scheme import Linear, Tensor
from deployer.quantize.share import shared
from deployer.quantize.thresholds import Method
from deployer.quantize.tune import Choice, Options, Trial, decide, few, ratio
from deployer.quantize.widen import Misfit, fit_output
from unit.quantize.graphs import Draft

INT8, INT16 = (-128, 127), (-32768, 32767)


def of_bound(bound: int, bits: int) -> Linear:
    """A layer of int8 weights 127 whose partial sums come to ``bound``, with the bias's help."""
    interval = INT8 if bits == 8 else INT16
    taps, rest = divmod(bound, -interval[0] * 127)
    x = Tensor(QuantParams((1.0,), 0, bits=bits), interval)
    rows, wide = np.full((1, taps), 127.0), QuantParams((2.0**14,), 0, bits=bits)
    return Linear(rows, np.array([-float(rest)]), np.zeros(1), x, wide)


@pytest.mark.parametrize(("bits", "limit"), [(8, 2**30), (16, 2**31 - 2**23)])
def test_accumulators_leave_room_for_a_rounding_constant(bits: int, limit: int) -> None:
    """2^30 beside outputs of int8, 2^31 less 2^23 beside those of int16."""
    most, more = (
        solve_linear(of_bound(bound, bits), multiply_shift()) for bound in (limit, limit + 1)
    )
    assert (most.scales.tolist(), most.notes) == ([1.0], ())
    assert most.bias.tolist() == [-(limit % (128 * 127 if bits == 8 else 32768 * 127))]
    assert more.scales.tolist() == [2.0]
    assert more.notes == ("weight scale widened in 1 channel(s) to stay in int32",)


@pytest.mark.parametrize(("doublings", "fits"), [(0, True), (63, True), (64, False)])
def test_an_output_is_widened_63_times(doublings: int, fits: bool) -> None:
    def attempt(output: QuantParams) -> Any:
        if output.tensor_scale < 2.0**doublings:
            raise ValueError("too fine")
        return choose("i32", np.ones(1), np.ones(1, int), 0)

    if not fits:
        with pytest.raises(Misfit, match="too fine"):
            fit_output(QuantParams((1.0,)), attempt)
        return
    output, _, notes = fit_output(QuantParams((1.0,)), attempt)
    assert output.tensor_scale == 2.0**doublings
    said = f"output scale widened {2**doublings} times: too fine"
    assert notes == ((said,) if doublings else ())


def test_moments_are_kept_for_rows_of_1024_taps_at_most() -> None:
    for taps, kept in ((1024, True), (1025, False)):
        draft = Draft(1, taps)
        graph = draft.graph(draft.dense("x", 2))
        assert has_moments(graph, graph.nodes[0]) == kept


@pytest.mark.parametrize(("rows", "count"), [(64, 2048), (65, 2048), (63, 2016)])
def test_2048_windows_of_a_chunk_are_looked_at(rows: int, count: int) -> None:
    """From the first to the last, evenly."""
    draft = Draft(1, rows, 32, 1)
    draft.conv("x", 2, Window((1, 1)))
    x = np.arange(rows * 32, dtype=np.float32).reshape(1, rows, 32, 1)
    (found,) = input_rows(draft.nodes[0], x)
    assert found.shape == (count, 1)
    assert (found[0], found[-1]) == (0, rows * 32 - 1)
    assert set(np.diff(found[:, 0])) <= {1.0, 2.0}


def test_corrections_are_tried_on_64_samples_and_two_milliard_products() -> None:
    draft = Draft(1, 10)
    small = draft.graph(draft.dense("x", 3))
    assert len(few(small, {"x": np.zeros((70, 10))})["x"]) == 64
    # 2·10^9 / (125·125·64·100) products are 20 samples
    draft = Draft(1, 125, 125, 64)
    large = draft.graph(draft.conv("x", 100, Window((1, 1))))
    assert len(few(large, {"x": np.zeros(70)})["x"]) == 20
    draft = Draft(1, 125, 125, 64)
    larger = draft.graph(draft.conv("x", 101, Window((1, 1))))
    assert len(few(larger, {"x": np.zeros(70)})["x"]) == 19
    draft = Draft(1, 250, 250, 64)
    largest = draft.graph(draft.conv("x", 200, Window((1, 1))))
    assert len(few(largest, {"x": np.zeros(70)})["x"]) == 4


MINMAX, MSE = Method("minmax", 100.0), Method("mse", 100.0)


def judged(
    monkeypatch: pytest.MonkeyPatch, options: Options, worth: dict[Choice, float]
) -> tuple[Choice, tuple[Trial, ...]]:
    """What is decided where each choice has the quality of ``worth``."""
    draft = Draft(1, 10)
    graph = draft.graph(draft.dense("x", 3))
    monkeypatch.setattr(tune, "quality", lambda made, held, expected: worth[made])
    arrays = {"x": np.zeros((8, 10), np.float32)}
    return decide(graph, arrays, options, lambda evened, methods, fit: lambda choice: choice)


@pytest.mark.parametrize(("gain", "taken"), [(0.99, False), (1.01, True)])
def test_a_correction_has_to_gain_a_decibel(
    gain: float, taken: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual, other = Choice(MINMAX, False, True), Choice(MINMAX, True, True)
    options = Options((MINMAX,), ((False, True), (True, True)))
    found, trials = judged(monkeypatch, options, {usual: 20.0, other: 20.0 + gain})
    assert found == (other if taken else usual)
    assert [trial.sqnr_db for trial in trials] == [20.0, pytest.approx(20 + gain)]


@pytest.mark.parametrize(("gain", "taken"), [(0.49, False), (0.51, True)])
def test_a_method_has_to_gain_half_a_decibel(
    gain: float, taken: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the corrections are tried with the method that was taken."""
    worth = {
        Choice(MINMAX, False, True): 20.0,
        Choice(MSE, False, True): 20 + gain,
        Choice(MINMAX, True, True): 21.5,
        Choice(MSE, True, True): 22.0,
    }
    options = Options((MINMAX, MSE), ((False, True), (True, True)))
    found, trials = judged(monkeypatch, options, worth)
    assert found == Choice(MSE if taken else MINMAX, True, True)
    assert [(trial.calibrate, trial.equalize) for trial in trials] == [
        ("minmax", False),
        ("mse", False),
        (found.method.name, True),
    ]


def test_an_output_without_noise_counts_120_decibels() -> None:
    x = np.ones((2, 3))
    assert ratio(x, x) == 120.0
    assert ratio(x, x * (1 + 1e-7)) == 120.0
    assert ratio(x, x * (1 + 1e-5)) == pytest.approx(100, abs=0.01)
    assert ratio(np.zeros(1), np.ones(1)) == pytest.approx(-300)


@pytest.mark.parametrize(("gain", "taken"), [(0.0021, True), (0.0019, False)])
def test_a_move_within_a_ram_takes_a_five_hundredth_of_the_noise(gain: float, taken: bool) -> None:
    def measure(wide: Wide) -> Quality:
        return Quality(1.0 - gain * len(wide), 0.0, 1.0)

    moves = {"a": frozenset({"a"}), "b": frozenset({"b"})}
    search = Search(Goal("ram", 15), moves, measure, lambda wide: 10 + 5 * len(wide))
    assert bool(search.run().names) == taken


def chain(own: QuantParams, joined: QuantParams) -> dict[str, QuantParams]:
    """A Concat that a rescale reads too and another Concat continues."""
    draft = Draft(1, 2, 2, 1)
    first = draft.node("Concat", "x", draft.rescale("x"), attrs=ConcatAttrs(3))
    last = draft.node("Concat", first, draft.rescale(first), attrs=ConcatAttrs(3))
    graph = draft.graph(last)
    quants = dict.fromkeys(graph.values, QuantParams((9.0,)))
    found = shared(graph, {**quants, first: own, last: joined})
    return {"own": found[first], "joined": joined}


@pytest.mark.parametrize(
    ("joined", "taken"),
    [
        (QuantParams((1.5,), 0), True),  # at most half as coarse again
        (QuantParams((1.51,), 0), False),
        (QuantParams((1.0,), -5), True),  # at most 2 % of 255 steps cut off at either end
        (QuantParams((1.0,), -6), False),
        (QuantParams((1.0,), 5), True),
        (QuantParams((1.0,), 6), False),
    ],
)
def test_a_chain_takes_a_scale_that_is_hardly_coarser(joined: QuantParams, taken: bool) -> None:
    found = chain(QuantParams((1.0,), 0), joined)
    assert (found["own"] == joined) == taken


@pytest.mark.parametrize(
    ("size", "most"),
    [(0, 2**28), (1000, 2**28 + 16_000), (2**27 - 2**24, 2**31 - 2**28 + 2**28), (2**27, 2**31)],
)
def test_samples_take_sixteen_times_their_file_and_256_mib_but_no_more_than_two_gib(
    size: int, most: int, tmp_path: Path
) -> None:
    np.savez(tmp_path / "x.npz", x=np.zeros(3))
    with npz.SampleFile(tmp_path / "x.npz") as file:
        file._arrays = SimpleNamespace(size=size, __exit__=lambda *given: None)  # type: ignore[assignment]
        assert file.most == most
