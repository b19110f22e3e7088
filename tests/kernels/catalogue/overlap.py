"""Cases whose output lies an offset before one of their inputs: run by driver/overlap_offset.c,
watched by driver/trace.c."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from pathlib import Path

import numpy as np

from catalogue.act import Act
from catalogue.blob import Trial, pack
from catalogue.case import Case, build
from catalogue.suite import sources_of
from catalogue.target import Target, compile_driver, start
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.overlap_offset import overlap_offset_of
from deployer.resources import data_root

_PROBLEMS = 144
AT_ONCE = 1500  # placings of an image, so that they fit the emulated board
WATCHED = ("-O0", "-fsanitize=thread")  # calls a function at every load and store, in their order


@dataclass(frozen=True, eq=False)
class Placing:
    """The output of ``trial``'s case ``offset`` bytes before activation ``index``."""

    trial: Trial
    index: int
    offset: int

    @property
    def seen(self) -> KernelCase:
        return self.trial.case.seen

    @property
    def about(self) -> str:
        return f"{self.trial.kernel.symbol} {self.seen}, input {self.index}, offset {self.offset}"


@cache
def contiguous_cases(op: str, act: str, out_act: str = "") -> tuple[Case, ...]:
    """Whole tensors without gaps, at addresses that are multiples of 4."""
    rng = np.random.default_rng(zlib.crc32(f"lead {op} {act} {out_act}".encode()))
    (source, _), *special = sources_of(op, act, out_act)
    given = ((source, _PROBLEMS), *special)
    problems = chain.from_iterable(more(rng, count, Act(act)) for more, count in given)
    built = (build(problem, rng) for problem in problems)
    return tuple(
        replace(case, operands=tuple(replace(o, shift=0) for o in case.operands))
        for case in built
        if case is not None
    )


def placings(kernels: Sequence[Kernel], *, cores: int) -> list[Placing]:
    """Every activation of every case that the kernels' outputs may overlap."""
    listed = (
        (k, c) for k in kernels for op in k.ops for c in contiguous_cases(op, k.act, k.out_act)
    )
    return [
        placing
        for kernel, case in listed
        if kernel.takes(case.seen)
        for placing in _of(Trial(kernel, case), cores)
    ]


def _of(trial: Trial, cores: int) -> Iterator[Placing]:
    for index in range(len(trial.case.seen.in_shapes)):
        offset = overlap_offset_of(trial.kernel, trial.case.seen, index, cores=cores)
        if offset is not None:
            yield Placing(trial, index, offset)


@dataclass(frozen=True)
class Needs:
    """What a traced kernel did: the least offset, and whether cores met in place."""

    offset: int
    crossed: bool


def run_overlapped(target: Target, listed: Sequence[Placing], work: Path) -> tuple[set, set]:
    """The numbers of the placings that went wrong, and of those that do 4 bytes closer.

    One run for each family and type: all together would not fit the memory of the emulated
    Cortex-M7.
    """
    failed: set[int] = set()
    closer: set[int] = set()
    for key, numbers in _alike(listed).items():
        folder = work / "-".join(key)
        folder.mkdir()
        said = _walk(target, [listed[n] for n in numbers], folder, "overlap_offset.c")
        failed |= {numbers[n] for n in _numbers("FAIL", said)}
        closer |= {numbers[n] for n in _numbers("TIGHT", said)}
    return failed, closer


def _alike(listed: Sequence[Placing]) -> dict[tuple[str, str, str], list[int]]:
    """The numbers of the placings by family and type of their kernels, so many at a time."""
    found: dict[tuple[str, str], list[int]] = {}
    for number, placing in enumerate(listed):
        kernel = placing.trial.kernel
        found.setdefault((kernel.family, kernel.act), []).append(number)
    return {
        (*key, str(part)): numbers[part : part + AT_ONCE]
        for key, numbers in found.items()
        for part in range(0, len(numbers), AT_ONCE)
    }


def trace(target: Target, listed: Sequence[Placing], work: Path) -> list[Needs]:
    """What each placing's kernel needs, by the order of its loads and stores."""
    said = _walk(target, listed, work, "trace.c", watched=WATCHED)
    lines = re.findall(r"^NEED \d+ (\d+) (\d)$", said, re.MULTILINE)
    return [Needs(int(offset), crossed == "1") for offset, crossed in lines]


def _numbers(word: str, said: str) -> set[int]:
    return {int(n) for n in re.findall(rf"^{word} (\d+) ", said, re.MULTILINE)}


def _walk(
    target: Target,
    listed: Sequence[Placing],
    work: Path,
    walk: str,
    *,
    watched: Sequence[str] = (),
) -> str:
    """What the driver says of all placings."""
    kernels = tuple(dict.fromkeys(placing.trial.kernel for placing in listed))
    pairs = [number for placing in listed for number in (placing.index, placing.offset)]
    blob = work / "placings.bin"
    head = struct.pack(f"<{1 + len(pairs)}i", len(listed), *pairs)
    blob.write_bytes(head + pack([placing.trial for placing in listed], kernels)[0])
    image = compile_driver(target, kernels, work, data_root(), walk=walk, watched=watched)
    said = start(target, image, blob)
    assert re.search(rf"^DONE {len(listed)} ", said, re.MULTILINE), said[-2000:]
    return said
