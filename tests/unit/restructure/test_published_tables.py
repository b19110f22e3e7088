"""Figures and settings quoted from section 2.3 of paper 001 are those that it prints."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from deployer.restructure.algorithm3 import ALPHAS, SLICES
from deployer.restructure.tables import NETWORKS, TABLE_2_8, TABLE_2_9, Figure, Setting

PRINTED = {
    "vgg16": "VGG-16",
    "mobilenetv2": "MobileNetV2",
    "squeezenet1.1": "SqueezeNetV1.1",
    "resnet18": "ResNet18",
    "inception-v3": "InceptionV3",
}
_SLICED = r"(?: (\d)h, (\d)w)"


def _figure(text: str, network: str, sliced: str) -> Figure:
    """The row of a network, its slices given by ``sliced`` or 2 by 2."""
    row = rf"^{re.escape(PRINTED[network])} (\d\.\d){sliced} (\d+\.\d) (\d+\.\d)$"
    ((alpha, *slices, saving, added),) = re.findall(row, text, re.MULTILINE)
    tall, wide = (int(n) for n in slices or (2, 2))
    return Figure(float(saving), float(added), Setting(float(alpha), (tall, wide)))


@pytest.mark.parametrize("network", NETWORKS)
def test_tables_2_8_and_2_9_are_as_printed(network: str, paper_001: str) -> None:
    assert TABLE_2_8[network] == _figure(paper_001, network, "")
    assert TABLE_2_9[network] == _figure(paper_001, network, _SLICED)


def test_the_tables_have_the_papers_networks() -> None:
    assert list(TABLE_2_8) == list(TABLE_2_9) == list(NETWORKS) == list(PRINTED)


def test_algorithm_3_is_tried_at_the_papers_settings(paper_001: str) -> None:
    settings = (
        r"range \[(.{3}), (.{3})\] - step (.{3}); "
        r"n_slices in \{\[(\d), (\d)\]. \[(\d), (\d)\]\}"
    )
    ((first, last, step, *sides),) = re.findall(settings, paper_001)
    assert (ALPHAS[0], ALPHAS[-1]) == (float(first), float(last))
    rises = {round(high - low, 9) for low, high in pairwise(ALPHAS)}
    assert rises == {float(step)}
    low, high, *others = map(int, sides)
    assert others == [low, high]
    span = range(low, high + 1)
    assert set(SLICES) == {(tall, wide) for tall in span for wide in span}
    assert len(SLICES) == 9
