"""A user's npz of samples: opened and checked, each failure with its cause and remedy."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType

import numpy as np

from deployer.bundle import sha256
from deployer.errors import UsageError
from deployer.npz import Header, Npz, NpzError
from deployer.units import format_bytes

FLOOR_BYTES = 256 << 20  # of float32 that are taken for the samples of any file,
MAX_RATIO = 16  # times the size of a large one,
MAX_BYTES = 2 << 30  # and the most


class SampleFile:
    """An open npz; use it as a context manager. Raises UsageError for a file that is not one."""

    def __init__(self, path: Path):
        self.path = path
        if not path.is_file():
            raise self.error(f"no sample file {path}")
        try:
            self._arrays = Npz(path)
        except NpzError as error:
            raise self.error(f"{path} is not an npz file", why=[str(error)]) from None
        except OSError as error:
            raise self.error(f"cannot read {path}", why=[error.strerror or str(error)]) from None

    def __enter__(self) -> SampleFile:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._arrays.__exit__(kind, error, trace)

    @property
    def keys(self) -> tuple[str, ...]:
        return self._arrays.keys

    @property
    def most(self) -> int:
        """Bytes of float32 that are taken for the samples: ``FLOOR_BYTES`` and ``MAX_RATIO`` times
        what the file itself has, but no more than ``MAX_BYTES``."""
        return min(FLOOR_BYTES + MAX_RATIO * self._arrays.size, MAX_BYTES)

    @cached_property
    def sha256(self) -> str:
        return sha256(self.path)

    def header(self, key: str) -> Header:
        """Type and shape of an array of numbers, its data not read."""
        try:
            return self._arrays.header(key)
        except NpzError as error:
            raise self.error(f"cannot read {self.path}", why=[str(error)]) from None

    def sizes(self, key: str, shape: tuple[int, ...], limit: int | None = None) -> int:
        """How many of the samples are used: all, or ``limit``. Each must have ``shape[1:]``; read
        are none yet."""
        head, where = self.header(key), f"{key!r} of {self.path}"
        if head.dtype.kind not in "iuf":
            raise self.error(f"{where} holds {head.dtype}, not numbers")
        if not head.elements:
            raise self.error(f"{where} is empty", why=[f"its shape is {head.shape}"])
        if not head.shape or _without_units(head.shape[1:]) != _without_units(shape[1:]):
            raise self._wrong_shape(where, head.shape, shape[1:])
        count = head.shape[0] if limit is None else min(limit, head.shape[0])
        each = 4 * math.prod(shape[1:])
        read = head.bytes if head.columns_first else 0
        if max(count * each, read) > self.most:
            raise self._too_large(where, head, self.most // each)
        return count

    def samples(
        self, key: str, shape: tuple[int, ...], limit: int | None = None
    ) -> Iterator[np.ndarray]:
        """The first ``limit`` samples, or all, as finite float32 (samples, *shape[1:]) in C order,
        some at a time."""
        count, where, bad = self.sizes(key, shape, limit), f"{key!r} of {self.path}", 0
        for found in self.rows(key, count):
            with np.errstate(over="ignore"):
                batch = found.astype(np.float32).reshape(len(found), *shape[1:])
            bad += int(np.count_nonzero(~np.isfinite(batch)))
            if not bad:
                yield np.ascontiguousarray(batch)
        if bad:
            total = count * math.prod(shape[1:])
            raise self.error(f"{where} holds NaN or infinity", why=[f"{bad} of {total} values"])

    def rows(self, key: str, count: int) -> Iterator[np.ndarray]:
        """The first ``count`` rows as stored, some at a time."""
        try:
            yield from self._arrays.rows(key, first=count)
        except NpzError as error:
            raise self.error(f"cannot read {self.path}", why=[str(error)]) from None

    def _too_large(self, where: str, head: Header, most: int) -> UsageError:
        return self.error(
            f"{where} is too large",
            why=[
                f"it claims {_text(head.shape)} of {head.dtype} in a file of "
                f"{format_bytes(self._arrays.size)}",
                f"{format_bytes(self.most)} are taken for the float32 of such a file",
            ],
            hints=[f"keep the first {most:,} samples: x[:{most}]" if most else "fewer samples"],
        )

    def error(self, what: str, *, why: Sequence[str] = (), hints: Sequence[str] = ()) -> UsageError:
        """A UsageError about this file, by default with how such a file is made."""
        usual = ["write it with numpy.savez(FILE, input=x), samples along the first axis"]
        return UsageError(what, why=why, hints=hints or usual)

    def _wrong_shape(
        self, where: str, found: tuple[int, ...], sample: tuple[int, ...]
    ) -> UsageError:
        return self.error(
            f"{where} has the wrong shape",
            why=[
                f"found {_text(found)}",
                f"expected {_text(('samples', *sample))}, the model's input for each sample",
            ],
            hints=[_remedy(found, sample)],
        )


def _remedy(found: tuple[int, ...], sample: tuple[int, ...]) -> str:
    """How to turn ``found`` into a batch of ``sample``, if there is an obvious way."""
    if _without_units(found) == _without_units(sample):
        return "this is one sample: add the samples axis with x[numpy.newaxis]"
    axes = range(1, len(found)) if len(found) == len(sample) + 1 else ()
    for order in itertools.permutations(axes):
        if tuple(found[axis] for axis in order) == sample:
            return f"transpose it first: x.transpose{(0, *order)}"
    if len(found) > 1 and np.prod(found[1:]) == np.prod(sample):
        return f"if only the shape differs: x.reshape{(-1, *sample)}"
    return "bring each sample to the model's input shape (ONNX layout, channels before height)"


def _without_units(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(extent for extent in shape if extent != 1)


def _text(shape: Sequence[object]) -> str:
    return "(" + ", ".join(str(extent) for extent in shape) + ")"
