/* void matmul_4x2(const int8_t *weights, const int8_t *pixels, int32_t *sums, int bytes)
 * Four rows of weights by two pixels, all of `bytes` (a multiple of four): eight sums. */
    .option norvc
    .text
    .globl matmul_4x2
    .type matmul_4x2, @function
matmul_4x2:
    addi sp, sp, -32
    sw s0, 0(sp)
    sw s1, 4(sp)
    sw s2, 8(sp)
    sw s3, 12(sp)
    sw s4, 16(sp)
    sw s5, 20(sp)
    sw ra, 28(sp)
    add t0, a0, a3            /* rows 1, 2, 3 and pixel 1 */
    add t1, t0, a3
    add t2, t1, a3
    add t3, a1, a3
    .irp sum, t4, t5, t6, s0, s1, s2, s3, s4
    addi \sum, zero, 0
    .endr
    srli a3, a3, 2
    .insn i 0x7b, 4, x0, a3, 28   /* lp.setup 0, a3: 14 instructions */
    .insn i 0x0b, 2, a4, 4(a0)    /* p.lw of each row and each pixel */
    .insn i 0x0b, 2, a5, 4(t0)
    .insn i 0x0b, 2, a6, 4(t1)
    .insn i 0x0b, 2, a7, 4(t2)
    .insn i 0x0b, 2, s5, 4(a1)
    .insn i 0x0b, 2, ra, 4(t3)
    .insn r 0x57, 1, 0x5c, t4, s5, a4   /* pv.sdotsp.b */
    .insn r 0x57, 1, 0x5c, t5, s5, a5
    .insn r 0x57, 1, 0x5c, t6, s5, a6
    .insn r 0x57, 1, 0x5c, s0, s5, a7
    .insn r 0x57, 1, 0x5c, s1, ra, a4
    .insn r 0x57, 1, 0x5c, s2, ra, a5
    .insn r 0x57, 1, 0x5c, s3, ra, a6
    .insn r 0x57, 1, 0x5c, s4, ra, a7
    sw t4, 0(a2)
    sw t5, 4(a2)
    sw t6, 8(a2)
    sw s0, 12(a2)
    sw s1, 16(a2)
    sw s2, 20(a2)
    sw s3, 24(a2)
    sw s4, 28(a2)
    lw s0, 0(sp)
    lw s1, 4(sp)
    lw s2, 8(sp)
    lw s3, 12(sp)
    lw s4, 16(sp)
    lw s5, 20(sp)
    lw ra, 28(sp)
    addi sp, sp, 32
    ret
