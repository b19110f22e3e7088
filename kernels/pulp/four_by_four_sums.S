/* void dpl_four_by_four_sums(const dpl_four_by_four *f, int32_t *sums): see
 * dpl/pulp/four_by_four.h. */
#include "dpl/pulp/four_by_four.inc"

    .text
    .balign 16
    .globl dpl_four_by_four_sums
    .type dpl_four_by_four_sums, @function
dpl_four_by_four_sums:
    save_all
    sw a1, 0(sp)
    lw weights, WEIGHTS(a0)
    table_sums
    lw t0, 0(sp)
    each_word sw, t0, 0, 4, c0p0, c0p1, c0p2, c0p3
    each_word sw, t0, 16, 4, c1p0, c1p1, c1p2, c1p3
    each_word sw, t0, 32, 4, c2p0, c2p1, c2p2, c2p3
    each_word sw, t0, 48, 4, c3p0, c3p1, c3p2, c3p3
    restore_all_and_return
    .size dpl_four_by_four_sums, . - dpl_four_by_four_sums
