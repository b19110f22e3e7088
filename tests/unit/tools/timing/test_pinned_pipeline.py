"""What the pipeline model sees of every kind of instruction, and its cycles of blocks drawn of
them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from itertools import product
from pathlib import Path
from random import Random

from deployer.tools.timing.cortex_m7 import block_cycles, unknown
from deployer.tools.timing.decode import Micro, decode
from planned import pinned
from unit.tools.timing.loops import instructions

FOLDER = Path(__file__).parent / "pinned"
THREE = (
    *(
        [
            "mov",
            "mvn",
            "add",
            "sub",
            "rsb",
            "adc",
            "sbc",
            "and",
            "orr",
            "eor",
            "bic",
            "orn",
            "lsl",
            "lsr",
            "asr",
            "ror",
            "neg",
            "movw",
            "movt",
        ]
    ),
    *(
        [
            "adr",
            "addw",
            "subw",
            "muls",
            "smuad",
            "smuadx",
            "smulbb",
            "smulbt",
            "smultb",
            "smultt",
            "smmul",
            "smmulr",
            "smulwb",
        ]
    ),
    *(
        [
            "smulwt",
            "mul",
            "sdiv",
            "udiv",
            "uxtb",
            "sxth",
            "uxtb16",
            "sxtab16",
            "uxtah",
            "pkhbt",
            "pkhtb",
            "ssat",
            "usat16",
            "sbfx",
        ]
    ),
    *(
        [
            "ubfx",
            "clz",
            "rev",
            "rev16",
            "rbit",
            "sel",
            "qadd",
            "qdsub",
            "sadd8",
            "usub16",
            "uqadd8",
            "shadd16",
            "uhsub8",
        ]
    ),
    *(["vadd.f32", "vmul.f32", "frobnicate"]),
)
FOUR = (
    *(
        [
            "smlad",
            "smladx",
            "smlsd",
            "mla",
            "mls",
            "smlabb",
            "smlabt",
            "smlatb",
            "smlatt",
            "smlawb",
            "smlawt",
            "smmla",
            "smmlar",
        ]
    ),
    *(["smlal", "umlal", "smlald", "umaal", "smull", "umull"]),
)
OTHERS = (
    *("cmp r0, r1", "cmn r0, #1", "tst r2, r3", "teq r4, r5", "nop", "rrx r0, r1", "negs r0, r1"),
    *("add r0, r1", "subs r0, r1", "and r0, r1", "orrs r0, r1", "eor r0, r1", "mov r0, r1"),
    *("add r0, r1, r2, lsl #2", "sub sl, fp, ip, asr #1", "orr.w r0, r1, r2, ror #8"),
    *("eor r0, r1, rrx", "mov r0, r1, lsr #3", "adds r0, r1, #1", "sub r0, #1", "bfi r0, r1, #2"),
    *("bfc r0, #2, #3", "ldr r0, [r1]", "ldr r0, [r1, #4]!", "ldr r0, [r1], #4", "pld [r1, #8]"),
    *("ldr r0, [r1, r2, lsl #2]", "ldrb r0, [r1]", "ldrh r0, [r1], #2", "ldrsb r0, [r1, r2]"),
    *("ldrsh r0, [r1]!", "str r0, [r1, #4]", "strb r0, [r1], #1", "strh r0, [r1, r2]!"),
    *("ldrd r0, r1, [r2]", "ldrd r0, r1, [r2, #8]!", "ldrd r0, r1, [r2], #8", "ldr r0, label"),
    *("strd r0, r1, [r2]", "strd r0, r1, [sp, #8]!", "strd r0, r1, [r2], #8", "push {r4}"),
    *("push {r4, r5, lr}", "pop {r4-r7, pc}", "ldm r0, {r1, r2}", "ldmia r0!, {r1-r4, r6}"),
    *("stm r0, {r1-r3}", "stmia r0!, {r1, r2}", "vldm r0!, {s0-s3}", "vstm r0, {d0-d1}"),
    *("vpush {d8}", "vpop {d8-d9}", "b #8", "bl #8", "bx lr", "blx r3", "beq #8", "bne #8"),
    *("bhs #8", "blo.n #8", "cbz r0, #8", "cbnz r1, #8", "tbb [pc, r0]", "tbh [pc, r0]"),
    *(
        "it eq",
        "itt ne",
        "itte gt",
        "item r0, r1",
        "moveq r0, r1",
        "addne r0, r1, r2",
        "bic r0, r1",
    ),
    *(
        "ldrgt r0, [r1]",
        "strle r0, [r1]",
        "smladlt r0, r1, r2, r3",
        "adcs r0, r1, r2",
        "mulgt r0, r1",
    ),
    *("movs r0, #1", "bics r0, r1", "mvn r0, r1", "teqeq r0, r1", "svc #0", "lsls r0, r1, #2"),
    *(
        "smlalle r0, r1, r2, r3",
        "addcs r0, r0, #1",
        "cmpeq r0, #1",
        "vmov s0, r0",
        "sbcs r0, r1, r2",
    ),
)
TEXTS = (
    *(f"{name} r0, r1, r2" for name in THREE),
    *(f"{name} r3, r4, r5, r6" for name in FOUR),
    *OTHERS,
)


def test_instructions_are_seen_as_pinned() -> None:
    lines = (f"{text}: {_seen(decode(one))}" for text in TEXTS for one in instructions(text))
    pinned(FOLDER / "decoded.txt", "\n".join(lines))


def test_every_condition_makes_an_instruction_need_flags_and_what_it_writes() -> None:
    names = ["eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le"]
    for name, stem in product(names, ("mov", "add", "smlad", "uxtb", "ldr")):
        operands = "r0, [r1]" if stem == "ldr" else "r0, r1, r2, r3"
        (plain,), (found,) = (
            instructions(f"{stem} {operands}"),
            instructions(f"{stem}{name} {operands}"),
        )
        assert decode(found).needs_flags
        assert decode(found).known == decode(plain).known
        assert decode(found).late == (*decode(plain).late, "r0")


def test_blocks_take_the_cycles_pinned() -> None:
    pinned(FOLDER / "blocks.txt", "\n".join(_blocks()))


def _seen(micro: Micro) -> str:
    """What is not as of an operation of which nothing is known but its unit."""
    plain = Micro(micro.traits)
    told = (f.name for f in fields(Micro) if getattr(micro, f.name) != getattr(plain, f.name))
    return " ".join(
        [
            "+".join(sorted(micro.traits)),
            *(f"{name}={getattr(micro, name)}" for name in told if name != "traits"),
        ]
    )


def _blocks() -> Iterator[str]:
    dice = Random(5)
    for text in TEXTS:
        loops = (text, f"{text}; {text}", f"add r1, r0, #1; {text}", f"{text}; add r1, r0, r3")
        cycles = [block_cycles(instructions(loop)) for loop in loops]
        yield f"{text}: alone, twice, behind and before a sum {' '.join(f'{c:g}' for c in cycles)}"
    for _ in range(150):
        texts = [_renamed(dice.choice(TEXTS), dice) for _ in range(dice.randint(2, 7))]
        block = instructions("; ".join(texts))
        yield f"{block_cycles(block):g} {sorted(unknown(block))} {'; '.join(texts)}"


def _renamed(text: str, dice: Random) -> str:
    """With other low registers, where there is no list."""
    if "{" in text:
        return text
    return "".join(
        f"{dice.randrange(5)}" if digit and each.isdigit() else each
        for digit, each in zip((False, *(c == "r" for c in text)), text, strict=False)
    )
