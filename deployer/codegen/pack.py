"""Constants as the kernels want them: which arrays a step needs, and how they are written."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deployer.ir import OPS, ConcatAttrs, Entries, Graph, Node, copied

_C_TYPES = {"int8": "int8_t", "uint8": "uint8_t", "int16": "int16_t", "int32": "int32_t"}
COPIED = ".dpl_copied."  # begins the section of what start-up copies, a memory's name ends it
_COLUMNS = {"int8": 20, "uint8": 20, "int16": 14, "int32": 8}

Raw = bytes


@dataclass(frozen=True)
class PackedArray:
    """One C array: ``rows`` are its lines of numbers, ``data`` its bytes on the device. Weights
    are aligned for word loads."""

    name: str
    c_type: str
    elements: int
    bytes: int
    rows: tuple[str, ...]
    section: str
    data: Raw = b""


def pack(name: str, array: np.ndarray, copied_to: str = "") -> PackedArray:
    """``array`` flattened in C order under the identifier ``name``; start-up copies it to memory
    ``copied_to`` unless that is ""."""
    kind = array.dtype.name
    flat = [str(number) for number in array.reshape(-1).tolist()]
    width = _COLUMNS[kind]
    rows = tuple(", ".join(flat[i : i + width]) + "," for i in range(0, len(flat), width))
    section = f"{COPIED}{copied_to}" if copied_to else ".dpl_weights"
    data = array.astype(array.dtype.newbyteorder("<")).tobytes()
    return PackedArray(name, _C_TYPES[kind], array.size, array.nbytes, rows, section, data)


@dataclass(frozen=True, eq=False)
class RequantTables:
    """The three tables of a node, cut to what its kernel can reach.

    ``step`` is the kernel's channel_step: 0 when one entry serves every index.
    """

    multiplier: np.ndarray
    rounding: np.ndarray
    shift: np.ndarray
    step: int


def has_tables(node: Node) -> bool:
    """Whether the node's kernel reads requantization tables."""
    return node.requant is not None and OPS[node.op].entries is not Entries.PAIR


def requant_tables(graph: Graph, node: Node) -> RequantTables:
    """Tables of ``node``; equal entries become one, an unpadded pool keeps the full window's, a
    Concat those of what it copies. Those of a PRelu stay: its kernel reads the entries behind the
    first whatever the step."""
    names = (node.rq.multiplier, node.rq.rounding, node.rq.shift)
    columns = [graph.constants[name] for name in names]
    entries = OPS[node.op].entries
    if entries is Entries.TAPS and not node.attrs.window.pads.any:
        columns = [column[-1:] for column in columns]
    if entries is Entries.INPUTS and isinstance(node.attrs, ConcatAttrs):
        columns = [column[list(copied(graph, node))] for column in columns]
    uniform = entries is not Entries.SLOPES and all(
        (column == column[0]).all() for column in columns
    )
    multiplier, rounding, shift = (column[:1] if uniform else column for column in columns)
    return RequantTables(multiplier, rounding, shift, step=0 if uniform else 1)
