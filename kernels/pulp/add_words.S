/* void dpl_add_words(const dpl_add_run *r): see dpl/pulp/add.h. 29 cycles for four elements. */
#include "dpl/pulp/add.inc"

    .text
    .balign 16
    .globl dpl_add_words
    .type dpl_add_words, @function
dpl_add_words:
    enter_add
    lp.setup 0, t0, 1f
    load_operands
    add_products
    shift_to_bits lefts, a6, a7
    store_lefts low, high
1:
    leave_add
    .size dpl_add_words, . - dpl_add_words
