/* void dpl_four_by_four_s16(dpl_four_by_four *f), void dpl_four_by_four_s16_sums(const dpl_four_by_four
 * *f, int32_t *sums): see dpl/pulp/four_by_four.h. 24 cycles for two products of sixteen sums, 130 for
 * the rest of a group. */
#include "dpl/pulp/four_by_four.inc"

.macro bound_channel p0, p1, p2, p3
    each_from_itself p.max, \p0, \p1, \p2, \p3, t4
    each_from_itself p.min, \p0, \p1, \p2, \p3, t5
.endm

/* Four channels of a window. */
.macro store_window out, c0, c1, c2, c3
    pv.pack.h \c0, \c1, \c0
    pv.pack.h \c2, \c3, \c2
    p.sw \c0, 4, \out
    p.sw \c2, 4, \out
.endm

    .text
    .balign 16
    .globl dpl_four_by_four_s16
    .type dpl_four_by_four_s16, @function
dpl_four_by_four_s16:
    save_all
    lw weights, WEIGHTS(a0)
1:
    table_sums h
    lw t4, BOUNDED(a0)
    andi t4, t4, BLOCK_HIGH
    bnez t4, 4f
    finish_sums finish, 16
2:
    lw t3, BOUNDED(a0)
    andi t3, t3, BLOCK_BOUNDED
    beqz t3, 3f
    lw t4, LOW(a0)
    lw t5, HIGH(a0)
    bound_channel c0p0, c0p1, c0p2, c0p3
    bound_channel c1p0, c1p1, c1p2, c1p3
    bound_channel c2p0, c2p1, c2p2, c2p3
    bound_channel c3p0, c3p1, c3p2, c3p3
3:
    each_word lw, a0, OUTS, 4, a4, a5, a6, a7
    store_window a4, c0p0, c1p0, c2p0, c3p0
    store_window a5, c0p1, c1p1, c2p1, c3p1
    store_window a6, c0p2, c1p2, c2p2, c3p2
    store_window a7, c0p3, c1p3, c2p3, c3p3
    each_word sw, a0, OUTS, 4, a4, a5, a6, a7
    lw t5, WEIGHTS_END(a0)
    bne weights, t5, 1b
    restore_all_and_return
4:
    finish_sums finish_high, 16
    j 2b
    .size dpl_four_by_four_s16, . - dpl_four_by_four_s16

    .globl dpl_four_by_four_s16_sums
    .type dpl_four_by_four_s16_sums, @function
dpl_four_by_four_s16_sums:
    save_all
    sw a1, 0(sp)
    lw weights, WEIGHTS(a0)
    table_sums h
    lw t0, 0(sp)
    store_sums t0
    restore_all_and_return
    .size dpl_four_by_four_s16_sums, . - dpl_four_by_four_s16_sums
