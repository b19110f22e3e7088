"""Core cycles of a Cortex-M7 in all executions of a block, from what was counted of it."""

from __future__ import annotations

from deployer.tools.timing.cortex_m7 import price, stored_cycles
from deployer.tools.timing.disassembly import BasicBlock
from deployer.tools.timing.issue_rules import MEASURED, IssueRules

_NEVER_SHARE, _ALWAYS_SHARE = 0.05, 0.95  # of a block's executions


def block_total(block: BasicBlock, rules: IssueRules = MEASURED) -> float:
    """Core cycles of all executions of a block: its price with the banks and alignments that were
    counted, less what flags that are set early save of its mispredictions."""
    found = price(block.instructions, rules, _conflicts(block, _ALWAYS_SHARE), loops=block.loops)
    cycles = found.cycles * block.count
    sometimes = _conflicts(block, _NEVER_SHARE)
    if rules.banks and sometimes != _conflicts(block, _ALWAYS_SHARE):
        worst = price(block.instructions, rules, sometimes, loops=block.loops).cycles
        cycles += (worst - found.cycles) * _middle_share(block) * block.count
    cycles += sum(
        count
        * (rules.unaligned_younger_cycles if i in found.younger else rules.unaligned_older_cycles)
        for i, count in block.unaligned
    )
    is_early = 0 < rules.early_flags_distance <= found.flags_distance
    return cycles - block.mispredicted * rules.early_flags_save_cycles * is_early


def _conflicts(block: BasicBlock, share: float) -> frozenset[int]:
    """The loads that more than a share of the executions found in the bank of the load before."""
    return frozenset(i for i, count in block.same_bank if count > share * block.count)


def _middle_share(block: BasicBlock) -> float:
    """How often the loads conflict that neither always do nor never."""
    shares = [count / block.count for _, count in block.same_bank]
    middle = [share for share in shares if _NEVER_SHARE < share <= _ALWAYS_SHARE]
    return sum(middle) / len(middle)


def stored_total(block: BasicBlock, rules: IssueRules = MEASURED) -> float:
    """The least time of its stores in the store buffer."""
    return stored_cycles(block.instructions, rules) * block.count
