"""Values that lie in each other's bytes, outside of regions. The function of a graph is that of its
nodes; shares only say where bytes lie."""

from __future__ import annotations

from dataclasses import dataclass, field

from deployer.choices import Word
from deployer.ir.decode import stored_as


class ShareKind(Word):
    OVER = "over"
    VIEW = "view"
    INSIDE = "inside"


OVER, VIEW, INSIDE = ShareKind.OVER, ShareKind.VIEW, ShareKind.INSIDE


@dataclass(frozen=True)
class Share:
    """How the output of ``node`` shares bytes with ``value``, one of its activations or, "inside",
    any whole value.

    "over": the output takes the bytes of the value, which dies here, from ``overlap_offset`` bytes
    before its first one on; 0 is in place. "view": nothing is copied. A Concat finds the value in
    its place inside its output; a Slice's output is a window of the value. "inside": the output
    lies ``overlap_offset`` bytes behind the first of the value, which may be before it, where
    nothing is needed meanwhile: beside what shares bytes already there is room at times.
    """

    node: str
    value: str
    kind: ShareKind
    overlap_offset: int = field(default=0, metadata=stored_as("lead"))
