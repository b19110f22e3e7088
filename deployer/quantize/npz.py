"""A user's npz of samples: opened and checked, each failure with its cause and remedy."""

from __future__ import annotations

import itertools
import zipfile
import zlib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType

import numpy as np

from deployer.bundle import sha256
from deployer.errors import UsageError

_BROKEN = (ValueError, OSError, EOFError, KeyError, zipfile.BadZipFile, zlib.error)


class SampleFile:
    """An open npz; use it as a context manager. Raises UsageError for a file that is not one."""

    def __init__(self, path: Path):
        self.path = path
        if not path.is_file():
            raise self.error(f"no sample file {path}")
        if not zipfile.is_zipfile(path):
            raise self.error(f"{path} is not an npz file")
        try:
            self._arrays = np.load(path, allow_pickle=False)
        except _BROKEN as error:
            raise self.error(f"cannot read {path}", why=[str(error)]) from None

    def __enter__(self) -> SampleFile:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._arrays.close()

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(self._arrays.files)

    @cached_property
    def sha256(self) -> str:
        return sha256(self.path)

    def array(self, key: str) -> np.ndarray:
        """The array as stored."""
        try:
            return np.asarray(self._arrays[key])
        except _BROKEN as error:
            raise self.error(f"cannot read {key!r} of {self.path}", why=[str(error)]) from None

    def samples(self, key: str, shape: tuple[int, ...]) -> np.ndarray:
        """The array as finite float32 of shape (samples, *shape[1:]), in C order."""
        found, where = self.array(key), f"{key!r} of {self.path}"
        if found.dtype.kind not in "iuf":
            raise self.error(f"{where} holds {found.dtype}, not numbers")
        if found.size == 0:
            raise self.error(f"{where} is empty", why=[f"its shape is {found.shape}"])
        if not found.ndim or _without_units(found.shape[1:]) != _without_units(shape[1:]):
            raise self._wrong_shape(where, found.shape, shape[1:])
        with np.errstate(over="ignore"):
            batch = found.astype(np.float32).reshape(len(found), *shape[1:])
        if not np.isfinite(batch).all():
            bad = int(np.count_nonzero(~np.isfinite(batch)))
            raise self.error(
                f"{where} holds NaN or infinity", why=[f"{bad} of {batch.size} values"]
            )
        return batch

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
