"""How many bytes of its scratch a kernel writes: cases that driver/scratch.c runs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from catalogue.blob import Trial, pack
from catalogue.target import Target, compile_driver, kernels_of, start
from deployer.kernelset.kernel import Kernel, none
from deployer.resources import data_root


@dataclass(frozen=True)
class Measured:
    """``stated`` bytes of scratch and those of them behind the last that the kernel writes."""

    trial: Trial
    stated: int
    unwritten: int


@dataclass(frozen=True, eq=False)
class Meter:
    """A driver with the kernels of a target that have scratch."""

    target: Target
    kernels: tuple[Kernel, ...]
    image: Path

    def measure(self, listed: Sequence[Trial]) -> list[Measured]:
        """Fails when a kernel touches what lies behind its scratch (with the address sanitizer)."""
        written: dict[int, int] = {}
        blob = self.image.with_name("cases.bin")
        for packed in pack(listed, self.kernels, limit=self.target.memory):
            blob.write_bytes(packed)
            said = start(self.target, self.image, blob)
            assert re.search(r"^DONE \d+ 0$", said, re.MULTILINE), said[-2000:]
            written |= {int(n): int(b) for n, b in re.findall(r"^SCRATCH (\d+) (\d+)$", said, re.M)}
        assert len(written) == len(listed)
        stated = [trial.kernel.scratch(trial.case.met) for trial in listed]
        return [
            Measured(trial, size, size - written[i])
            for i, (trial, size) in enumerate(zip(listed, stated, strict=True))
        ]


def with_scratch(target: Target) -> tuple[Kernel, ...]:
    """The kernels of ``target`` that ask for scratch."""
    return tuple(kernel for kernel in kernels_of(target) if kernel.scratch is not none)


def meter(target: Target, work: Path) -> Meter:
    kernels = with_scratch(target)
    image = compile_driver(target, kernels, work, data_root(), walk="scratch.c")
    return Meter(target, kernels, image)
