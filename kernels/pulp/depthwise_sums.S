/* void dpl_depthwise_sums(const dpl_depthwise_block *b, int32_t *sums): see dpl/pulp/depthwise.h. */
#include "dpl/pulp/depthwise_blocks.inc"

.macro store_row at, c0, c1, c2, c3
    sw \c0, \at(t0)
    sw \c1, \at+4(t0)
    sw \c2, \at+8(t0)
    sw \c3, \at+12(t0)
.endm

    .text
    .balign 16
    .globl dpl_depthwise_sums
    .type dpl_depthwise_sums, @function
dpl_depthwise_sums:
    save_all
    sw a1, 0(sp)
    block_sums
    lw t0, 0(sp)
    store_row 0, c0p0, c1p0, c2p0, c3p0
    store_row 16, c0p1, c1p1, c2p1, c3p1
    store_row 32, c0p2, c1p2, c2p2, c3p2
    store_row 48, c0p3, c1p3, c2p3, c3p3
    restore_all_and_return
    .size dpl_depthwise_sums, . - dpl_depthwise_sums
