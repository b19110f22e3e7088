/* void dpl_depthwise_blocks(dpl_depthwise_block *b): see dpl/pulp/depthwise.h. */
#include "dpl/pulp/depthwise_blocks.inc"

/* A row's outputs, from the last column to the first: those beyond the last column go to the first
 * one's place, which is written after them. */
.macro store_row out, c0, c1, c2, c3
    p.sb_r \c3, t1, \out
    p.sb_r \c2, t2, \out
    p.sb_r \c1, t3, \out
    sb \c0, 0(\out)
.endm

    .text
    .balign 16
    .globl dpl_depthwise_blocks
    .type dpl_depthwise_blocks, @function
dpl_depthwise_blocks:
    save_all
1:
    block_sums
    lw t0, TABLES(a0)
    lw t3, LOW(a0)
    lw t4, HIGH(a0)
    lw t1, 4(t0)
    lw t2, 8(t0)
    lw t0, 0(t0)
    lw t5, OUT_AT(a0)
    of_sums mul, t0
    .irp sum, c0p0, c0p1, c0p2, c0p3, c1p0, c1p1, c1p2, c1p3
    p.addNr \sum, t1, t2
    .endr
    .irp sum, c2p0, c2p1, c2p2, c2p3, c3p0, c3p1, c3p2, c3p3
    p.addNr \sum, t1, t2
    .endr
    of_sums p.max, t3
    of_sums p.min, t4
    pointers OUT
    lw a2, COLUMNS(a0)
    lw a3, OUT_PIXEL(a0)
    of_rows add, t5
    addi a2, a2, -4
    neg t1, a3
    mv t2, t1
    mv t3, t1
    slli t0, a3, 1
    add t0, t0, a3
    bltz a2, 4f
2:
    of_rows add, t0
    store_row a4, c0p0, c1p0, c2p0, c3p0
    store_row a5, c0p1, c1p1, c2p1, c3p1
    store_row a6, c0p2, c1p2, c2p2, c3p2
    store_row a7, c0p3, c1p3, c2p3, c3p3
    lw t1, ROW_AT(a0)
    lw t2, NEXT_COLUMNS(a0)
    slli t3, a3, 2
    add t5, t5, t3
    add t1, t1, t2
    sw t5, OUT_AT(a0)
    sw t1, ROW_AT(a0)
    sw a2, COLUMNS(a0)
    bgtz a2, 1b
    restore_all_and_return
/* Three columns, two or one. */
4:
    li t0, 0
    slli t1, a3, 1
    addi t4, a2, 1
    beqz t4, 2b
    li t1, 0
    mv t2, a3
    addi t4, a2, 2
    beqz t4, 2b
    li t2, 0
    li t3, 0
    j 2b
    .size dpl_depthwise_blocks, . - dpl_depthwise_blocks
