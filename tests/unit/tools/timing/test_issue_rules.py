"""The tables of what issues beside what, against loops whose price boards have shown.

Prices are those of the public notes of jnk0le on an STM32H743 ("pipeline cycle test", January
2026) unless a case says otherwise. ``ldrd`` issues alone, so it fixes which slot comes next.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from deployer.tools.timing.cortex_m7 import block_cycles, price, stored_cycles
from deployer.tools.timing.cortex_m7_blocks import block_total
from deployer.tools.timing.disassembly import BasicBlock
from deployer.tools.timing.issue_rules import MEASURED, RULES, Latency, NoPair, Result, Trait
from unit.tools.timing.loops import instructions

ALONE = "ldrd r10, r11, [sp]; "
# what is in the loop, cycles
PAIRS = {
    "twenty instructions, a branch among them": ("nop; " * 19 + "bne #8", 10),
    "a DSP operation as the older": (ALONE + "sxtb16 r0, r1; add r2, r3, #1", 2),
    "a DSP operation as the younger": (ALONE + "add r2, r3, #1; sxtb16 r0, r1", 3),
    "two DSP operations": (ALONE + "uxtab r0, r1, r2; clz r3, r4", 3),
    "a product as the older": (ALONE + "smlad r0, r1, r2, r0; add r3, r4, #1", 2),
    "a product as the younger": (ALONE + "add r3, r4, #1; smlad r0, r1, r2, r0", 2),
    "a product behind a DSP operation": (ALONE + "sxtb16 r3, r4; smlad r0, r1, r2, r0", 2),
    "two products": (ALONE + "smlad r0, r1, r2, r0; mul r3, r4, r5", 3),
    "a product and a store": (ALONE + "mul r0, r1, r2; str r3, [r4]", 3),
    "a store and a product": (ALONE + "str r3, [r4]; mul r0, r1, r2", 3),
    "a load and a store of what it loads": (ALONE + "ldrb r0, [r1]; str r0, [r2]", 2),
    "two stores": (ALONE + "str r0, [r1]; str r2, [r3]", 3),
    "two inline shifts": (ALONE + "add r0, r1, r2, lsl #3; eor r3, r4, r5, ror #7", 3),
    "two shifted constants": (ALONE + "and r0, r1, #0x1fc0; eor r2, r3, #0x1fc0", 3),
    "two patterns of bytes": (ALONE + "and r0, r1, #0x1b1b1b1b; eor r2, r3, #0x1b001b00", 2),
    "twelve bits of an addition": (ALONE + "addw r0, r1, #4089; addw r2, r3, #4089", 2),
    "a shift before an inline shift": (ALONE + "lsr r0, r1, #12; add r3, r4, r5, ror #24", 3),
    "a shift behind an inline shift": (ALONE + "add r3, r4, r5, ror #24; lsr r0, r1, #12", 2),
    "an extraction and an inline shift": (ALONE + "ubfx r0, r1, #3, #4; add r2, r3, r4, lsl #1", 3),
    "a product and an inline shift": (ALONE + "smlad r0, r1, r2, r0; add r3, r4, r5, lsl #2", 2),
    "four registers at once": ("ldmia r0, {r1, r2, r3, r4}", 2),
    "movw and movt of one register": (ALONE + "movw r0, #1; movt r0, #2", 2),
    "loads behind updates": ("ldr r0, [r1], #4; ldr r2, [r3], #4", 1),
    "instructions that are not executed": ("ittee eq; addeq r0, r0, #1; addne r2, r2, #1; nop", 2),
}
LATENCIES = {
    "an early result, in its cycle": ("add.w r0, r2, r8; eor.w r7, r0, r6, ror #22", 1),
    "two addresses in the cycle behind": (
        "add.w r0, r2; eor.w r6, r0, r6, ror #22; ldr.w r4, [r9, r0]; ldr.w r5, [r9, r1]",
        2,
    ),
    "a late result as an address": (ALONE + "eor r0, r1, r2; nop; ldr r3, [r4, r0]; nop", 4),
    "a late result for a late operation": (ALONE + "eor r0, r1, r2; nop; eor r3, r4, r0; nop", 3),
    "a DSP result as an address": (ALONE + "uxtb r0, r1; nop; ldr r3, [r4, r0]; nop", 4),
    "a word for a late operation": (ALONE + "ldr r0, [r1]; nop; eor r2, r3, r0; nop", 3),
    "a word for an extension": (ALONE + "ldr r0, [r1]; nop; sxtb16 r2, r0; nop", 3),
    "a word that is shifted": (ALONE + "ldr r0, [r1]; nop; eor r2, r3, r0, lsl #1; nop", 4),
    "a word as a factor": (ALONE + "ldr r0, [r1]; nop; mul r2, r3, r0; nop", 4),
    "a byte for a late operation": (ALONE + "ldrb r0, [r1]; nop; eor r2, r3, r0; nop", 4),
    "a byte as accumulator": (ALONE + "ldrb r0, [r1]; nop; mla r2, r3, r4, r0; nop", 3),
    "a byte that is shifted": (ALONE + "ldrb r0, [r1]; nop; eor r2, r3, r0, lsl #1; nop", 5),
    "a product for a late operation": (ALONE + "mul r0, r1, r2; nop; eor r3, r4, r0; nop", 4),
    "a product as accumulator": (ALONE + "mul r0, r1, r2; nop; mla r3, r4, r5, r0; nop", 3),
    "accumulators every cycle": ("smlad r0, r1, r2, r0", 1),
    "a late result as accumulator": (ALONE + "eor r0, r1, r2; mla r3, r4, r5, r0", 2),
    "a reversed word as an address": (ALONE + "rev r0, r1; nop; ldr r3, [r4, r0]; nop", 4),
    "saturation, by LLVM's model": (ALONE + "ssat r0, #8, r1; nop; eor r2, r3, r0; nop", 4),
}


@pytest.mark.parametrize("case", [*PAIRS, *LATENCIES])
def test_a_loop_takes_what_boards_show(case: str) -> None:
    text, cycles = {**PAIRS, **LATENCIES}[case]
    assert block_cycles(instructions(text)) == pytest.approx(cycles, abs=0.05)


# the store buffer: a store every cycle, cycles each once it is full
STORES = {"str r0, [r1], #4; nop": 1, "strb r0, [r1], #1; nop": 2.4, "strh r0, [r1], #2; nop": 2}


@pytest.mark.parametrize("text", STORES)
def test_short_stores_fill_the_buffer(text: str) -> None:
    assert block_cycles(instructions(text)) == pytest.approx(STORES[text], abs=0.06)
    rest = "; ".join([text, *["nop"] * 8])
    assert block_cycles(instructions(rest)) == 5  # a few stores among others cost nothing


TWO_LOADS = "ldr r0, [r8]; ldr r1, [r9]"


def test_loads_pair_where_their_banks_differ() -> None:
    block = BasicBlock(0, instructions(ALONE + TWO_LOADS), 100)
    assert block_cycles(block.instructions) == 2
    assert block_cycles(block.instructions, conflicts=frozenset({2})) == 3
    totals = [block_total(replace(block, same_bank=((2, n),)), MEASURED) for n in (0, 50, 100)]
    assert totals == [200, 250, 300]
    assert block_total(replace(block, same_bank=((2, 100),)), RULES["loose"]) == 200


def test_unaligned_loads_cost_more_as_the_younger() -> None:
    block = BasicBlock(0, instructions(ALONE + TWO_LOADS), 10)
    assert price(block.instructions).younger == {2}
    assert block_total(replace(block, unaligned=((1, 10),)), MEASURED) == 10 * (2 + 3)
    assert block_total(replace(block, unaligned=((2, 5),)), MEASURED) == 10 * 2 + 5 * 4


def test_flags_set_three_cycles_ahead_make_a_wrong_branch_cheaper() -> None:
    near = BasicBlock(0, instructions(ALONE + "nop; nop; subs r0, r0, #1; bne #8"), 10, 4)
    far = BasicBlock(0, instructions(ALONE + "subs r0, r0, #1; " + "nop; " * 6 + "bne #8"), 10, 4)
    assert block_total(near, MEASURED) == 10 * block_cycles(near.instructions)
    assert block_total(far, MEASURED) == 10 * block_cycles(far.instructions) - 4 * 2


def test_the_tables_can_be_changed() -> None:
    text = instructions(ALONE + "mul r0, r1, r2; str r3, [r4]")
    free = tuple(each for each in MEASURED.no_pair if Trait.STORE not in (each.older, each.younger))
    assert block_cycles(text, replace(MEASURED, no_pair=free)) == 2
    barred = (*MEASURED.no_pair, NoPair(Trait.LOAD, Trait.LOAD, "an experiment"))
    assert block_cycles(instructions(TWO_LOADS), replace(MEASURED, no_pair=barred)) == 2
    slow = {**MEASURED.latencies, Result.LATE: Latency(3, 3, 2, 4, 2)}
    assert block_cycles(instructions("eor r0, r1, r0"), replace(MEASURED, latencies=slow)) == 3


def test_every_rule_of_the_measured_tables_has_its_source() -> None:
    sources = [each.source for each in (*MEASURED.no_pair, *MEASURED.latencies.values())]
    sources += MEASURED.older_only.values()
    assert all(each.startswith(("[B", "[L")) for each in sources)
    assert set(MEASURED.latencies) == set(Result)


BYTES = "strb r0, [r1]; strb r2, [r1, #1]; strb r3, [r1, #2]; strb r4, [r1, #3]; bne "


def test_a_block_between_others_finds_the_store_buffer_empty() -> None:
    loop = BasicBlock(0x108, instructions(BYTES + "108"), 10)
    between = BasicBlock(0x108, instructions(BYTES + "100"), 10)
    assert block_total(between, MEASURED) < 10 * 5
    assert block_total(loop, MEASURED) == pytest.approx(10 * 4 * 2.4, abs=2)
    assert stored_cycles(between.instructions) == pytest.approx(4 * 2.4)
    assert stored_cycles(between.instructions, RULES["loose"]) == 0
