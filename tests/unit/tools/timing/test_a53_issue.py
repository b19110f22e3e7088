"""The tables of the Cortex-A53 against what its owners measured.

Short sequences are those of D. Estevez's ``qsdr-benchmarks``: cycles from the first instruction to
the end, by the core's counter. Chains and throughputs are those of ``insn_bench_aarch64`` on a
Raspberry Pi 3. Both are public; a53_rules.py names them.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from deployer.tools.timing.a53_rules import LOOSE, MEASURED, Result
from deployer.tools.timing.cortex_a53 import block_cycles, block_total, straight_cycles, unknown
from deployer.tools.timing.disassembly import BasicBlock
from unit.tools.timing.loops import instructions

LOAD_D, LOAD_X, LOAD_Q = "ldr d0, [x1]", "ldr x0, [x1]", "ldr q0, [x1]"
ADD_Q, ADD_D = "fadd v4.4s, v4.4s, v4.4s", "fadd v4.2s, v4.2s, v4.2s"
INSERT = "mov v1.d[1], x5"
USE_0, USE_1 = "fadd v0.4s, v0.4s, v0.4s", "fadd v1.4s, v1.4s, v1.4s"
# sequence: cycles, measured [Q]
SEQUENCES = {
    "nop; nop; nop": 2,
    "add x0, x0, x0; add x1, x1, x1; add x2, x2, x2": 2,
    "add x0, x0, x0; add x0, x0, x0": 1,
    "; ".join(["add x0, x0, x0"] * 5): 4,
    "; ".join(["add x0, x0, x0; add x1, x1, x1"] * 3): 3,
    f"{LOAD_D}; {ADD_Q}": 2,
    f"{ADD_Q}; {LOAD_D}": 2,
    f"{LOAD_X}; {ADD_Q}": 2,
    f"{ADD_Q}; {LOAD_X}": 1,
    f"{ADD_D}; {LOAD_D}": 1,
    f"{LOAD_D}; {ADD_D}": 1,
    f"{LOAD_D}; {INSERT}": 1,
    f"{INSERT}; {LOAD_D}": 1,
    "ldr d0, [x1]; mov v0.d[1], x5": 2,
    "ld1 {v0.d}[0], [x1]; mov v1.d[1], x5": 2,
    f"{ADD_Q}; str q1, [x1]": 2,
    f"{LOAD_D}; str q1, [x1]": 2,
    f"{INSERT}; str q2, [x1]": 2,
    f"{LOAD_D}; str d1, [x1, #64]": 2,
    f"{ADD_Q}; str x0, [x1]": 1,
    f"str x0, [x1]; {ADD_Q}": 2,
    f"{ADD_Q}; mov x0, v1.d[0]": 2,
    f"mov v0.d[1], x0; {USE_0}": 3,
    "mov v0.d[1], x0; mov v1.d[1], x1": 1,
    "mov v0.d[0], x0; mov v0.d[1], x1": 2,
    LOAD_Q: 2,
    f"{LOAD_Q}; {USE_0}": 5,
    f"{LOAD_Q}; ldr q1, [x1]; {USE_1}": 7,
    f"{LOAD_D}; {USE_0}": 4,
    f"{LOAD_D}; ldr d1, [x1]; {USE_1}": 5,
    "ldp q0, q1, [x1]": 4,
    f"ldp q0, q1, [x1]; {USE_1}": 7,
    "ldp d0, d1, [x1]": 2,
    f"ldp d2, d3, [x1]; ldp d0, d1, [x1]; {USE_0}": 6,
    f"ldp d2, d3, [x1]; ldp d0, d1, [x1]; {USE_1}": 7,
    "ld1 {v0.4s-v3.4s}, [x1]": 8,
    "ld1 {v0.4s-v3.4s}, [x1]; fadd v3.4s, v3.4s, v3.4s": 11,
    "st1 {v0.4s-v1.4s}, [x1]": 2,
    "st1 {v0.4s-v3.4s}, [x1]": 4,
    f"{USE_0}; {USE_1}": 2,
    f"{USE_0}; {USE_0}; {USE_0}": 9,
    f"{ADD_Q}; b 40; {USE_0}; {USE_1}": 3,
    f"cbz x0, 40; {USE_0}; {USE_1}": 3,
    f"cmp x0, #42; b.eq 40; {USE_0}; {USE_1}": 3,
    f"{ADD_Q}; cmp x0, #42; {USE_0}; b.eq 40; {USE_1}": 3,
}
# a loop of one, on itself: cycles each [I]; "chain" the latency, other rows the throughput
CHAINS = {
    "ldr x0, [x0]": 3,
    "ldrb w0, [x0]": 4,
    "ldrb w0, [x0]; add x0, x0, x9": 5,
    "add x0, x0, x9": 1,
    "add x0, x0, x0, lsl #2": 2,
    "lsl x0, x0, #3": 2,
    "lsl x0, x0, x9": 1,
    "sxtb x0, w0": 2,
    "ubfx x0, x0, #3, #4": 2,
    "clz x0, x0": 1,
    "mul x0, x0, x9": 4,
    "smull x0, w0, w9": 3,
    "smulh x0, x0, x9": 6,
    "umov x0, v0.d[0]; mov v0.d[0], x0": 5,
    "and v0.16b, v0.16b, v9.16b": 1,
    "add v0.8h, v0.8h, v9.8h": 2,
    "smax v0.4s, v0.4s, v9.4s": 2,
    "sxtl v0.8h, v0.8b": 2,
    "xtn v0.8b, v0.8h": 2,
    "zip1 v0.16b, v0.16b, v9.16b": 2,
    "sqadd v0.8h, v0.8h, v9.8h": 3,
    "saddlp v0.4s, v0.8h": 3,
    "saddw v0.4s, v0.4s, v9.4h": 3,
    "addv s0, v0.4s": 3,
    "srshl v0.4s, v0.4s, v9.4s": 3,
    "rshrn v0.4h, v0.4s, #2": 3,
    "sqrshrn v0.4h, v0.4s, #2": 4,
    "sqxtn v0.8b, v0.8h": 4,
    "sqrdmulh v0.4s, v0.4s, v9.4s": 4,
    "smull v0.8h, v0.8b, v9.8b": 4,
    "smlal v9.4s, v0.4h, v1.4h": 1,
    "mla v9.16b, v0.16b, v1.16b": 1,
    "smlal v0.4s, v0.4h, v9.4h": 4,
    "sadalp v0.4s, v0.8h": 4,
    "sabal v9.8h, v0.8b, v1.8b": 2,
    "fmul v0.4s, v0.4s, v9.4s": 4,
    "fmla v0.4s, v0.4s, v9.4s": 8,
    "fmla v9.4s, v0.4s, v1.s[1]": 4,
    "tbl v0.16b, {v8.16b, v9.16b}, v0.16b": 3,
}
THROUGHPUTS = {
    "add x{0}, x20, x21": 0.5,
    "ldr x{0}, [x20]": 1,
    "ldrb w{0}, [x20, x21]": 1,
    "ldp x{0}, x19, [x20]": 2,
    "str x{0}, [x20]": 1,
    "lsl x{0}, x20, x21": 1,
    "mul x{0}, x20, x21": 2,
    "smaddl x{0}, w20, w21, x22": 1,
    "dup v{0}.16b, w20": 0.5,
    "dup v{0}.16b, v20.b[3]": 1,
    "add v{0}.4s, v20.4s, v21.4s": 1,
    "xtn v{0}.4h, v20.4s": 0.5,
    "sqxtn2 v{0}.8h, v20.4s": 0.5,
    "sqrshrn v{0}.4h, v20.4s, #2": 0.5,
    "addhn v{0}.4h, v20.4s, v21.4s": 1,
    "raddhn v{0}.4h, v20.4s, v21.4s": 2,
    "smull v{0}.8h, v20.8b, v21.8b": 1,
    "smlal2 v{0}.4s, v20.8h, v21.h[3]": 1,
    "sadalp v{0}.4s, v20.8h": 2,
    "uadalp v{0}.8h, v20.16b": 2,
    "saba v{0}.8h, v20.8h, v21.8h": 2,
    "srsra v{0}.4s, v20.4s, #3": 2,
    "fadd s{0}, s20, s21": 0.5,
    "fmla v{0}.4s, v20.4s, v21.4s": 1,
    "fmadd s{0}, s20, s21, s22": 0.5,
    "fcsel s{0}, s20, s21, eq": 1,
    "ldr q{0}, [x20]": 2,
    "ld1 {{v{0}.h}}[7], [x20]": 1,
    "ld1r {{v{0}.4s}}, [x20]": 1,
    "ld2 {{v{0}.8h-v20.8h}}, [x20]": 4,
    "str q{0}, [x20]": 1,
    "stp q{0}, q20, [x20]": 2,
    "st4 {{v{0}.16b-v20.16b}}, [x20]": 5,
    "tbl v{0}.16b, {{v20.16b, v21.16b}}, v22.16b": 2,
}


@pytest.mark.parametrize("text", SEQUENCES)
def test_a_sequence_takes_the_cycles_a_core_showed(text: str) -> None:
    assert straight_cycles(instructions(text)) == SEQUENCES[text]


@pytest.mark.parametrize("text", CHAINS)
def test_a_chain_of_one_instruction_shows_its_latency(text: str) -> None:
    assert unknown(instructions(text)) == frozenset()
    assert block_cycles(instructions(text)) == CHAINS[text]


@pytest.mark.parametrize("text", THROUGHPUTS)
def test_independent_instructions_show_their_throughput(text: str) -> None:
    count = 1 if "-v20" in text else 12
    loop = instructions("; ".join(text.format(each) for each in range(count)))
    assert unknown(loop) == frozenset()
    assert block_cycles(loop) == pytest.approx(THROUGHPUTS[text] * count)


def test_a_128_bit_kernel_takes_the_cycles_its_author_measured() -> None:
    """A scaling of floats, 32 flops in 16 cycles [Q]: loads by halves beside insertions."""
    loop = """
        fmul v0.4s, v0.4s, v31.4s; ldr x0, [x20, #136]; fmul v1.4s, v1.4s, v31.4s
        fmul v2.4s, v2.4s, v31.4s; ldr x1, [x20, #152]; fmul v3.4s, v3.4s, v31.4s
        ldr x2, [x20, #168]; fadd v0.4s, v0.4s, v30.4s; ldr x3, [x20, #184]
        fadd v1.4s, v1.4s, v30.4s; ldr x4, [x20, #176]; st1 {v4.4s-v7.4s}, [x20]
        ldr d5, [x20, #144]; mov v7.d[1], x3; ldr d6, [x20, #160]; mov v5.d[1], x1
        ldr d4, [x20, #128]!; mov v6.d[1], x2; mov v7.d[0], x4; mov v4.d[1], x0
        fadd v2.4s, v2.4s, v30.4s; fadd v3.4s, v3.4s, v30.4s
    """
    assert straight_cycles(instructions(loop)) == 16


def test_a_vector_load_waits_where_a_sum_takes_the_adder() -> None:
    """Not in the fourth cycle behind an FMLA [N]: three of them to a load go undisturbed."""
    products = [f"fmla v{i}.4s, v28.4s, v29.s[0]" for i in range(16, 28)]
    three = "; ".join("; ".join([*products[i : i + 3], "ldr d1, [x1]"]) for i in range(0, 12, 3))
    four = "; ".join("; ".join([*products[i : i + 4], "ldr d1, [x1]"]) for i in range(0, 12, 4))
    assert block_cycles(instructions(three)) == 12 + 4
    assert block_cycles(instructions(four)) > 12 + 3


def test_a_taken_branch_follows_the_last_after_three_cycles() -> None:
    loop = BasicBlock(0x100, instructions("add x0, x0, #1; b 200"), 10)
    itself = BasicBlock(0x100, instructions("subs x0, x0, #1; b.ne 100"), 10)
    through = BasicBlock(0x100, instructions("subs x0, x0, #1; b.ne 200"), 10)
    assert [block_total(each, MEASURED) for each in (loop, itself, through)] == [30, 30, 10]


def test_a_load_across_eight_bytes_takes_a_cycle_more() -> None:
    block = BasicBlock(0x100, instructions("ldr x0, [x1]; ldr x2, [x3]"), 10, unaligned=((1, 4),))
    assert block_total(block, MEASURED) == 10 * 2 + 4


@pytest.mark.parametrize("load", ["ldr q0, [x1]", "ldp x0, x2, [x1]", "ld1 {v0.16b}, [x1]"])
def test_a_load_of_sixteen_bytes_is_counted_by_its_halves(load: str) -> None:
    block = BasicBlock(0x100, instructions(load), 10)
    cycles = block_total(block, MEASURED)
    for counted, across in [(8, 4), (20, 10)]:
        assert block_total(replace(block, unaligned=((0, counted),)), MEASURED) == cycles + across


def test_the_loose_rules_take_pairwise_sums_in_a_cycle() -> None:
    loop = instructions(
        "smull v0.8h, v8.8b, v9.8b; smull v1.8h, v8.8b, v10.8b; smlal v0.8h, v11.8b, v12.8b;"
        "smlal v1.8h, v11.8b, v13.8b; smull v2.8h, v8.8b, v9.8b; smull v3.8h, v8.8b, v10.8b;"
        "smlal v2.8h, v11.8b, v12.8b; smlal v3.8h, v11.8b, v13.8b;"
        "sadalp v16.4s, v0.8h; sadalp v17.4s, v1.8h; sadalp v18.4s, v2.8h; sadalp v19.4s, v3.8h"
    )
    assert block_cycles(loop, LOOSE) == 8 + 4
    assert block_cycles(loop, MEASURED) == 8 + 4 + 4 * 2  # each SMLAL waits for its SMULL


def test_every_latency_has_its_source() -> None:
    assert set(MEASURED.latencies) == set(Result)
    assert all(each.source.startswith("[") for each in MEASURED.latencies.values())


def test_an_instruction_without_a_rule_is_named() -> None:
    assert unknown(instructions("aese v0.16b, v1.16b; crc32b w0, w1, w2")) == {"aese", "crc32b"}
