"""The constants by where they lie, with the CRC-32 by which they are known again."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from deployer.codegen.pack import COPIED, PackedArray

IMAGE = "image"


@dataclass(frozen=True)
class ConstantsView:
    """``name`` is a C name. Without ``arrays`` they are fetched from memory ``where``."""

    where: str
    name: str
    arrays: tuple[PackedArray, ...]
    bytes: int
    crc: int


def constants_views(cname: str, arrays: Iterable[PackedArray]) -> Iterator[ConstantsView]:
    """Those the image has, and those of each memory that start-up copies to."""
    places: dict[str, list[PackedArray]] = {}
    for array in arrays:
        copied = array.section.startswith(COPIED)
        place = array.section.removeprefix(COPIED) if copied else IMAGE
        places.setdefault(place, []).append(array)
    for place, found in places.items():
        crc = 0
        for array in found:
            crc = zlib.crc32(array.data, crc)
        size = sum(array.bytes for array in found)
        yield ConstantsView(place, f"{cname}_in_{place}", tuple(found), size, crc)


def fetched_view(memory: str, image: bytes) -> ConstantsView:
    """Those that lie in ``memory`` and are fetched."""
    return ConstantsView(memory, "", (), len(image), zlib.crc32(image))
