/* void dpl_four_by_four_point(const dpl_four_by_four *f): see dpl/pulp/four_by_four.h. 6 cycles for
 * four products of sixteen sums, 75 for the rest of a group. */
#include "dpl/pulp/four_by_four.inc"

#define window a4
#define out a2
#define pitch a0

/* Words of the frame. */
#define LEFT 0
#define FIRST 4
#define BACK 8
#define ARGS 12

/* All blocks; outputs have bounds of their own or not. */
.macro blocks bounded, pack
    lw t0, COPIES(a0)
    lw pitch, PITCH(a0)
    bnez t0, 3f
1:
    lw t5, ARGS(sp)
    lw t0, GROUPS(t5)
    lp.setup 1, t0, 2f
    stepped_products dot
    add_run a3
    finish_sums finish
    \pack
.if \bounded
    lw t5, ARGS(sp)
    bound_all t5
.endif
    lw t5, BACK(sp)
    lw window, FIRST(sp)
    store_windows out, pitch, t5
2:
    lw t0, LEFT(sp)
    lw t5, ARGS(sp)
    addi t0, t0, -1
    beqz t0, 4f
    sw t0, LEFT(sp)
    lw t4, GROUPS(t5)
    lw t0, COPIES(t5)
    lw weights, WEIGHTS(t5)
    sub t4, pitch, t4
    slli t4, t4, 2
    add out, out, t4
    bnez t0, 3f
    slli t5, a5, 2
    add window, window, t5
    sw window, FIRST(sp)
    j 1b
3:
    mv s0, pitch
    mv s1, out
    mv a0, t0
    jal ra, dpl_window_columns
    lw t5, ARGS(sp)
    mv out, s1
    lw weights, WEIGHTS(t5)
    lw a3, WORDS(t5)
    lw window, FIRST(sp)
    steps t5
    mv pitch, s0
    addi a3, a3, -1
    j 1b
4:
    restore_all_and_return
.endm

    .text
    .balign 16
    .globl dpl_four_by_four_point
    .type dpl_four_by_four_point, @function
dpl_four_by_four_point:
    save_all
    lw t0, RUNS(a0)
    lw t1, BLOCKS(a0)
    lw t2, PITCH(a0)
    lw window, 0(t0)
    sw a0, ARGS(sp)
    sw t1, LEFT(sp)
    lw weights, WEIGHTS(a0)
    lw out, OUT(a0)
    lw a3, WORDS(a0)
    steps a0
    addi a3, a3, -1
    sw window, FIRST(sp)
    way_back t1, t2
    sw t1, BACK(sp)
    blocks_by_bounds
    .size dpl_four_by_four_point, . - dpl_four_by_four_point
