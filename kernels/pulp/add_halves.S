/* void dpl_add_halves(const dpl_add_run *r): see dpl/pulp/add.h. 32 cycles for four elements. */
#include "dpl/pulp/add.inc"

    .text
    .balign 16
    .globl dpl_add_halves
    .type dpl_add_halves, @function
dpl_add_halves:
    enter_add
    lp.setup 0, t0, 1f
    load_operands p.lh, 2
    add_products
    each p.addNr, lefts, a6, a7
    each_from_itself p.max, lefts, low
    each_from_itself p.min, lefts, high
    each p.sh, lefts, 2, out
1:
    leave_add
    .size dpl_add_halves, . - dpl_add_halves
