"""What any run of consecutive nodes would need and cost, for every candidate mode and split."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deployer.restructure.channels import channel_candidates
from deployer.restructure.facts import Candidate, Facts
from deployer.restructure.prefix import Prefix


def candidates(facts: Facts, *, fetch: bool = False) -> list[dict[int, list[Candidate]]]:
    """Per last node, the candidates of every run by its first node; those no other one beats.

    ``fetch``: the run that begins the graph may take the input by rows.
    """
    return [_ending(facts, end, fetch) for end in range(facts.count)]


def _ending(facts: Facts, last: int, fetch: bool) -> dict[int, list[Candidate]]:
    found: dict[int, list[Candidate]] = {}
    found[last] = [Candidate(0.0, facts.whole(last, last + 1) + facts.spare(last))]
    if facts.spatial[last] and facts.graph.values[facts.graph.nodes[last].output].shape[1] > 1:
        prefix = Prefix(facts, last)
        for first, options in prefix.runs(fetch):
            found.setdefault(first, []).extend(options)
    for first, options in channel_candidates(facts, last):
        found.setdefault(first, []).extend(options)
    return {first: list(_best(options)) for first, options in found.items() if options}


def _best(options: Sequence[Candidate]) -> Iterator[Candidate]:
    """By rising cost, each with less memory; overlaps are kept beside the others."""
    lowest, shared = None, None
    for candidate in sorted(options, key=lambda w: (w.cost, w.peak)):
        if candidate.over:
            if shared is None or candidate.peak + candidate.pair < shared:
                shared = candidate.peak + candidate.pair
                yield candidate
        elif lowest is None or candidate.peak < lowest:
            lowest = candidate.peak
            yield candidate
