/* void dpl_four_by_four_three(const dpl_four_by_four *f): see dpl/pulp/four_by_four.h. 6 cycles for
 * four products of sixteen sums, 83 for the rest of a group. */
#include "dpl/pulp/four_by_four.inc"

#define window a4
#define out a2

/* Words of the frame. */
#define LEFT 0
#define FIRST_OUT 4
#define BACK 8
#define RUN0 12
#define RUN1 16
#define RUN2 20
#define FRAME 16 /* bytes of it that save_all does not leave free */

/* A run is four windows on, unless it is zero points; t5 bytes, t3 the zero points. */
.macro move_on run
    lw t0, \run(sp)
    beq t0, t3, 7f
    add t0, t0, t5
    sw t0, \run(sp)
7:
.endm

/* All blocks; outputs have bounds of their own or not. */
.macro blocks bounded, pack
1:
    lw t1, GROUPS(a0)
    lw window, RUN0(sp)
    lp.setup 1, t1, 2f
    stepped_products dot
    addi t0, a3, -1
    add_run t0
    lw window, RUN1(sp)
    add_run a3
    lw window, RUN2(sp)
    add_run a3
    finish_sums finish
    \pack
.if \bounded
    bound_all a0
.endif
    lw t4, PITCH(a0)
    lw t5, BACK(sp)
    lw window, RUN0(sp)
    store_windows out, t4, t5
2:
    lw t0, LEFT(sp)
    lw out, FIRST_OUT(sp)
    addi t0, t0, -1
    beqz t0, 3f
    sw t0, LEFT(sp)
    slli t4, t4, 2
    add out, out, t4
    sw out, FIRST_OUT(sp)
    lw weights, WEIGHTS(a0)
    lw t3, ZEROS(a0)
    slli t5, a5, 2
    move_on RUN0
    move_on RUN1
    move_on RUN2
    j 1b
3:
    addi sp, sp, FRAME
    restore_all_and_return
.endm

    .text
    .balign 16
    .globl dpl_four_by_four_three
    .type dpl_four_by_four_three, @function
dpl_four_by_four_three:
    save_all
    addi sp, sp, -FRAME
    lw t1, RUNS(a0)
    lw t0, BLOCKS(a0)
    lw out, OUT(a0)
    lw a3, WORDS(a0)
    lw t2, 0(t1)
    lw t3, 4(t1)
    lw t4, 8(t1)
    sw t0, LEFT(sp)
    sw out, FIRST_OUT(sp)
    sw t2, RUN0(sp)
    sw t3, RUN1(sp)
    sw t4, RUN2(sp)
    lw t2, PITCH(a0)
    lw weights, WEIGHTS(a0)
    steps a0
    way_back t1, t2
    sw t1, BACK(sp)
    blocks_by_bounds
    .size dpl_four_by_four_three, . - dpl_four_by_four_three
