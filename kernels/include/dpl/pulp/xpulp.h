/* XpulpV2 for the stock assembler: macros named like the mnemonics of RI5CY, for .S files.
 *
 * p.lw rd, 4, rs1 is p.lw rd, 4(rs1!): the base is moved on after the access; with a register in
 * place of the number for the _r forms. A hardware loop ends before its label: lp.setup 0, t0, 1f.
 * Loop 0 is the inner one; neither runs zero times. */
#ifndef DPL_PULP_XPULP_H
#define DPL_PULP_XPULP_H

/* Loops count instructions of four bytes, and their ends must be known to the assembler. */
    .option norvc
    .option norelax

    .equ .Lx_a0, 10
    .equ .Lx_a1, 11
    .equ .Lx_a2, 12
    .equ .Lx_a3, 13
    .equ .Lx_a4, 14
    .equ .Lx_a5, 15
    .equ .Lx_a6, 16
    .equ .Lx_a7, 17
    .equ .Lx_t0, 5
    .equ .Lx_t1, 6
    .equ .Lx_t2, 7
    .equ .Lx_t3, 28
    .equ .Lx_t4, 29
    .equ .Lx_t5, 30
    .equ .Lx_t6, 31

/* The body begins behind the instruction; the offset is that of the body's last one. */
.macro lp.setup loop, count, end
    .4byte 0x407b | \loop << 7 | .Lx_\count << 15 | (\end - 4 - .) / 2 << 20
.endm

.macro p.lb rd, step, base
    .insn i 0x0b, 0, \rd, \step(\base)
.endm
.macro p.lw rd, step, base
    .insn i 0x0b, 2, \rd, \step(\base)
.endm
.macro p.lw_r rd, step, base
    .insn r 0x0b, 7, 0x10, \rd, \base, \step
.endm
.macro p.sb source, step, base
    .insn s 0x2b, 0, \source, \step(\base)
.endm
.macro p.sw source, step, base
    .insn s 0x2b, 2, \source, \step(\base)
.endm

.macro p.mac rd, rs1, rs2
    .insn r 0x33, 0, 0x21, \rd, \rs1, \rs2
.endm
.macro p.min rd, rs1, rs2
    .insn r 0x33, 4, 0x02, \rd, \rs1, \rs2
.endm
.macro p.max rd, rs1, rs2
    .insn r 0x33, 6, 0x02, \rd, \rs1, \rs2
.endm
/* To [-2^(bits-1), 2^(bits-1) - 1]. */
.macro p.clip rd, rs1, bits
    .insn r 0x33, 1, 0x0a, \rd, \rs1, x\bits
.endm

/* rd = the sum of four products of bytes; sdot adds it to rd. */
.macro pv.dotsp.b rd, rs1, rs2
    .insn r 0x57, 1, 0x4c, \rd, \rs1, \rs2
.endm
.macro pv.sdotsp.b rd, rs1, rs2
    .insn r 0x57, 1, 0x5c, \rd, \rs1, \rs2
.endm
.macro pv.min.b rd, rs1, rs2
    .insn r 0x57, 1, 0x10, \rd, \rs1, \rs2
.endm
.macro pv.max.b rd, rs1, rs2
    .insn r 0x57, 1, 0x18, \rd, \rs1, \rs2
.endm
/* The low bytes of rs1 and rs2 become bytes 1 and 0 of rd, or 3 and 2; the others stay. */
.macro pv.packlo.b rd, rs1, rs2
    .insn r 0x57, 1, 0x70, \rd, \rs1, \rs2
.endm
.macro pv.packhi.b rd, rs1, rs2
    .insn r 0x57, 1, 0x6c, \rd, \rs1, \rs2
.endm

#endif
