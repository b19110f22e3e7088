/* void dpl_four_by_four_s16(dpl_four_by_four *f), void dpl_four_by_four_s16_sums(const dpl_four_by_four
 * *f, int32_t *sums): see dpl/pulp/wide.h. 24 cycles for two products of sixteen sums, 130 for the rest
 * of a group. */
#include "dpl/pulp/wide.inc"

    .text
    .balign 16
    .globl dpl_four_by_four_s16
    .type dpl_four_by_four_s16, @function
dpl_four_by_four_s16:
    save_all
    lw weights, WEIGHTS(a0)
1:
    table_sums h
    finish_group 4f, 1b
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
