/* void dpl_four_by_four_rows(dpl_four_by_four *f), void dpl_four_by_four_table(dpl_four_by_four *f):
 * see dpl/pulp/four_by_four.h. 6 cycles for four products of sixteen sums; of rows 3 for a run and 86
 * for the rest of a group, of a table 6 and 106. They share what is behind the sums, since both may
 * be at work in turn and the cores' instruction cache is small. */
#include "dpl/pulp/four_by_four.inc"
#include "dpl/pulp/runs.inc"

#define window a4
#define next a2

/* Words of the frame. */
#define LEFT 0
#define FIRST_OUT 4
#define OUT_NOW 8
#define FEWER 12
#define SECOND 16

    .text
    .balign 16
    .globl dpl_four_by_four_rows
    .type dpl_four_by_four_rows, @function
dpl_four_by_four_rows:
    save_all
    lw t0, BLOCKS(a0)
    lw t1, OUT(a0)
    lw t2, WORDS(a0)
    lw next, RUNS(a0)
    sw t0, LEFT(sp)
    sw t1, FIRST_OUT(sp)
    sw t1, OUT_NOW(sp)
    addi t2, t2, -1
    sw t2, FEWER(sp)
    lw weights, WEIGHTS(a0)
    steps a0
    p.lw window, 4, next
    sw next, SECOND(sp)
1:
    stepped_products dot
    lw t0, COUNT(a0)
    lw a3, FEWER(sp)
    lp.setup 1, t0, 3f
    add_run a3
    lw a3, WORDS(a0)
    p.lw window, 4, next
3:
    lw t4, BOUNDED(a0)
    andi t4, t4, BLOCK_HIGH
    bnez t4, 9f
    finish_sums finish
10:
    lw t4, BOUNDED(a0)
    lw next, OUT_NOW(sp)
    andi t5, t4, BLOCK_TRANSPOSED
    bnez t5, 15f
    pack_windows
16:
    bnez t4, 5f
4:
    lw a3, PITCH(a0)
    addi t4, next, 4
    sw t4, OUT_NOW(sp)
    p.sw_r t0, a3, next
    p.sw_r t1, a3, next
    p.sw_r t2, a3, next
    sw t3, 0(next)
    lw t5, WEIGHTS_END(a0)
    lw next, SECOND(sp)
    bne weights, t5, 1b
    next_outputs LEFT, FIRST_OUT, 8f
    sw t1, OUT_NOW(sp)
    lw weights, WEIGHTS(a0)
    lw t0, COUNT(a0)
    addi next, next, -4
    slli t2, a5, 2
    addi t0, t0, 1
    lw t4, ZEROS(a0)
    move_runs t0, next, t2, t4, t3
    mv window, t3
    lw next, SECOND(sp)
    j 1b
5:
    andi t5, t4, BLOCK_BOUNDED
    beqz t5, 6f
    bound_all a0
6:
    lw t4, BOUNDED(a0)
    andi t4, t4, BLOCK_LISTED
    beqz t4, 4b
    each_word lw, a0, OUTS, 4, a4, a5, a6, a7
    p.sw t0, 4, a4
    p.sw t1, 4, a5
    p.sw t2, 4, a6
    p.sw t3, 4, a7
    lw t5, WEIGHTS_END(a0)
    each_word sw, a0, OUTS, 4, a4, a5, a6, a7
    bne weights, t5, 7f
8:
    restore_all_and_return
    .size dpl_four_by_four_rows, . - dpl_four_by_four_rows

    .globl dpl_four_by_four_table
    .type dpl_four_by_four_table, @function
dpl_four_by_four_table:
    save_all
    lw weights, WEIGHTS(a0)
7:
    table_sums
    j 3b
/* By a rule of the high word, transposed; apart, so that what others run lies close together. */
9:
    finish_sums finish_high
    j 10b
15:
    pack_channels
    j 16b
    .size dpl_four_by_four_table, . - dpl_four_by_four_table
