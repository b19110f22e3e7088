"""Straight-through gradients: the real slope inside the clamp, nothing outside."""

from __future__ import annotations

import numpy as np
import pytest

from deployer.ir.attrs import TableAttrs
from deployer.ir.types import QuantParams
from deployer.numerics.requant import requantize as define

pytestmark = pytest.mark.usefixtures("torch_installed")


def _tables(rule: str, multiplier: int, rounding: int, shift: int, low: int, high: int) -> object:
    import torch

    from deployer.tools.train.straight_through import Tables

    parts = (torch.tensor([n], dtype=torch.float64) for n in (multiplier, rounding, shift))
    return Tables(rule, *parts, low, high)


@pytest.mark.parametrize(
    ("rule", "multiplier", "rounding", "shift", "slope"),
    [
        ("shift", 1, 8 + 3 * 16, 4, 1 / 16),
        ("i32", 700, 512 - 5 * 1024, 10, 700 / 1024),
        ("q16", 20000, 2 + 4 * 4, 2, 20000 / 65536 / 4),
        ("q32", 300_000_000, -7, 0, 300_000_000 / 2**32),
        ("q31", 1_500_000_000, 5, 34, 1_500_000_000 / 2**34),
        ("mean", 9, 0, 0, 1 / 9),
        ("mean_even", 8, -3, 0, 1 / 8),
    ],
)
def test_requantize_is_exact_forward_and_linear_backward(
    rule: str, multiplier: int, rounding: int, shift: int, slope: float
) -> None:
    import torch

    from deployer.tools.train.straight_through import requantize

    values = np.arange(-3000, 3000, 7, dtype=np.int32)[:, None]
    acc = torch.tensor(values).float().requires_grad_()
    found = requantize(acc, _tables(rule, multiplier, rounding, shift, -100, 90))
    numbers = (np.array([n]) for n in (multiplier, rounding, shift))
    expected = define(values, rule, *numbers, low=-100, high=90)
    np.testing.assert_array_equal(found.detach().numpy(), expected)
    found.sum().backward()
    gradient = acc.grad.numpy()
    inside = (expected > -100) & (expected < 90)
    np.testing.assert_allclose(gradient[inside], slope, rtol=1e-6)
    far = (values * slope < -150) | (values * slope > 150)
    assert far.any()
    assert (gradient[far] == 0).all()


def test_rounding_passes_the_gradient_unchanged() -> None:
    import torch

    from deployer.tools.train.straight_through import rounded

    x = torch.tensor([-1.5, -0.2, 0.5, 1.5, 2.7], requires_grad=True)
    y = rounded(x)
    assert y.tolist() == [-2, 0, 0, 2, 3]
    (y * torch.arange(5.0)).sum().backward()
    assert x.grad.tolist() == [0, 1, 2, 3, 4]


def test_the_gradient_of_a_table_is_the_slope_of_its_function() -> None:
    from deployer.tools.train.operators import table_slopes

    source, target = QuantParams((1 / 16,), 0), QuantParams((1 / 256,), -128)
    slopes = table_slopes(TableAttrs("sigmoid"), source, target)
    real = np.arange(-128, 128) / 16
    sigmoid = 1 / (1 + np.exp(-real))
    unclipped = np.abs(real) < 5
    derivative = sigmoid * (1 - sigmoid) * (1 / 16) * 256
    np.testing.assert_allclose(slopes[unclipped], derivative[unclipped], rtol=1e-3)


def test_the_gradient_of_a_layer_is_that_of_the_float_layer() -> None:
    """d(real output)/d(real weight) is the sum of the real inputs, in units of steps."""
    import torch

    from deployer.ir.attrs import PointAttrs
    from deployer.ir.graph import Node
    from deployer.tools.train.layer import Layer
    from deployer.tools.train.products import dense

    node = Node("fc", "FullyConnected", ("x", "w", "b"), ("y",), PointAttrs())
    source, target = QuantParams((0.1,), 5), QuantParams((0.2,), 0)
    weight_step = 0.01
    gain = source.tensor_scale * weight_step / target.tensor_scale
    tables = _tables("i32", round(gain * 2**20), 2**19, 20, -128, 127)
    weight = torch.tensor([[10.0, -3.0]], requires_grad=True)
    bias = torch.tensor([40.0], dtype=torch.float64, requires_grad=True)
    x = torch.tensor([[15.0, 25.0], [5.0, 9.0]])
    layer = Layer(node, (source,), target, tables).with_integers(weight, bias)
    dense(layer, [x]).sum().backward()
    np.testing.assert_allclose(weight.grad[0], [gain * 10, gain * 24], rtol=1e-4)
    np.testing.assert_allclose(bias.grad, [2 * gain], rtol=1e-4)
