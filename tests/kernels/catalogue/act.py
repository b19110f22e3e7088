"""The type of a problem's activations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Act:
    """``name`` as kernels call it, "s8" or "s16"."""

    name: str

    @property
    def numpy(self) -> np.dtype:
        return np.dtype({"s8": "int8", "s16": "int16", "s32": "int32"}[self.name])

    @property
    def low(self) -> int:
        return int(np.iinfo(self.numpy).min)

    @property
    def high(self) -> int:
        return int(np.iinfo(self.numpy).max)

    @property
    def symmetric(self) -> bool:
        """Whether zero points are 0."""
        return self.name != "s8"

    def zeros(self, rng: np.random.Generator, choices: list[int], count: int) -> np.ndarray:
        """``count`` zero points out of ``choices``, or zeros where the type has none."""
        drawn = rng.choice(choices, count)
        return np.zeros_like(drawn) if self.symmetric else drawn


S8, S16 = Act("s8"), Act("s16")
