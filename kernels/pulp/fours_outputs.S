/* void dpl_fours_outputs(dpl_four_windows *f): see dpl/pulp/fours.h. 6 cycles for four products of sixteen sums,
 * 115 for the rest of a block. */
#include "dpl/pulp/fours.inc"

/* The sums of a channel to its bytes of four windows: multiplier, addend and shift follow the
 * weights. */
.macro finish p0, p1, p2, p3
    p.lw t0, 4, weights
    p.lw t1, 4, weights
    p.lw t2, 4, weights
    mul \p0, \p0, t0
    mul \p1, \p1, t0
    mul \p2, \p2, t0
    mul \p3, \p3, t0
    add \p0, \p0, t1
    add \p1, \p1, t1
    add \p2, \p2, t1
    add \p3, \p3, t1
    sra \p0, \p0, t2
    sra \p1, \p1, t2
    sra \p2, \p2, t2
    sra \p3, \p3, t2
    p.clip \p0, \p0, 8
    p.clip \p1, \p1, 8
    p.clip \p2, \p2, 8
    p.clip \p3, \p3, 8
.endm

.macro pack rd, c0, c1, c2, c3
    pv.packlo.b \rd, \c1, \c0
    pv.packhi.b \rd, \c3, \c2
.endm

.macro bound rd
    pv.max.b \rd, \rd, t4
    pv.min.b \rd, \rd, t5
.endm

    .text
    .balign 4
    .globl dpl_fours_outputs
    .type dpl_fours_outputs, @function
dpl_fours_outputs:
    save_all
    lw weights, WEIGHTS(a0)
    lw t0, GROUPS(a0)
    lp.setup 1, t0, 2f
    group_sums
    finish c0p0, c0p1, c0p2, c0p3
    finish c1p0, c1p1, c1p2, c1p3
    finish c2p0, c2p1, c2p2, c2p3
    finish c3p0, c3p1, c3p2, c3p3
    lw t4, BOUNDED(a0)
    lw a4, OUT(a0)
    lw a5, OUT+4(a0)
    lw a6, OUT+8(a0)
    lw a7, OUT+12(a0)
    pack t0, c0p0, c1p0, c2p0, c3p0
    pack t1, c0p1, c1p1, c2p1, c3p1
    pack t2, c0p2, c1p2, c2p2, c3p2
    pack t3, c0p3, c1p3, c2p3, c3p3
    bnez t4, 3f
1:
    p.sw t0, 4, a4
    p.sw t1, 4, a5
    p.sw t2, 4, a6
    p.sw t3, 4, a7
    sw a4, OUT(a0)
    sw a5, OUT+4(a0)
    sw a6, OUT+8(a0)
    sw a7, OUT+12(a0)
2:
    restore_all_and_return
3:
    lw t4, LOW(a0)
    lw t5, HIGH(a0)
    bound t0
    bound t1
    bound t2
    bound t3
    j 1b
    .size dpl_fours_outputs, . - dpl_fours_outputs
