/* void dpl_four_by_some(dpl_four_by_four *f): see dpl/pulp/four_by_four.h. A word of the windows costs
 * 9 cycles for one channel, 14 for two, 24 for three or four. */
#include "dpl/pulp/by_some.inc"

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

.macro bound_some channels
    bound_all a0
.endm

    .text
    .balign 16
    .globl dpl_four_by_some
    .type dpl_four_by_some, @function
dpl_four_by_some:
    by_some b, 1
    .size dpl_four_by_some, . - dpl_four_by_some
