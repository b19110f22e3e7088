/* Loops, branches on constants and accesses that move their base, one function each. */
    .option norvc
    .option norelax
    .text
    .macro function name
    .globl \name
    .type \name, @function
\name:
    .endm

/* uint32_t nested(uint32_t outer, uint32_t inner): 1000 * outer rounds + inner rounds */
function nested
    mv t0, a0
    addi t1, zero, 1000
    mv a0, zero
    .insn i 0x7b, 4, x1, t0, 8      /* lp.setup 1: up to the second add */
    .insn i 0x7b, 4, x0, a1, 4      /* lp.setup 0: two instructions */
    addi a0, a0, 1
    addi zero, zero, 0
    add a0, a0, t1
    ret

/* The same end for both loops. */
function shared_end
    mv t0, a0
    mv a0, zero
    .insn i 0x7b, 4, x1, t0, 8
    addi a0, a0, 100
    .insn i 0x7b, 4, x0, a1, 4
    addi a0, a0, 1
    addi zero, zero, 0
    ret

/* By lp.starti, lp.endi, lp.count: 3 * rounds */
function by_parts
    mv t0, a0
    mv a0, zero
    .insn i 0x7b, 0, x0, x0, 6
    .insn i 0x7b, 1, x0, x0, 6
    .insn i 0x7b, 2, x0, t0, 0
    addi a0, a0, 1
    addi a0, a0, 2
    ret

/* lp.counti, and lp.setupi in it: 9 * 7 */
function by_constants
    mv a0, zero
    .insn i 0x7b, 0, x1, x0, 6
    .insn i 0x7b, 1, x1, x0, 10
    .insn i 0x7b, 3, x1, x0, 9
    .insn i 0x7b, 5, x0, x4, 7
    addi a0, a0, 1
    addi zero, zero, 0
    addi zero, zero, 0
    ret

/* 1 when p.beqimm of -5 jumps; plus 2 when p.bneimm of 13 does */
function constants
    mv t0, a0
    mv a0, zero
    .4byte 0x00002463 | 27 << 20 | 5 << 15   /* t0 == -5: two on */
    j 1f
    addi a0, a0, 1
1:  .4byte 0x00003463 | 13 << 20 | 5 << 15   /* t0 != 13: two on */
    ret
    addi a0, a0, 2
    ret

/* uint64_t access(uint32_t *base, int step): the value and the base afterwards */
    .macro load name, text:vararg
    function \name
    mv t0, a0
    \text
    mv a1, t0
    ret
    .endm
    load lb_post, .insn i 0x0b, 0, a0, -3(t0)
    load lh_post, .insn i 0x0b, 1, a0, 2(t0)
    load lw_post, .insn i 0x0b, 2, a0, 4(t0)
    load lbu_post, .insn i 0x0b, 4, a0, 5(t0)
    load lhu_post, .insn i 0x0b, 5, a0, -2(t0)
    load lb_step, .insn r 0x0b, 7, 0x00, a0, t0, a1
    load lh_step, .insn r 0x0b, 7, 0x08, a0, t0, a1
    load lw_step, .insn r 0x0b, 7, 0x10, a0, t0, a1
    load lbu_step, .insn r 0x0b, 7, 0x20, a0, t0, a1
    load lhu_step, .insn r 0x0b, 7, 0x28, a0, t0, a1
    load lb_at, .insn r 0x03, 7, 0x00, a0, t0, a1
    load lh_at, .insn r 0x03, 7, 0x08, a0, t0, a1
    load lw_at, .insn r 0x03, 7, 0x10, a0, t0, a1
    load lbu_at, .insn r 0x03, 7, 0x20, a0, t0, a1
    load lhu_at, .insn r 0x03, 7, 0x28, a0, t0, a1

/* uint64_t access(uint32_t *base, int step, uint32_t value): 0 and the base afterwards */
    .macro store name, text:vararg
    function \name
    \text
    mv a1, a0
    mv a0, zero
    ret
    .endm
    store sb_post, .insn s 0x2b, 0, a2, -3(a0)
    store sh_post, .insn s 0x2b, 1, a2, 6(a0)
    store sw_post, .insn s 0x2b, 2, a2, 8(a0)
    store sb_step, .insn r 0x2b, 4, 0, a1, a0, a2
    store sh_step, .insn r 0x2b, 5, 0, a1, a0, a2
    store sw_step, .insn r 0x2b, 6, 0, a1, a0, a2
