/* void dpl_window_columns(const dpl_columns *c): see dpl/pulp/copies.h. A window of three rows of
 * nine bytes in 24 cycles where words lie anyhow. */
#include "dpl/pulp/runs.inc"

/* dpl_columns */
#define RUNS 0
#define COUNT 4
#define BYTES 8
#define STEP 12
#define TO 16
#define COLUMN 20
#define ZEROS 24
#define PAD 28

#define to a1
#define step a2
#define row0 a3
#define row1 a4
#define row2 a5

/* A row four windows on, unless it is zero points, t3. */
.macro keep row, at
    lw t0, \at(t2)
    beq t0, t3, 8f
    sw \row, \at(t2)
8:
.endm

    .text
    .balign 16
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
    li t6, 4
    lp.setup 0, t6, 1f
    lw t1, 4(row0)
    lbu t2, 8(row0)
    p.lw_r t0, step, row0
    lw t4, 3(row1)
    lhu t5, 7(row1)
    p.lw_r t3, step, row1
    p.sw t0, 4, to
    p.sw t1, 4, to
    p.insert t2, t3, 24, 8
    lw t1, 2(row2)
    lw t3, 5(row2)
    p.lhu_r t0, step, row2
    p.sw t2, 4, to
    p.sw t4, 4, to
    p.insert t5, t0, 16, 16
    srli t3, t3, 8
    p.sw t5, 4, to
    p.sw t1, 4, to
    p.sw t3, 4, to
1:
    lw t2, RUNS(a0)
    lw t3, ZEROS(a0)
    keep row0, 0
    keep row1, 4
    keep row2, 8
    ret

/* Any number of rows of any number of bytes: words, then what is left of a row byte by byte. */
any_rows:
    srli a5, t1, 2
    andi a6, t1, 3
    lw a7, COLUMN(a0)
    lw a3, PAD(a0)
    li a4, 0
    li t6, 4
2:
    lw t3, RUNS(a0)
    mv t2, to
    p.lw t1, 4, t3
    lp.setup 1, t0, 3f
    add t1, t1, a4
    copy_words a5, t1, t2, t4
    copy_bytes a6, t1, t2, t4
    p.lw t1, 4, t3
    add t2, t2, a3 /* between the load and the use where the loop begins anew */
3:
    add a4, a4, step
    add to, to, a7
    addi t6, t6, -1
    bnez t6, 2b
    lw t3, RUNS(a0)
    lw t2, ZEROS(a0)
    move_runs t0, t3, a4, t2, t1
    ret
    .size dpl_window_columns, . - dpl_window_columns
