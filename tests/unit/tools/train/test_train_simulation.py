"""The simulated integers are the pipeline's, on every element of every layer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from training import imported

from deployer.numerics.interpret import quantize as to_int8
from deployer.numerics.interpret import trace
from deployer.quantize.quantize import SCHEMES, QuantOptions, choose_scheme, quantize
from deployer.quantize.samples import synthetic_samples
from deployer.tools.train.stated import (
    Shadow,
    first_shadows,
    stated_graph,
    to_integers,
    with_shadows,
)
from models import all_nets

pytestmark = pytest.mark.usefixtures("torch_installed")


@pytest.mark.parametrize(
    ("scheme", "close"), [("power-of-two", False), *(("multiply-shift", c) for c in (False, True))]
)
@pytest.mark.parametrize("name", sorted(all_nets()))
def test_every_layer_equals_the_integer_graph(
    name: str, scheme: str, close: bool, tmp_path: Path
) -> None:
    import torch

    from deployer.tools.train.student import Student, parameters_of

    real = imported(all_nets()[name], tmp_path)
    samples, options = synthetic_samples(real, count=6), QuantOptions(scheme=scheme)
    plain = quantize(real, samples, options).graph
    stated = stated_graph(real, plain)
    shadows = _shaken(first_shadows(stated, plain))
    integer = to_integers(with_shadows(stated, shadows), choose_scheme(options, close=close))
    cpu = torch.device("cpu")
    student = Student(stated, integer, parameters_of(shadows, cpu), cpu)
    steps = {key: to_int8(x, integer.values[key].q) for key, x in samples.arrays.items()}
    tensors = {key: torch.tensor(x).float() for key, x in steps.items()}
    for (node, expected), (_, found) in zip(
        trace(integer, steps), student.trace(tensors), strict=True
    ):
        np.testing.assert_array_equal(expected, found.detach().numpy(), err_msg=node.name)


def _shaken(shadows: dict[str, Shadow]) -> dict[str, Shadow]:
    """Off the grid, as in the middle of a training, some beyond the largest weight."""
    rng = np.random.default_rng(5)
    return {
        name: Shadow(
            (s.weight + rng.normal(0, 9, s.weight.shape)).astype(np.float32),
            (s.bias + rng.normal(0, 2, s.bias.shape)).astype(np.float32),
        )
        for name, s in shadows.items()
    }


@pytest.mark.parametrize("scheme", SCHEMES)
def test_before_training_the_integers_are_those_of_plain_quantization(
    scheme: str, tmp_path: Path
) -> None:
    real = imported(all_nets()["residual_net"], tmp_path)
    options = QuantOptions(scheme=scheme)
    plain = quantize(real, synthetic_samples(real), options).graph
    stated = stated_graph(real, plain)
    again = to_integers(with_shadows(stated, first_shadows(stated, plain)), choose_scheme(options))
    assert again.constants.keys() == plain.constants.keys()
    for key, array in plain.constants.items():
        np.testing.assert_array_equal(array, again.constants[key], err_msg=key)
