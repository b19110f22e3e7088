"""What any run of consecutive nodes would need and cost, in every way it can be computed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deployer.restructure.channels import channel_ways
from deployer.restructure.facts import Facts, Way
from deployer.restructure.prefix import Prefix


def ways(facts: Facts, *, fetch: bool = False) -> list[dict[int, list[Way]]]:
    """Per last node, the ways of every run by its first node; those no other one beats.

    ``fetch``: the run that begins the graph may take the input by rows.
    """
    return [_ending(facts, end, fetch) for end in range(facts.count)]


def _ending(facts: Facts, last: int, fetch: bool) -> dict[int, list[Way]]:
    found: dict[int, list[Way]] = {}
    found[last] = [Way(0.0, facts.whole(last, last + 1) + facts.spare(last))]
    if facts.spatial[last] and facts.graph.values[facts.graph.nodes[last].output].shape[1] > 1:
        prefix = Prefix(facts, last)
        for first, options in prefix.runs(fetch):
            found.setdefault(first, []).extend(options)
    for first, options in channel_ways(facts, last):
        found.setdefault(first, []).extend(options)
    return {first: list(_best(options)) for first, options in found.items() if options}


def _best(options: Sequence[Way]) -> Iterator[Way]:
    """By rising cost, each with less memory; overlaps are kept beside the others."""
    lowest, shared = None, None
    for way in sorted(options, key=lambda w: (w.cost, w.peak)):
        if way.over:
            if shared is None or way.peak + way.pair < shared:
                shared = way.peak + way.pair
                yield way
        elif lowest is None or way.peak < lowest:
            lowest = way.peak
            yield way
