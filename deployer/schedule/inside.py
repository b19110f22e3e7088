"""Room inside of clusters: bytes that none of their tensors needs while another one lives."""

from __future__ import annotations

from collections.abc import Iterator

from deployer.analysis import AliasFacts, Cluster, alone, is_contiguous, span
from deployer.ir import INSIDE, Buffer, Share

_ALIGN_BYTES = 4


def insides(
    facts: AliasFacts, host: Cluster, guest: Buffer, inner: Cluster | None
) -> Iterator[Cluster]:
    """``host`` with ``guest``, the buffer of the cluster ``inner`` or of one value: as low as it
    fits, and as high."""
    added = inner or alone(facts, guest.id)
    ends = ((a, b) for a in _anchors(facts, added) for b in _anchors(facts, host))
    pair = next((pair for pair in ends if any(n in facts.graph.producer for n, _ in pair)), None)
    if pair is None:
        return
    (name, inside), (other, start) = pair
    for offset in dict.fromkeys(_rooms(facts, host, guest)):
        gap = offset + inside - start
        if node := facts.graph.producer.get(name):
            share = Share(node.name, other, INSIDE, gap)
        else:
            share = Share(facts.graph.producer[other].name, name, INSIDE, -gap)
        yield host.with_inside(added, share, offset)


def _anchors(facts: AliasFacts, cluster: Cluster) -> Iterator[tuple[str, int]]:
    """Dense values at a whole word, with their offsets."""
    for name, spot in cluster.spots.items():
        contiguous = is_contiguous(facts.tensors[name].extents, spot.pitches)
        if name in facts.live and spot.offset % _ALIGN_BYTES == 0 and contiguous:
            yield name, spot.offset


def _rooms(facts: AliasFacts, host: Cluster, guest: Buffer) -> Iterator[int]:
    """The lowest and the highest offset where the guest fits."""
    taken = sorted(
        (spot.offset, spot.offset + span(facts.tensors[name], spot))
        for name, spot in host.spots.items()
        if name in facts.live and facts.live[name].overlaps(guest)
    )
    low, end = 0, host.buffer.size // _ALIGN_BYTES * _ALIGN_BYTES
    found = []
    for begin, stop in (*taken, (end, end)):
        top = (begin - guest.size) // _ALIGN_BYTES * _ALIGN_BYTES
        if top >= low:
            found += [low, top]
        low = max(low, -(-stop // _ALIGN_BYTES) * _ALIGN_BYTES)
    yield from found[:1]
    yield from found[-1:]
