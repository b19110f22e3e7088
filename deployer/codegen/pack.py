"""Constants as the kernels want them: which arrays a step needs, and how they are written."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deployer.codegen.literals import float_literal

_C_TYPES = {
    "int8": "int8_t",
    "uint8": "uint8_t",
    "int16": "int16_t",
    "int32": "int32_t",
    "float32": "float",
}
COPIED = ".dpl_copied."  # begins the section of what start-up copies, a memory's name ends it
_COLUMNS = {"int8": 20, "uint8": 20, "int16": 14, "int32": 8, "float32": 6}

Raw = bytes
_WORD_BYTES, _COPIED_BYTES = 4, 8  # what start-up copies goes by double words


@dataclass(frozen=True)
class PackedArray:
    """One C array: ``rows`` are its lines of numbers, ``data`` its bytes on the device. Weights
    lie at multiples of ``alignment``."""

    name: str
    c_type: str
    elements: int
    bytes: int
    rows: tuple[str, ...]
    section: str
    data: Raw = b""
    alignment: int = _WORD_BYTES


def pack(
    name: str, array: np.ndarray, copied_to: str = "", alignment: int = _WORD_BYTES
) -> PackedArray:
    """``array`` flattened in C order under the identifier ``name``; start-up copies it to memory
    ``copied_to`` unless that is ""."""
    kind = array.dtype.name
    least = max(alignment, _COPIED_BYTES) if copied_to else alignment
    write = float_literal if kind == "float32" else str
    flat = [write(number) for number in array.reshape(-1).tolist()]
    width = _COLUMNS[kind]
    rows = tuple(", ".join(flat[i : i + width]) + "," for i in range(0, len(flat), width))
    section = f"{COPIED}{copied_to}" if copied_to else ".dpl_weights"
    data = array.astype(array.dtype.newbyteorder("<")).tobytes()
    return PackedArray(name, _C_TYPES[kind], array.size, array.nbytes, rows, section, data, least)
