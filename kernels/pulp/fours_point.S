/* void dpl_fours_point(const dpl_fours *f): see dpl/pulp/fours.h. 6 cycles for four products of
 * sixteen sums, 78 for the rest of a group. */
#include "dpl/pulp/fours.inc"

#define window a4
#define out a2

/* Words of the frame. */
#define LEFT 0
#define FIRST 4
#define BACK 8

    .text
    .balign 4
    .globl dpl_fours_point
    .type dpl_fours_point, @function
dpl_fours_point:
    save_all
    lw t0, RUNS(a0)
    lw t1, BLOCKS(a0)
    lw t2, PITCH(a0)
    lw window, 0(t0)
    sw t1, LEFT(sp)
    lw weights, WEIGHTS(a0)
    lw out, OUT(a0)
    lw a3, WORDS(a0)
    steps
    addi a3, a3, -1
    sw window, FIRST(sp)
    slli t1, t2, 1
    add t1, t1, t2
    neg t1, t1
    addi t1, t1, 4
    sw t1, BACK(sp)
    lw t0, COPIES(a0)
    bnez t0, 7f
1:
    lw t0, GROUPS(a0)
    lp.setup 1, t0, 4f
    stepped_products dot
    lp.setup 0, a3, 2f
    stepped_products sdot
2:
    finish_all
    bnez t4, 5f
3:
    lw t4, PITCH(a0)
    lw t5, BACK(sp)
    lw window, FIRST(sp)
    p.sw_r t0, t4, out
    p.sw_r t1, t4, out
    p.sw_r t2, t4, out
    p.sw_r t3, t5, out
4:
    lw t0, LEFT(sp)
    lw t1, GROUPS(a0)
    addi t0, t0, -1
    beqz t0, 6f
    sw t0, LEFT(sp)
    sub t4, t4, t1
    slli t4, t4, 2
    lw t0, COPIES(a0)
    add out, out, t4
    lw weights, WEIGHTS(a0)
    bnez t0, 7f
    slli t5, a5, 2
    add window, window, t5
    sw window, FIRST(sp)
    j 1b
5:
    bound_all
    j 3b
7:
    mv s0, a0
    mv s1, out
    mv a0, t0
    jal ra, dpl_window_columns
    mv a0, s0
    mv out, s1
    lw weights, WEIGHTS(a0)
    lw a3, WORDS(a0)
    lw window, FIRST(sp)
    steps
    addi a3, a3, -1
    j 1b
6:
    restore_all_and_return
    .size dpl_fours_point, . - dpl_fours_point
