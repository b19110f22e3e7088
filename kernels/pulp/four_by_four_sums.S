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
    store_sums t0
    restore_all_and_return
    .size dpl_four_by_four_sums, . - dpl_four_by_four_sums
