/* void dpl_four_by_some_s16(dpl_four_by_four *f): see dpl/pulp/wide.h. A word of the windows costs 9
 * cycles for one channel, 14 for two, 24 for three or four, as in four_by_some.S; a word has two
 * values. */
#include "dpl/pulp/by_some.inc"
#include "dpl/pulp/wide.inc"

.macro finish_some channels, finish
    \finish c0p0, c0p1, c0p2, c0p3, 16
.if \channels > 1
    \finish c1p0, c1p1, c1p2, c1p3, 16
.endif
.if \channels > 2
    \finish c2p0, c2p1, c2p2, c2p3, 16
    \finish c3p0, c3p1, c3p2, c3p3, 16
.endif
.endm

.macro bound_some channels
    lw t4, LOW(a0)
    lw t5, HIGH(a0)
    bound_channel c0p0, c0p1, c0p2, c0p3
.if \channels > 1
    bound_channel c1p0, c1p1, c1p2, c1p3
.endif
.if \channels > 2
    bound_channel c2p0, c2p1, c2p2, c2p3
    bound_channel c3p0, c3p1, c3p2, c3p3
.endif
.endm

/* Two channels of the windows, to one output after the other. */
.macro store_pairs p0, p1, p2, p3, q0, q1, q2, q3
    pv.pack.h \p0, \q0, \p0
    pv.pack.h \p1, \q1, \p1
    pv.pack.h \p2, \q2, \p2
    pv.pack.h \p3, \q3, \p3
    p.sw_r \p0, a3, next
    p.sw_r \p1, a3, next
    p.sw_r \p2, a3, next
    sw \p3, 0(next)
.endm

.macro store_halves p0, p1, p2, p3
    p.sh_r \p0, a3, next
    p.sh_r \p1, a3, next
    p.sh_r \p2, a3, next
    sh \p3, 0(next)
.endm

.macro store_some channels
.if \channels == 1
    store_halves c0p0, c0p1, c0p2, c0p3
.else
.if \channels == 4
    addi t5, next, 4
.endif
    store_pairs c0p0, c0p1, c0p2, c0p3, c1p0, c1p1, c1p2, c1p3
.if \channels == 4
    mv next, t5
    lw t4, SOME(a0)
    addi t4, t4, -4
    bnez t4, 5f
    store_pairs c2p0, c2p1, c2p2, c2p3, c3p0, c3p1, c3p2, c3p3
    j 6f
5:
    store_halves c2p0, c2p1, c2p2, c2p3
6:
.endif
.endif
.endm

    .text
    .balign 16
    .globl dpl_four_by_some_s16
    .type dpl_four_by_some_s16, @function
dpl_four_by_some_s16:
    by_some h, 2
    .size dpl_four_by_some_s16, . - dpl_four_by_some_s16
