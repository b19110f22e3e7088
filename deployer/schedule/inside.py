"""Room inside of clusters: bytes that none of their tensors needs while another one lives."""

from __future__ import annotations

from collections.abc import Iterator

from deployer.analysis.places import is_dense
from deployer.analysis.sharing import Cluster, Ground, span
from deployer.ir.plan import Buffer
from deployer.ir.share import INSIDE, Share

_ALIGN = 4


def insides(ground: Ground, host: Cluster, guest: Buffer, inner: Cluster | None) -> Iterator[Share]:
    """Shares that put ``guest``, the buffer of the cluster ``inner`` or of a value, into ``host``:
    as low as it fits, and as high."""
    ends = _anchors(ground, host), _anchors(ground, inner) if inner else ((guest.id, 0),)
    pair = next(((a, b) for a in ends[1] for b in ends[0] if _writer(ground, a, b)), None)
    if pair is None:
        return
    (name, inside), (other, start) = pair
    for offset in dict.fromkeys(_rooms(ground, host, guest)):
        gap = offset + inside - start
        if node := ground.graph.producer.get(name):
            yield Share(node.name, other, INSIDE, gap)
        else:
            yield Share(ground.graph.producer[other].name, name, INSIDE, -gap)


def _writer(ground: Ground, a: tuple[str, int], b: tuple[str, int]) -> bool:
    """Whether a node writes one of the two, so that it can say where they lie."""
    return a[0] in ground.graph.producer or b[0] in ground.graph.producer


def _anchors(ground: Ground, cluster: Cluster) -> tuple[tuple[str, int], ...]:
    """Dense values at a whole word, with their offsets."""
    return tuple(
        (name, spot.offset)
        for name, spot in cluster.spots.items()
        if name in ground.live
        and spot.offset % _ALIGN == 0
        and is_dense(ground.tensors[name].extents, spot.pitches)
    )


def _rooms(ground: Ground, host: Cluster, guest: Buffer) -> Iterator[int]:
    """The lowest and the highest offset where the guest fits."""
    taken = sorted(
        (spot.offset, spot.offset + span(ground.tensors[name], spot))
        for name, spot in host.spots.items()
        if name in ground.live and ground.live[name].overlaps(guest)
    )
    low, end = 0, host.buffer.size // _ALIGN * _ALIGN
    found = []
    for begin, stop in (*taken, (end, end)):
        top = (begin - guest.size) // _ALIGN * _ALIGN
        if top >= low:
            found += [low, top]
        low = max(low, -(-stop // _ALIGN) * _ALIGN)
    yield from found[:1]
    yield from found[-1:]
