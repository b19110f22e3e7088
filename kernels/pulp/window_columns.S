/* void dpl_window_columns(const dpl_columns *c): see dpl/pulp/copies.h. A window of three rows of
 * nine bytes in 31 cycles where words lie anyhow. */
#include "dpl/pulp/xpulp.inc"

/* dpl_columns */
#define RUNS 0
#define COUNT 4
#define BYTES 8
#define STEP 12
#define TO 16
#define COLUMN 20

#define to a1
#define step a2
#define row0 a3
#define row1 a4
#define row2 a5

    .text
    .balign 4
    .globl dpl_window_columns
    .type dpl_window_columns, @function
dpl_window_columns:
    lw t0, COUNT(a0)
    lw t1, BYTES(a0)
    lw t2, RUNS(a0)
    lw to, TO(a0)
    lw step, STEP(a0)
    addi t3, t0, -3
    addi t4, t1, -9
    or t3, t3, t4
    bnez t3, any_rows
    lw row0, 0(t2)
    lw row1, 4(t2)
    lw row2, 8(t2)
    mv a6, t2
    addi step, step, -8
    li t6, 4
    lp.setup 0, t6, 1f
    p.lw t0, 4, row0
    p.lw t1, 4, row0
    p.lbu_r t2, step, row0
    p.lw t3, 4, row1
    p.lw t4, 4, row1
    p.lbu_r t5, step, row1
    sw t0, 0(to)
    sw t1, 4(to)
    sb t2, 8(to)
    p.lw t0, 4, row2
    p.lw t1, 4, row2
    p.lbu_r t2, step, row2
    sw t3, 9(to)
    sw t4, 13(to)
    sb t5, 17(to)
    sw t0, 18(to)
    sw t1, 22(to)
    sb t2, 26(to)
    addi to, to, 28
1:
    sw row0, 0(a6)
    sw row1, 4(a6)
    sw row2, 8(a6)
    ret

/* Any number of rows of any number of bytes: words, then what is left of a row byte by byte. */
any_rows:
    srli a5, t1, 2
    andi a6, t1, 3
    lw a7, COLUMN(a0)
    li a4, 0
    li t6, 4
2:
    lw t3, RUNS(a0)
    mv t2, to
    p.lw t1, 4, t3
    lp.setup 1, t0, 5f
    add t1, t1, a4
    beqz a5, 3f
    lp.setup 0, a5, 3f
    p.lw t4, 4, t1
    p.sw t4, 4, t2
3:
    beqz a6, 4f
    lp.setup 0, a6, 4f
    p.lb t4, 1, t1
    p.sb t4, 1, t2
4:
    nop
    p.lw t1, 4, t3
5:
    add a4, a4, step
    add to, to, a7
    addi t6, t6, -1
    bnez t6, 2b
    lw t3, RUNS(a0)
    lp.setup 0, t0, 6f
    lw t1, 0(t3)
    add t1, t1, a4
    p.sw t1, 4, t3
6:
    ret
    .size dpl_window_columns, . - dpl_window_columns
