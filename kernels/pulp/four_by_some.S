/* void dpl_four_by_some(dpl_four_by_four *f): see dpl/pulp/four_by_four.h. A word of the windows costs
 * 9 cycles for one channel, 14 for two, 24 for three or four. */
#include "dpl/pulp/four_by_four.inc"
#include "dpl/pulp/runs.inc"

#define window a4
#define next a2

/* dpl_four_by_four, behind what all files have. */
#define SOME 80

/* Words of the frame. */
#define LEFT 0
#define FIRST_OUT 4
#define OUT_NOW 8
#define ARGS 12

/* The words of four windows, one step apart; the last one's use is not the next instruction's. */
.macro windows
    p.lw_at t1, a5, window
    p.lw_at t2, a6, window
    p.lw_at t3, a7, window
    p.lw t0, 4, window
.endm

/* Those of a group are sixteen bytes whatever of them is read. */
.macro products channels
.if \channels == 4
    stepped_products sdot
.elseif \channels == 2
    lw t5, 4(weights)
    p.lw t4, 16, weights
    windows
    pv.sdotsp.b c1p1, t1, t5
    pv.sdotsp.b c1p2, t2, t5
    pv.sdotsp.b c1p3, t3, t5
    pv.sdotsp.b c1p0, t0, t5
    pv.sdotsp.b c0p0, t0, t4
    pv.sdotsp.b c0p1, t1, t4
    pv.sdotsp.b c0p2, t2, t4
    pv.sdotsp.b c0p3, t3, t4
.else
    p.lw t4, 16, weights
    windows
    pv.sdotsp.b c0p1, t1, t4
    pv.sdotsp.b c0p2, t2, t4
    pv.sdotsp.b c0p3, t3, t4
    pv.sdotsp.b c0p0, t0, t4
.endif
.endm

.macro clear channels
    each li, c0p0, c0p1, c0p2, c0p3, 0
.if \channels > 1
    each li, c1p0, c1p1, c1p2, c1p3, 0
.endif
.if \channels > 2
    each li, c2p0, c2p1, c2p2, c2p3, 0
    each li, c3p0, c3p1, c3p2, c3p3, 0
.endif
.endm

/* Sums to t0 to t3, whose lowest bytes are those of the channels. */
.macro finish_some channels, finish
.if \channels == 4
    finish_all \finish
.else
    \finish c0p0, c0p1, c0p2, c0p3
.if \channels == 2
    \finish c1p0, c1p1, c1p2, c1p3
    pv.packlo.b t0, c1p0, c0p0
    pv.packlo.b t1, c1p1, c0p1
    pv.packlo.b t2, c1p2, c0p2
    pv.packlo.b t3, c1p3, c0p3
.else
    mv t0, c0p0
    mv t1, c0p1
    mv t2, c0p2
    mv t3, c0p3
.endif
.endif
.endm

/* The third byte of a word; the two before it are stored. */
.macro store_third word
    srli \word, \word, 16
    p.sb_r \word, a3, next
.endm

.macro store_some channels
.if \channels == 4
    lw t4, SOME(a0)
    addi t4, t4, -4
    bnez t4, 5f
    p.sw_r t0, a3, next
    p.sw_r t1, a3, next
    p.sw_r t2, a3, next
    sw t3, 0(next)
    j 6f
5:
    addi t4, next, 2
    p.sh_r t0, a3, next
    p.sh_r t1, a3, next
    p.sh_r t2, a3, next
    sh t3, 0(next)
    mv next, t4
    store_third t0
    store_third t1
    store_third t2
    store_third t3
6:
.elseif \channels == 2
    p.sh_r t0, a3, next
    p.sh_r t1, a3, next
    p.sh_r t2, a3, next
    sh t3, 0(next)
.else
    p.sb_r t0, a3, next
    p.sb_r t1, a3, next
    p.sb_r t2, a3, next
    sb t3, 0(next)
.endif
.endm

.macro blocks channels
1:
    lw t0, COPIES(a0)
    beqz t0, 9f
    sw a0, ARGS(sp)
    mv a0, t0
    jal ra, dpl_window_columns
    lw a0, ARGS(sp)
9:
    steps a0
    lw weights, WEIGHTS(a0)
    lw t1, FIRST_OUT(sp)
    sw t1, OUT_NOW(sp)
2:
    clear \channels
    lw next, RUNS(a0)
    lw t0, COUNT(a0)
    lw a3, WORDS(a0)
    p.lw window, 4, next
    lp.setup 1, t0, 4f
    lp.setup 0, a3, 3f
    products \channels
3:
    lw a3, WORDS(a0)
    p.lw window, 4, next
4:
    lw t4, BOUNDED(a0)
    andi t4, t4, BLOCK_HIGH
    bnez t4, 9f
    finish_some \channels, finish
    j 10f
9:
    finish_some \channels, finish_high
10:
    lw t4, BOUNDED(a0)
    andi t4, t4, BLOCK_BOUNDED
    beqz t4, 7f
    bound_all a0
7:
    lw next, OUT_NOW(sp)
    lw a3, PITCH(a0)
    addi t4, next, 4
    sw t4, OUT_NOW(sp)
    store_some \channels
.if \channels == 4
    lw t5, WEIGHTS_END(a0)
    bne weights, t5, 2b
.endif
    next_outputs LEFT, FIRST_OUT, 8f
    lw t0, COPIES(a0)
    bnez t0, 1b
    lw t0, COUNT(a0)
    lw next, RUNS(a0)
    addi t0, t0, 1
    slli t2, a5, 2
    lw t4, ZEROS(a0)
    move_runs t0, next, t2, t4, t3
    j 1b
8:
    restore_all_and_return
.endm

    .text
    .balign 16
    .globl dpl_four_by_some
    .type dpl_four_by_some, @function
dpl_four_by_some:
    save_all
    lw t0, BLOCKS(a0)
    lw t1, OUT(a0)
    lw t2, SOME(a0)
    sw t0, LEFT(sp)
    sw t1, FIRST_OUT(sp)
    addi t2, t2, -2
    bltz t2, one
    beqz t2, two
    blocks 4
two:
    blocks 2
one:
    blocks 1
    .size dpl_four_by_some, . - dpl_four_by_some
