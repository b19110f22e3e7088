/* void dpl_fours_table(dpl_fours *f): see dpl/pulp/fours.h. 6 cycles for four products of sixteen
 * sums, 5 for a run, 110 for the rest of a group. */
#include "dpl/pulp/fours.inc"

    .text
    .balign 4
    .globl dpl_fours_table
    .type dpl_fours_table, @function
dpl_fours_table:
    save_all
    lw weights, WEIGHTS(a0)
1:
    table_sums
    finish_all
    lw a4, OUTS(a0)
    lw a5, OUTS+4(a0)
    lw a6, OUTS+8(a0)
    lw a7, OUTS+12(a0)
    bnez t4, 3f
2:
    lw t5, WEIGHTS_END(a0)
    p.sw t0, 4, a4
    p.sw t1, 4, a5
    p.sw t2, 4, a6
    p.sw t3, 4, a7
    sw a4, OUTS(a0)
    sw a5, OUTS+4(a0)
    sw a6, OUTS+8(a0)
    sw a7, OUTS+12(a0)
    bne weights, t5, 1b
    restore_all_and_return
3:
    bound_all
    j 2b
    .size dpl_fours_table, . - dpl_fours_table
