/* void dpl_fours_sums(const dpl_fours *f, int32_t *sums): see dpl/pulp/fours.h. */
#include "dpl/pulp/fours.inc"

    .text
    .balign 16
    .globl dpl_fours_sums
    .type dpl_fours_sums, @function
dpl_fours_sums:
    save_all
    sw a1, 0(sp)
    lw weights, WEIGHTS(a0)
    table_sums
    lw t0, 0(sp)
    sw c0p0, 0(t0)
    sw c0p1, 4(t0)
    sw c0p2, 8(t0)
    sw c0p3, 12(t0)
    sw c1p0, 16(t0)
    sw c1p1, 20(t0)
    sw c1p2, 24(t0)
    sw c1p3, 28(t0)
    sw c2p0, 32(t0)
    sw c2p1, 36(t0)
    sw c2p2, 40(t0)
    sw c2p3, 44(t0)
    sw c3p0, 48(t0)
    sw c3p1, 52(t0)
    sw c3p2, 56(t0)
    sw c3p3, 60(t0)
    restore_all_and_return
    .size dpl_fours_sums, . - dpl_fours_sums
