"""The firmware of GAP8 in GVSoC's pulp-open, where that is installed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from deployer.bundle import Bundle
from deployer.pipeline.job import make_job
from deployer.pipeline.options import Options
from deployer.pipeline.stages import execute
from deployer_hil.measure import prove
from deployer_hil.runner import create
from fakes.contract import CONTRACT, Check
from models import all_nets
from tests.emulated.gap8_programs import COMPILER

RUNNER = "pulp_open"


@pytest.fixture(autouse=True)
def tools(tool: Callable[[str], str]) -> None:
    for name in (COMPILER, "pulp-open"):
        tool(name)


@pytest.mark.parametrize("check", CONTRACT, ids=lambda check: check.__name__)
def test_contract(check: Check, built: Callable[..., Bundle]) -> None:
    bundle = built("gap8", "residual_net", runner=RUNNER)
    with create(RUNNER, bundle) as runner:
        check(bundle, runner)


@pytest.mark.parametrize("net", all_nets())
def test_every_operator_is_bit_exact(net: str, built: Callable[..., Bundle]) -> None:
    bundle = built("gap8", net, softmax="device", runner=RUNNER)
    with create(RUNNER, bundle) as runner:
        record = prove(bundle, runner)
    assert record.golden.match, record.golden
    assert record.caps["chip"] == "pulp-open"


def test_resnet8_is_bit_exact_in_tiles(shared_models: Path, tmp_path: Path) -> None:
    model = shared_models / "resnet8_cifar10" / "resnet8_cifar10.onnx"
    options = Options(golden_samples=1)
    job = make_job(model, "gap8", options=options, runner=RUNNER, output=tmp_path)
    bundle: Bundle = execute(job).get("build")
    with create(RUNNER, bundle) as runner:
        record = prove(bundle, runner)
    assert record.golden.match, record.golden
    assert all(layer.match for layer in record.layers)
