"""The layers of every network of the zoo, pinned (tests/README.md): a padding or a stride that
changes makes another network of the same counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from deployer.tools.zoo.build import draw
from deployer.tools.zoo.catalog import CATALOG
from deployer.tools.zoo.layers import Layer
from planned import pinned

FOLDER = Path(__file__).parent / "pinned"


@pytest.mark.parametrize("name", CATALOG)
def test_the_layers_of_a_network_are_pinned(name: str) -> None:
    network = draw(name)
    head = f"{name} {network.input} -> {dict(network.outputs)}"
    pinned(FOLDER / f"{name}.txt", "\n".join([head, *map(_line, network.layers)]))


def _line(layer: Layer) -> str:
    said = {"weight": layer.weight, "fan in": layer.fan_in, "gain": layer.gain, **layer.attrs}
    marks = [word for word in ("norm", "bias") if getattr(layer, word)]
    facts = " ".join([*(f"{key} {value}" for key, value in said.items() if value), *marks])
    return f"{layer.name} = {layer.kind}({', '.join(layer.inputs)}) {layer.shape} {facts}"
