/* void dpl_table_words(const int8_t *from, int8_t *out, const int8_t *middle, int32_t words): see
 * dpl/pulp/table.h. 11 cycles for four elements. */
#include "dpl/pulp/xpulp.inc"

#define from a0
#define out a1
#define middle a2

    .text
    .balign 16
    .globl dpl_table_words
    .type dpl_table_words, @function
dpl_table_words:
    lp.setup 0, a3, 1f
    p.lb t1, 1, from
    p.lb t2, 1, from
    p.lb t3, 1, from
    p.lb t4, 1, from
    p.lb_at t1, t1, middle
    p.lb_at t2, t2, middle
    p.lb_at t3, t3, middle
    p.lb_at t4, t4, middle
    pv.packlo.b t5, t2, t1
    pv.packhi.b t5, t4, t3
    p.sw t5, 4, out
1:
    ret
    .size dpl_table_words, . - dpl_table_words
