"""A final ArgMax or LogSoftmax left to the host: the network returns the numbers that it chooses
among, or whose logarithms it takes."""

from __future__ import annotations

from dataclasses import replace

from deployer.frontend.net import Net, Op
from deployer.frontend.operators import CHOOSING, LOGARITHMS

# They bring the number that was chosen to a shape or type.
_TAIL = frozenset({"Cast", "Flatten", "Identity", "Reshape", "Squeeze", "Unsqueeze"})


def leave_choice(net: Net) -> Net:
    """``net`` without the ArgMax or LogSoftmax at the end of an output, told in its notes."""
    ends = {name: op for name in net.outputs if (op := _choice(net, name)) is not None}
    if not ends:
        return net
    outputs = dict.fromkeys(ends[name].first if name in ends else name for name in net.outputs)
    notes = [
        f"the final {op.type} ({op.name}) is left to the host: {op.first!r} is returned in its "
        f"place, {_behind(op)}"
        for op in dict.fromkeys(ends.values())
    ]
    return replace(net, outputs=tuple(outputs), notes=(*net.notes, *notes)).pruned()


def _behind(op: Op) -> str:
    """What the host does."""
    if op.type in LOGARITHMS:
        return f"for logarithms of the shares along axis {op.attrs.get('axis', -1)}"
    return f"to choose from along axis {op.attrs.get('axis', 0)}"


def _choice(net: Net, name: str) -> Op | None:
    """What gives an output, maybe through its tail; None where nothing else is left."""
    op = net.producer.get(name)
    while op is not None and op.type in _TAIL and not op.domain and _alone(net, op.first):
        op = net.producer.get(op.first)
    if op is None or op.domain or op.type not in (*CHOOSING, *LOGARITHMS):
        return None
    return op if op.first in net.producer else None


def _alone(net: Net, name: str) -> bool:
    """Whether one operator reads a value and nothing outside does."""
    return len(net.readers.get(name, ())) == 1 and name not in net.outputs
