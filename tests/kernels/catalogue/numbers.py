"""Random tensors and requantization integers that stay in range."""

from __future__ import annotations

import numpy as np

from catalogue.act import Act
from catalogue.problem import Scaling
from deployer.ir.rules import PRODUCTS
from deployer.numerics.requant import Multipliers, choose

CHANNELS = (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33)  # at, below and above likely unrolls
_ACTIVATIONS = ("noise", "noise", "noise", "lowest", "highest", "ends")
_WEIGHTS = ("noise", "noise", "noise", "lowest", "highest", "ends")


def activations(rng: np.random.Generator, act: Act, shape: tuple[int, ...]) -> np.ndarray:
    """Noise three times in six, else all lowest, all highest or a mix of the two."""
    drawn = _draw(rng, shape, (act.low, act.high), str(rng.choice(_ACTIVATIONS)))
    return drawn.astype(act.numpy)


def weights(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """int8 in [-127, 127], with the same extremes."""
    return _draw(rng, shape, (-127, 127), str(rng.choice(_WEIGHTS))).astype(np.int8)


def trained_weights(rng: np.random.Generator, shape: tuple[int, ...], spread: float) -> np.ndarray:
    """int8 around zero with a standard deviation of ``spread``, -128 among them."""
    return np.clip(np.rint(rng.normal(0.0, spread, shape)), -128, 127).astype(np.int8)


def _draw(
    rng: np.random.Generator, shape: tuple[int, ...], ends: tuple[int, int], kind: str
) -> np.ndarray:
    draw = {
        "noise": lambda: rng.integers(ends[0], ends[1] + 1, shape),
        "lowest": lambda: np.full(shape, ends[0]),
        "highest": lambda: np.full(shape, ends[1]),
        "ends": lambda: rng.choice(ends, shape),
    }
    return draw[kind]()


def scaling(rng: np.random.Generator, act: Act) -> Scaling:
    """Zero points, and bounds as no activation, ReLU or ReLU6 would give them."""
    zeros = act.zeros(rng, [-128, -7, -1, 0, 0, 1, 5, 127], 2)
    zero_in, zero_out = (int(z) for z in zeros)
    low, high = {
        0: (act.low, act.high),
        1: (min(zero_out, 126), act.high),
        2: (zero_out // 2, min(act.high, zero_out // 2 + act.high * 60 // 127)),
    }[int(rng.integers(0, 3))]
    return Scaling(zero_in, zero_out, low, high, act=act)


def whole_range(act: Act) -> Scaling:
    """Zero points 0 and no activation."""
    return Scaling(low=act.low, high=act.high, act=act)


def linear(
    rng: np.random.Generator, act: Act, per_channel: np.ndarray, zero: Scaling
) -> tuple[np.ndarray, Multipliers]:
    """Bias and requantization for weights (channels, taps), as the quantizer would choose them.

    Real multipliers spread the outputs of noisy inputs over most of the type.
    """
    w = per_channel.astype(np.int64)
    spread = np.sqrt((w**2).sum(axis=1) + 1.0) * 74 * (act.high // 127)
    bias = (rng.normal(size=len(w)) * spread).astype(np.int64) - zero.zero_in * w.sum(axis=1)
    lowest = bias + np.minimum(w * act.low, w * act.high).sum(axis=1)
    highest = bias + np.maximum(w * act.low, w * act.high).sum(axis=1)
    bound = np.maximum(np.abs(lowest), np.abs(highest))
    real = rng.uniform(0.2, 2, len(w)) * 60 * (act.high // 127) / spread
    if rng.random() < 0.2:
        real = np.full(len(w), real.min())
    return bias.astype(np.int32), pick(str(rng.choice(PRODUCTS)), real, bound, zero.zero_out)


def pick(
    rule: str,
    real: np.ndarray,
    bound: np.ndarray,
    zero_out: int,
    extra: np.ndarray | None = None,
) -> Multipliers:
    """``choose``, with real multipliers moved into what the rule can represent."""
    if rule == "shift":
        real = 2.0 ** np.clip(np.floor(np.log2(real)), -22, 0)
    elif rule in ("q16", "q32"):
        real = np.minimum(real, 0.49)
    chosen = choose(rule, real, bound, zero_out, extra)
    assert np.isfinite(chosen.error), "the rule cannot represent these multipliers"
    return chosen
