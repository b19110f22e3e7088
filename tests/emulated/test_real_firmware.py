"""The real firmware of every board behind its runner: the contract, and every operator."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest

from deployer.bundle import Bundle
from deployer.errors import BenchError
from deployer_hil.measure import connect, infer_dataset, prove
from deployer_hil.runner import Runner, create
from emulated.targets import BOARDS, RUNS
from fakes.contract import CONTRACT, Check
from fakes.damaged_line import DamagedRunner, Faults, Talk
from models import all_nets


@pytest.mark.parametrize("check", CONTRACT, ids=lambda check: check.__name__)
def test_contract(check: Check, real_bundle: tuple[str, Bundle]) -> None:
    name, bundle = real_bundle
    with create(name, bundle) as runner:
        check(bundle, runner)


@pytest.mark.parametrize("net", all_nets())
@pytest.mark.parametrize("run", RUNS)
def test_every_operator_is_bit_exact(
    net: str,
    run: str,
    built: Callable[..., Bundle],
    tool: Callable[[str], str],
) -> None:
    board, name, programs = RUNS[run]
    for program in programs:
        tool(program)
    bundle = built(board, net, softmax="device", runner=name)
    with create(name, bundle) as runner:
        record = prove(bundle, runner)
    assert record.golden.match, record.golden


def test_a_sample_of_a_dataset_costs_three_replies_and_few_bytes_beside_its_input(
    built: Callable[..., Bundle], tool: Callable[[str], str]
) -> None:
    """What a thousand samples take on the emulated nucleo follows from these: each byte is an event
    of the emulator, and each reply is waited for."""
    for program in BOARDS["nucleo-f767zi"][1]:
        tool(program)
    bundle = built("nucleo-f767zi", "residual_net")
    with create("qemu_system", bundle) as runner:
        few, more = (_talk(bundle, runner, count) for count in (4, 12))
    sent, heard = ((more.counts[way] - few.counts[way]) / 8 for way in "><")
    assert (len(more.ends) - len(few.ends)) / 8 == 3  # of the frame, the inference, the output
    assert sent <= sum(tensor["bytes"] for tensor in bundle.manifest["inputs"]) + 50
    assert heard <= 450


def _talk(bundle: Bundle, runner: Runner, count: int) -> Talk:
    """What is said for ``count`` samples."""
    heard = DamagedRunner(runner, Faults())
    rows = np.resize(bundle.golden["input"], (count, bundle.golden["input"].shape[1]))
    assert (infer_dataset(bundle, heard, rows) == _golden(bundle, count)).all()
    assert heard.line is not None
    return heard.line.talk


def _golden(bundle: Bundle, count: int) -> np.ndarray:
    return np.resize(bundle.golden["output"], (count, bundle.golden["output"].shape[1]))


def test_another_image_is_refused_before_anything_is_measured(
    built: Callable[..., Bundle], tool: Callable[[str], str]
) -> None:
    tool("gcc")
    bundle = built("host", "residual_net")
    other = Bundle(bundle.path, {**bundle.manifest, "id": "0" * 16})
    with create("host", other) as runner, pytest.raises(BenchError) as caught:
        prove(other, runner)
    assert bundle.id in str(caught.value)
    assert "0" * 16 in str(caught.value)


def test_counts_repeat_exactly_on_the_emulated_m7(
    built: Callable[..., Bundle], tool: Callable[[str], str]
) -> None:
    for program in BOARDS["nucleo-f767zi"][1]:
        tool(program)
    bundle = built("nucleo-f767zi", "residual_net")
    with create("qemu_system", bundle) as runner:
        records = [prove(bundle, runner) for _ in range(2)]
    first, second = ([layer.count for layer in record.layers] for record in records)
    assert first == second
    assert records[0].kind == "counted"
    assert records[0].counts_agree


def test_simulated_cycles_of_gap8_repeat_whatever_was_before(
    built: Callable[..., Bundle], tool: Callable[[str], str]
) -> None:
    """Other commands, other waits, another process: the first run of the network takes the same
    cycles. Its first layer finds no code in the caches, as it does in later ones; further layers
    displace each other's in any run."""
    for program in BOARDS["gap8"][1]:
        tool(program)
    bundle = built("gap8", "residual_net")
    with create("gap8_sim", bundle) as runner:
        record = prove(bundle, runner)
        with connect(bundle, runner) as session:
            session.timestamp()
            time.sleep(0.06)
            session.load(bundle.golden["input"][0].tobytes())
            again = session.layers(len(record.layers))
    cold, warm = zip(*(layer.counts for layer in record.layers), strict=True)
    assert tuple(layer.count for layer in again) == cold
    assert cold[0] > warm[0] > 0
    assert sum(warm) == pytest.approx(sum(cold), rel=0.02)
    assert (record.kind, record.counter) == ("simulated", "cycles")
