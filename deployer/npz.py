"""Arrays in npz files that nobody vetted.

What an array claims to be is read and checked first: its type, its shape, and that its bytes are as
many as the archive says and can hold. Only then is memory taken, and never more than that.
"""

from __future__ import annotations

import math
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from types import TracebackType
from typing import IO, Self

import numpy as np

KINDS = "biuf"  # of arrays that are read: numbers
MAX_MEMBERS = 65_535  # more than any file has that numpy wrote without need
_HEADER_BYTES = 10_000  # of an npy header, as many as numpy reads
_MAX_RATIO = 1040  # deflate makes no more of a byte
_SUFFIX = ".npy"
_CHUNK_BYTES = 8 << 20  # read at a time
_BROKEN = (OSError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError)


class NpzError(ValueError):
    """Why a file, or an array in it, is not read; its text names the array."""


@dataclass(frozen=True)
class Header:
    """What an array claims to be."""

    dtype: np.dtype
    shape: tuple[int, ...]
    columns_first: bool  # Fortran's order

    @property
    def elements(self) -> int:
        return math.prod(self.shape)

    @property
    def bytes(self) -> int:
        return self.elements * self.dtype.itemsize


class Npz:
    """An open npz file, or the bytes of one; a context manager. Raises NpzError throughout, and
    OSError when the file cannot be opened."""

    def __init__(self, source: Path | bytes):
        self._file: IO[bytes] = BytesIO(source) if isinstance(source, bytes) else source.open("rb")
        try:
            self.size = self._file.seek(0, 2)
            self._archive = zipfile.ZipFile(self._file)
            self._members = _members(self._archive)
        except (*_BROKEN, ValueError, IndexError, struct.error, OverflowError) as error:
            self._file.close()
            raise error if isinstance(error, NpzError) else _no_archive(error) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._archive.close()
        self._file.close()

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(self._members)

    def header(self, key: str) -> Header:
        """What the array claims to be, its bytes not read."""
        with self._opened(key) as stream:
            return _header(stream, key, self._members[key])

    def array(self, key: str, *, limit: int) -> np.ndarray:
        """The whole array, of at most ``limit`` bytes."""
        with self._opened(key) as stream:
            head = _numbers(stream, key, self._members[key])
            if head.bytes > limit:
                raise NpzError(f"{key!r} takes {head.bytes:,} bytes, of which {limit:,} are read")
            return _whole(stream, key, head)

    def rows(
        self, key: str, *, first: int | None = None, chunk: int = _CHUNK_BYTES
    ) -> Iterator[np.ndarray]:
        """The array in pieces of about ``chunk`` bytes along its first axis, up to row ``first``.
        One in Fortran's order comes in one piece."""
        with self._opened(key) as stream:
            head = _numbers(stream, key, self._members[key])
            if head.columns_first:
                yield _whole(stream, key, head)[:first]
                return
            count = head.shape[0] if first is None else min(first, head.shape[0])
            step = max(1, chunk // max(1, head.bytes // max(1, head.shape[0])))
            for begin in range(0, count, step):
                shape = (min(step, count - begin), *head.shape[1:])
                yield _filled(stream, key, shape, head.dtype)

    def _opened(self, key: str) -> IO[bytes]:
        if key not in self._members:
            raise NpzError(f"no array {key!r}")
        try:
            return self._archive.open(self._members[key])
        except (*_BROKEN, ValueError, struct.error) as error:
            raise NpzError(f"{key!r}: {_said(error)}") from None


def _members(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """By name without suffix; a second one of a name would hide the first."""
    found: dict[str, zipfile.ZipInfo] = {}
    if len(archive.infolist()) > MAX_MEMBERS:
        raise NpzError(f"{len(archive.infolist()):,} arrays, of which {MAX_MEMBERS:,} are read")
    for info in archive.infolist():
        key = info.filename.removesuffix(_SUFFIX)
        if key in found:
            raise NpzError(f"two arrays are called {key!r}")
        found[key] = info
    return found


def _header(stream: IO[bytes], key: str, info: zipfile.ZipInfo) -> Header:
    """What the member says at its beginning; ``stream`` is at the data behind."""
    _check_sizes(key, info)
    try:
        major, _ = np.lib.format.read_magic(stream)
        text = _header_text(stream, key, 2 if major == 1 else 4)
        read = np.lib.format.read_array_header_1_0
        shape, columns_first, dtype = read(BytesIO(struct.pack("<H", len(text)) + text))
    except NpzError:
        raise
    except Exception as error:  # numpy evaluates the text: anything may come of it
        raise NpzError(f"{key!r} is no array: {_said(error)}") from None
    _check_claim(key, shape, dtype)
    found = Header(dtype, tuple(int(extent) for extent in shape), bool(columns_first))
    if stream.tell() + found.bytes != info.file_size:
        raise NpzError(
            f"{key!r} claims {found.bytes:,} bytes, the archive has "
            f"{max(0, info.file_size - stream.tell()):,} of it"
        )
    return found


def _numbers(stream: IO[bytes], key: str, info: zipfile.ZipInfo) -> Header:
    head = _header(stream, key, info)
    if head.dtype.kind not in KINDS:
        raise NpzError(f"{key!r} holds {_short(head.dtype)}, not numbers")
    return head


def _whole(stream: IO[bytes], key: str, head: Header) -> np.ndarray:
    if head.columns_first:
        return _filled(stream, key, head.shape[::-1], head.dtype).transpose()
    return _filled(stream, key, head.shape, head.dtype)


def _check_sizes(key: str, info: zipfile.ZipInfo) -> None:
    if info.flag_bits & 1 or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise NpzError(f"{key!r} is packed in a way that numpy does not write")
    most = info.compress_size * (1 if info.compress_type == zipfile.ZIP_STORED else _MAX_RATIO)
    if info.file_size > most + _HEADER_BYTES:
        raise NpzError(
            f"{key!r} claims {info.file_size:,} bytes, more than {info.compress_size:,} packed "
            "ones can hold"
        )


def _header_text(stream: IO[bytes], key: str, width: int) -> bytes:
    length = int.from_bytes(stream.read(width), "little")
    if length > _HEADER_BYTES:
        raise NpzError(f"{key!r} has a header of {length:,} bytes, {_HEADER_BYTES:,} are read")
    text = stream.read(length)
    if len(text) != length:
        raise NpzError(f"{key!r} ends inside its header")
    return text


def _check_claim(key: str, shape: tuple[int, ...], dtype: np.dtype) -> None:
    if any(isinstance(extent, bool) or extent < 0 for extent in shape):
        raise NpzError(f"{key!r} has the shape {_short(shape)}")
    if dtype.hasobject or not dtype.itemsize or dtype.subdtype:
        raise NpzError(f"{key!r} holds {_short(dtype)}, which is not read")


def _filled(stream: IO[bytes], key: str, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """The next ``shape`` elements of ``stream``."""
    try:
        found = np.empty(shape, dtype)
        rest = memoryview(found.reshape(-1).view(np.uint8).data) if found.size else memoryview(b"")
        while len(rest):
            part = stream.read(min(len(rest), _CHUNK_BYTES))
            if not part:
                raise EOFError("it ends too early")
            rest[: len(part)] = part
            rest = rest[len(part) :]
    except (*_BROKEN, ValueError) as error:
        raise NpzError(f"{key!r}: {_said(error)}") from None
    except MemoryError:
        raise NpzError(f"{key!r}: this machine has no memory for {shape} of {dtype}") from None
    return found


def _no_archive(error: Exception) -> NpzError:
    return NpzError(f"it is no npz archive: {_said(error)}")


def _said(error: Exception) -> str:
    return _short(str(error).splitlines()[0] if str(error) else type(error).__name__)


def _short(item: object) -> str:
    text = str(item)
    return text if len(text) <= 100 else f"{text[:100]}…"
