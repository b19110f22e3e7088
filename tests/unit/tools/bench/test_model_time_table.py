"""Tables of counted instructions and estimated cycles."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np

from deployer.tools.bench.kernels_table import kernels_facts, kernels_markdown
from deployer.tools.bench.model_time_table import model_time_facts, model_time_markdown
from deployer.tools.bench.reference import NETWORKS
from unit.tools.bench.timed_nets import layer, timed
from unit.tools.timing.measured import MACHINE


def rows_of(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_a_row_tells_counted_estimated_and_floor() -> None:
    head, _, row, total = rows_of(model_time_markdown(model_time_facts(MACHINE, [timed(36_864)])))
    found = dict(zip(head, row, strict=True))
    assert found["instructions"] == "36,864"
    assert found["i/MAC"] == "2.00"
    assert found["core c/MAC"] == "1.00"
    assert found["c/MAC"] == f"{(18_432 + 100) / 18_432:.2f}"
    assert found["ms"] == f"{1000 * 18_532 / 216e6:.3g}"
    assert (found["floor c/MAC"], found["reached"]) == ("0.50", f"{9216 / 18_532:.0%}")
    assert total[0] == "**all**"
    assert total[3:] == row[3:]


def test_what_multiplies_nothing_is_told_by_element() -> None:
    pool = layer(0, 1024, macs=0, floor=None, elements=64)
    network = replace(timed(1), layers=(pool,), macs=0)
    _, _, row, total = rows_of(model_time_markdown(model_time_facts(MACHINE, [network])))
    assert row[5] == "16.00/el"
    assert row[3] == row[-1] == row[-2] == ""
    assert total[-1] == ""


def test_kind_error_costs_and_compiler_are_told() -> None:
    text = model_time_markdown(model_time_facts(MACHINE, [timed(36_864)]))
    for said in ("counted, exactly", "estimated, ± 15%", "± 8%", "216 MHz", "(board file)"):
        assert said in text
    assert "a compiler 1.0, -O2 -mthumb" in text
    assert "an emulator 2.0" in text
    assert "No rule" not in text
    assert "frobnicate" in model_time_markdown(
        model_time_facts(MACHINE, [timed(9, unknown=("frobnicate",))])
    )


def test_inner_loops_are_shown_on_demand() -> None:
    facts = model_time_facts(MACHINE, [timed(36_864)])
    assert "smlad" not in model_time_markdown(facts)
    text = model_time_markdown(facts, loops=True)
    assert (
        "conv0, sum_2x3: 2 instructions in 2 cycles (estimated), 4,608 times, 50% of core" in text
    )
    assert "    smlad r0, r1, r2, r0\n    bne #8\n" in text


def test_facts_are_json_with_their_kinds() -> None:
    facts = json.loads(json.dumps(model_time_facts(MACHINE, [timed(36_864, 1000)])))
    assert facts["kinds"] == {"instructions": "counted", "cycles": "estimated"}
    assert facts["error"] == 0.15
    network = facts["networks"][0]
    assert network["total"]["instructions"] == 37_864
    assert network["total"]["cycles"] == sum(each["cycles"] for each in network["layers"])


def test_a_layer_of_several_networks_is_one_row() -> None:
    other = layer(1, 500, geometry="1x1x8 -> 1x1x4", op="FullyConnected")
    networks = [
        timed(1000, 1000),
        replace(timed(1000, name="more"), layers=(layer(0, 1000), other)),
    ]
    facts = kernels_facts(MACHINE, networks)
    found = [(row["op"], row["in"]) for row in facts["distinct"]]
    assert found == [("Conv2d", {"net": 2, "more": 1}), ("FullyConnected", {"more": 1})]
    text = kernels_markdown(facts)
    assert "net x2, more" in text
    assert [row[0] for row in rows_of(text)[-2:]] == ["net", "more"]


def test_reference_networks_have_the_published_macs() -> None:
    """Those of MLPerf Tiny v1 and MobileNetV1 0.5 at 192, in millions."""
    published = {"resnet8": 12.50, "vww": 7.49, "kws": 2.66, "autoencoder": 0.264}
    for name, macs in {**published, "mobilenetv1-0.5-192": 110.0}.items():
        assert np.isclose(NETWORKS[name]().macs / 1e6, macs, rtol=2e-3), name
