"""The proof: what the record says of good and bad devices."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from deployer.bundle import Bundle
from deployer.errors import BenchError, UsageError
from deployer_hil.exchange import Timeouts
from deployer_hil.measure import infer_dataset, prove
from deployer_hil.process import start
from deployer_hil.record import RunRecord
from deployer_hil.runner import Caps, create
from deployer_hil.runners.program import ProgramRunner
from fakes import fake_loader
from fakes.bundles import SAMPLES
from fakes.fake_device import STACK_USED

Toy = Callable[..., Bundle]
COUNTING = Caps(timing="instructions", kind="counted")


def prove_on(bundle: Bundle, caps: Caps = COUNTING, **options: int) -> RunRecord:
    command = [str(bundle.firmware)]
    with ProgramRunner("toy", caps, lambda loaded: command) as runner:
        return prove(bundle, runner, timeouts=Timeouts(silence=0.05), **options)


def test_a_good_device_is_proven(toy: Toy) -> None:
    record = prove_on(toy())
    assert record.golden.match
    assert (record.golden.samples, record.golden.matching) == (SAMPLES, SAMPLES)
    assert (record.golden.elements, record.golden.differing) == (40 * SAMPLES, 0)
    assert record.golden.first_layer is None
    assert [layer.name for layer in record.layers] == ["widen", "mirror", "head"]
    assert [layer.count for layer in record.layers] == [1000, 2000, 3000]
    assert (record.kind, record.counter, record.counts_agree) == ("counted", "instructions", True)
    assert (record.board, record.target) == ("toy", "toy-twin")
    assert record.mem["stack_used"] == STACK_USED  # asked for after the runs


def test_a_wrong_layer_is_named_and_nothing_raised(toy: Toy) -> None:
    record = prove_on(toy(wrong_step=1))
    assert not record.golden.match
    assert record.golden.first_layer == "mirror"
    assert record.golden.first_sample == 0
    assert [layer.match for layer in record.layers] == [True, False, False]
    assert record.golden.differing == SAMPLES  # one element a sample


def test_a_difference_that_does_not_come_again_is_no_verdict(toy: Toy) -> None:
    with pytest.raises(BenchError, match="sample 0 now one way, now another") as caught:
        prove_on(toy(wrong_step=1, wrong_runs=1))
    assert caught.value.why == ("first differing layer of the run that is not golden: mirror",)


@pytest.mark.parametrize("verb", ["x-caps", "x-load", "x-layers", "x-out", "x-mem", "x-id", "name"])
def test_a_restart_voids_what_it_falls_into_and_no_more(toy: Toy, verb: str) -> None:
    calm = prove_on(toy())
    record = prove_on(toy(restarts={verb: 2}))
    assert (record.golden, record.layers, record.mem) == (calm.golden, calm.layers, calm.mem)


def test_a_device_that_restarts_again_and_again_is_named(toy: Toy) -> None:
    with pytest.raises(BenchError, match=r"restarted 4 times: .* while 'x-layers'") as caught:
        prove_on(toy(restarts={"x-layers": 99}))
    assert caught.value.hints[0].startswith("check its supply")


DIFFERS = ["image", 4096, "00c0ffee", "deadbeef"]


@pytest.mark.parametrize(
    ("constants", "told"),
    [
        (["image", 4096, "00c0ffee", "00c0ffee"], "as built"),
        (DIFFERS, "image differs (4,096 bytes, CRC deadbeef, built with 00c0ffee)"),
    ],
)
def test_a_mismatch_asks_whether_the_weights_are_those_of_the_build(
    toy: Toy, constants: list[object], told: str
) -> None:
    assert prove_on(toy(wrong_step=1, constants=constants)).golden.weights == told


def test_weights_are_not_asked_for_where_all_is_exact(toy: Toy) -> None:
    assert prove_on(toy(constants=DIFFERS)).golden.weights is None


def test_a_board_with_other_weights_is_not_measured(toy: Toy) -> None:
    measured = Caps(timing="cycles", kind="measured")
    fine = {"clock_hz": "1000000"}
    assert prove_on(toy(caps=fine), measured).golden.match
    with pytest.raises(BenchError, match="not those of the bundle: image differs") as caught:
        prove_on(toy(caps=fine, constants=DIFFERS), measured)
    assert "not programmed well" in caught.value.why[0]


def test_a_wrong_output_behind_right_layers_is_seen(toy: Toy) -> None:
    record = prove_on(toy(wrong_output=True))
    assert not record.golden.match
    assert record.golden.first_layer is None
    assert all(layer.match for layer in record.layers)
    assert record.golden.differing == SAMPLES


def test_counts_that_differ_between_runs_are_told(toy: Toy) -> None:
    record = prove_on(toy(jitter=True))
    assert record.golden.match
    assert not record.counts_agree
    first = record.layers[0]
    assert len(set(first.counts)) == 2
    assert first.minimum == min(first.counts)


def test_counts_are_divided_by_what_the_counter_counts(toy: Toy) -> None:
    record = prove_on(toy(counter_per="0.025"))  # a tick is 40 instructions
    assert [layer.count for layer in record.layers] == [40_000, 80_000, 120_000]


@pytest.mark.parametrize("per", ["0", "-1", "many", "nan", "inf"])
def test_a_senseless_counter_is_refused(toy: Toy, per: str) -> None:
    with pytest.raises(BenchError, match=f"counter_per={per}"):
        prove_on(toy(counter_per=per))


@pytest.mark.parametrize(("caps", "counter"), [(Caps(), "instructions"), (COUNTING, "none")])
def test_no_count_is_given_where_none_is_worth_anything(toy: Toy, caps: Caps, counter: str) -> None:
    record = prove_on(toy(counter=counter), caps)
    assert (record.kind, record.counter) == ("none", "none")
    assert [layer.count for layer in record.layers] == [None, None, None]
    assert record.counts_agree
    assert record.golden.match


def test_samples_can_be_limited(toy: Toy) -> None:
    assert prove_on(toy(), samples=1).golden.samples == 1


@pytest.mark.parametrize("samples", [0, SAMPLES + 1])
def test_samples_that_are_not_there_are_refused(toy: Toy, samples: int) -> None:
    with pytest.raises(UsageError, match=f"{samples} samples of {SAMPLES}"):
        prove_on(toy(), samples=samples)


def test_the_wrong_image_is_never_measured(toy: Toy) -> None:
    with pytest.raises(BenchError, match="wrong image on toy: it runs 0123456789abcdef"):
        prove_on(toy(manifest_id="f" * 16))


def test_a_program_that_dies_at_start_shows_its_last_words(toy: Toy) -> None:
    with pytest.raises(BenchError, match="the device ended") as caught:
        prove_on(toy(die_at="start"))
    assert any("fatal: cannot map memory at start" in line for line in caught.value.why)
    assert "ended with status 3" in caught.value.why[0]


def test_a_program_that_dies_in_a_run_shows_its_last_words(toy: Toy) -> None:
    with pytest.raises(BenchError, match="the device ended") as caught:
        prove_on(toy(die_at="x-layers"))
    assert any("cannot map memory at x-layers" in line for line in caught.value.why)


def test_progress_counts_the_samples(toy: Toy) -> None:
    told: list[tuple[str, int, int]] = []
    bundle = toy()
    with create("host", bundle) as runner:
        prove(bundle, runner, progress=lambda *step: told.append(step))
        infer_dataset(bundle, runner, bundle.golden["input"], progress=lambda *s: told.append(s))
    proven, inferred = told[:SAMPLES], told[SAMPLES:]
    assert proven == [("prove", i, SAMPLES) for i in range(1, SAMPLES + 1)]
    assert inferred == [("infer", i, SAMPLES) for i in range(1, SAMPLES + 1)]


def test_an_empty_dataset_gives_no_outputs(toy: Toy) -> None:
    bundle = toy()
    with create("host", bundle) as runner:
        assert infer_dataset(bundle, runner, np.empty((0, 1500), np.int8)).shape == (0, 40)


@pytest.mark.parametrize(
    "inputs", [np.zeros((2, 7), np.int8), np.zeros((2, 1500), np.uint8), np.zeros(1500, np.int8)]
)
def test_inputs_of_the_wrong_shape_or_type_are_refused(toy: Toy, inputs: np.ndarray) -> None:
    bundle = toy()
    with pytest.raises(UsageError, match=r"the device takes int8 \(N, 1500\)"):
        infer_dataset(bundle, create("host", bundle), inputs)


def test_the_whole_flash_flow_runs_without_a_probe(toy: Toy) -> None:
    bundle = toy(target="toy", runners={"pyocd": {"baud": 115_200}}, counter="cycles")
    loader = fake_loader.device(bundle)
    parts: list[float] = []
    with create("pyocd", bundle, loader=loader, progress=parts.append) as runner:
        record = prove(bundle, runner)
        infer_dataset(bundle, runner, bundle.golden["input"])
    assert record.golden.match
    assert (record.runner, record.kind, record.counter) == ("pyocd", "measured", "cycles")
    assert loader.calls == ["find", "program", "reset", "reset"]  # programmed once
    assert parts[-1] == 1.0


def test_a_reset_of_a_board_ends_its_stream_and_starts_the_image_anew(toy: Toy) -> None:
    bundle = toy(target="toy", runners={"pyocd": {}})
    loader = fake_loader.device(bundle)
    with create("pyocd", bundle, loader=loader) as runner:
        runner.load(bundle)
        stream = runner.open()
        runner.reset()
        assert not stream.alive
        assert loader.calls == ["find", "program", "reset", "reset"]


def test_a_loader_can_be_named(toy: Toy) -> None:
    bundle = toy(runners={"pyocd": {"twin": "toy-twin"}})
    with create("pyocd", bundle, loader="fakes.fake_loader:device") as runner:
        record = prove(bundle, runner, samples=1)
    assert record.golden.match
    assert record.kind == "none"  # an emulated twin measures nothing


def test_a_port_that_is_open_elsewhere_stops_before_programming(toy: Toy) -> None:
    bundle = toy(runners={"pyocd": {"twin": "toy-twin"}})
    loader = fake_loader.device(bundle)
    from deployer_hil.serial_ports import open_port

    other = open_port(str(loader.find().port), 115_200)
    with create("pyocd", bundle, loader=loader) as runner:
        with pytest.raises(BenchError, match="is busy: another program has it open"):
            runner.load(bundle)
        assert "program" not in loader.calls
        other.close()
        assert prove(bundle, runner, samples=1).golden.match


def test_two_devices_do_not_disturb_each_other(toy: Toy) -> None:
    bundle = toy()
    line = start([str(bundle.firmware)])
    assert prove_on(bundle).golden.match
    line.close()
