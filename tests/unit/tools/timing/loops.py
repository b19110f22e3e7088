"""Inner loops whose price under the pairing model is documented, written out here a second time."""

from __future__ import annotations

from deployer.tools.timing.disassembly import Instruction

END = "cmp r0, sp\nbne #8"


def instructions(text: str) -> tuple[Instruction, ...]:
    """A line or ``;`` an instruction."""
    parts = (part.strip() for part in text.replace(";", "\n").splitlines())
    return tuple(Instruction(*_split(part)) for part in parts if part)


def _split(text: str) -> tuple[str, str]:
    mnemonic, _, operands = text.partition(" ")
    return mnemonic, operands.strip()


def block_2x3() -> str:
    """kernels/include/dpl/cortex_m/block.h: two channels, three columns, 48 products."""

    def two_values(p: str, q: str, this: int, next0: str, next1: int) -> str:
        return f"""
        smlad r1, {p}, r10, r1; sxtb16 {q}, {q}, ror #8
        smlad r4, {q}, r10, r4; ldr r12, [r7, #{this}]
        smlad r2, {p}, r11, r2; ldr r10, [r7, #{next0}
        smlad r5, {q}, r11, r5; ldr r11, [r7, #{next1}]
        smlad r3, {p}, r12, r3; ldr {p}, [r0], #4
        smlad r6, {q}, r12, r6; sxtb16 {q}, {p}
        """

    turns = [("r8", "r9", 8, "12]", 16), ("r9", "r8", 20, "24]", 28)]
    turns += [("r8", "r9", 32, "36]", 40), ("r9", "r8", 44, "48]!", 4)]
    return "\n".join([*(two_values(*turn) for turn in turns), "cmp r7, lr", "bne #8"])


def gemv() -> str:
    """kernels/include/dpl/cortex_m/gemv.h: eight channels, one column, 64 products."""
    return """
        smlad r3, r9, r10, r3; sxtb16 r9, r9
        smlad r1, r8, r10, r1; sxtb16 r8, r8
        smlad r0, r8, r10, r0; ldr r8, [r12, #8]; pld [r12, #128]
        smlad r2, r9, r10, r2; ldr r9, [r12, #12]; pld [r12, #160]
        smlad r5, r8, r10, r5; sxtb16 r8, r8
        smlad r4, r8, r10, r4; ldr r8, [r12, #16]
        smlad r7, r9, r10, r7; sxtb16 r9, r9
        smlad r6, r9, r10, r6; ldr r9, [r12, #20]
        smlad r1, r8, r11, r1; sxtb16 r8, r8
        smlad r0, r8, r11, r0; ldr r8, [r12, #24]
        smlad r3, r9, r11, r3; sxtb16 r9, r9
        smlad r2, r9, r11, r2; ldr r9, [r12, #28]
        smlad r5, r8, r11, r5; ldr r10, [lr, #8]
        smlad r7, r9, r11, r7; sxtb16 r9, r9
        smlad r6, r9, r11, r6; sxtb16 r8, r8
        ldr r9, [r12, #36]; smlad r4, r8, r11, r4
        ldr r8, [r12, #32]; ldr r11, [lr, #12]
        smlad r3, r9, r10, r3; sxtb16 r9, r9
        smlad r1, r8, r10, r1; sxtb16 r8, r8
        smlad r0, r8, r10, r0; ldr r8, [r12, #40]
        smlad r2, r9, r10, r2; ldr r9, [r12, #44]
        smlad r5, r8, r10, r5; sxtb16 r8, r8
        smlad r4, r8, r10, r4; ldr r8, [r12, #48]
        smlad r7, r9, r10, r7; sxtb16 r9, r9
        smlad r6, r9, r10, r6; ldr r9, [r12, #52]
        smlad r1, r8, r11, r1; sxtb16 r8, r8
        smlad r0, r8, r11, r0; ldr r8, [r12, #56]
        smlad r3, r9, r11, r3; sxtb16 r9, r9
        smlad r5, r8, r11, r5; sxtb16 r8, r8
        smlad r4, r8, r11, r4; ldr r8, [r12, #64]!
        smlad r2, r9, r11, r2; ldr r9, [r12, #-4]
        ldr r10, [lr, #16]!; smlad r7, r9, r11, r7
        sxtb16 r9, r9; smlad r6, r9, r11, r6
        ldr r11, [sp, #12]; ldr r9, [r12, #4]
        cmp lr, r11; ldr r11, [lr, #4]
        bne #8
    """


def wide_2x2() -> str:
    """int16 on both sides, two rows and two columns, 32 products, loads a step ahead."""

    def step(now: tuple[str, ...], then: tuple[str, ...]) -> str:
        w0, w1, x0, x1 = now
        v0, v1, y0, y1 = then
        return f"""
        smlad r8, {w0}, {x0}, r8; ldr {v0}, [r0], #4
        smlad r9, {w0}, {x1}, r9; ldr {v1}, [r0, #60]
        smlad r10, {w1}, {x0}, r10; ldr {y0}, [r1], #4
        smlad r11, {w1}, {x1}, r11; ldr {y1}, [r1, #60]
        """

    one, other = ("r4", "r5", "r6", "r7"), ("r12", "lr", "r3", "r2")
    return "\n".join([*[step(one, other), step(other, one)] * 2, END])


def narrow_4x2(*, order: str) -> str:
    """int8 weights, int16 columns, four rows, two columns, 32 products: each word unpacked when it
    is needed ("naive"), or a product in every cycle ("ahead")."""
    return _naive_4x2() if order == "naive" else _ahead_4x2()


def _naive_4x2() -> str:
    columns = "ldr r2, [r1], #4; ldr r3, [r1], #4"
    lines = []
    for turn in ("", ", ror #8"):
        lines.append(columns)
        for row in range(4):
            word = f"[r0, #{4 * row - 16}]" if turn else "[r0], #4"
            first, second = f"r{4 + 2 * row}", f"r{5 + 2 * row}"
            lines += [f"ldr r12, {word}", f"sxtb16 lr, r12{turn}"]
            lines += [f"smlad {first}, lr, r2, {first}", f"smlad {second}, lr, r3, {second}"]
    return "\n".join([*lines, END])


def _ahead_4x2() -> str:
    turn = """
        smlad r4, r12, r2, r4; sxtb16 lr, lr, ror #8
        smlad r5, r12, r3, r5; ldr r12, [r0], #4
        smlad r6, lr, r2, r6; nop
        smlad r7, lr, r3, r7; sxtb16 lr, r12
        smlad r8, lr, r2, r8; sxtb16 r12, r12, ror #8
        smlad r9, lr, r3, r9; ldr lr, [r0], #4
        smlad r10, r12, r2, r10; ldr r2, [r1], #4
        smlad r11, r12, r3, r11; ldr r3, [r1], #4
        sxtb16 r12, lr; nop
    """
    last = turn.rpartition("nop")[0].rstrip(" ;")
    return "\n".join([turn, last, END])


def depthwise_unpacked() -> str:
    """Four channels of one tap: four products after six instructions."""
    return """
        ldr r0, [r8], #4; ldr r1, [r9], #4
        sxtab16 r2, r10, r0; sxtab16 r0, r10, r0, ror #8
        sxtb16 r3, r1; sxtb16 r1, r1, ror #8
        smlabb r4, r2, r3, r4; smlatt r5, r2, r3, r5
        smlabb r6, r0, r1, r6; smlatt r7, r0, r1, r7
    """


def depthwise_planar() -> str:
    """One channel's 3x3 in a planar int16 row buffer, two outputs, 18 products."""
    rows = (("r0", "r8"), ("r1", "r9"), ("r2", "r10"))
    return "\n".join(
        f"""
        ldr r4, [{row}], #4; ldr r5, [{row}]
        smlad r6, r4, {taps}, r6; smlad r6, r5, r11, r6
        smlad r7, r4, r12, r7; smlad r7, r5, lr, r7
        """
        for row, taps in rows
    )
