"""Models of cores by the name that a board file has for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from deployer.choices import IssuePairs
from deployer.tools.timing import a53_rules, cortex_a53, cortex_m7, cortex_m7_blocks, issue_rules
from deployer.tools.timing.disassembly import BasicBlock, Instruction, Issue


@dataclass(frozen=True, eq=False)
class Pipeline:
    """A model of a core under the issue rules named ``rules``.

    ``total``: core cycles of all executions of a block, ideal memory. ``stored``: the least that
    its stores take. ``issues``: where its instructions issue. ``unknown``: mnemonics without a
    rule. ``mac_cycles``: what no direct kernel of int8 gets below, a MAC. ``replaces_randomly``:
    lines of the caches. ``granule_bytes``: a load that crosses a multiple of so many is unaligned;
    0: one whose address is no multiple of its size. ``preloads``: the profiler reads which lines
    its code prefetches.
    """

    name: str
    rules: IssuePairs
    total: Callable[[BasicBlock], float]
    stored: Callable[[BasicBlock], float]
    issues: Callable[[Sequence[Instruction]], Sequence[Issue]]
    unknown: Callable[[Iterable[Instruction]], frozenset[str]]
    mac_cycles: float
    replaces_randomly: bool
    granule_bytes: int
    preloads: bool = False


def _cortex_m7(rules: issue_rules.IssueRules) -> Pipeline:
    return Pipeline(
        name="cortex-m7",
        rules=rules.name,
        total=partial(cortex_m7_blocks.block_total, rules=rules),
        stored=partial(cortex_m7_blocks.stored_total, rules=rules),
        issues=partial(cortex_m7.issues, rules=rules),
        unknown=cortex_m7.unknown,
        mac_cycles=0.5,  # one instruction a cycle multiplies two pairs of int16
        replaces_randomly=rules.replaces_randomly,
        granule_bytes=0,
        preloads=True,
    )


def _cortex_a53(rules: a53_rules.A53Rules) -> Pipeline:
    return Pipeline(
        name="cortex-a53",
        rules=rules.name,
        total=partial(cortex_a53.block_total, rules=rules),
        stored=lambda block: 0.0,  # stores take no longer than to issue [I]
        issues=partial(cortex_a53.issues, rules=rules),
        unknown=cortex_a53.unknown,
        mac_cycles=(2 + rules.pairwise_cycles) / 16,  # SMULL, SMLAL and SADALP for 16 products
        replaces_randomly=True,  # Arm DDI 0500, 6.1: the data cache, pseudo-random
        granule_bytes=8,
    )


PIPELINES: Mapping[str, Mapping[IssuePairs, Pipeline]] = {
    "cortex-m7": {name: _cortex_m7(rules) for name, rules in issue_rules.RULES.items()},
    "cortex-a53": {name: _cortex_a53(rules) for name, rules in a53_rules.RULES.items()},
}
CORTEX_M7 = PIPELINES["cortex-m7"][IssuePairs.MEASURED]


def pipeline_of(name: str, rules: str = IssuePairs.MEASURED) -> Pipeline:
    """The model ``name`` under the issue rules of that name."""
    return PIPELINES[name][IssuePairs(rules)]
