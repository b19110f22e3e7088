/* void dpl_table_words(const int8_t *from, int8_t *out, const int8_t *middle, int32_t words): see
 * dpl/pulp/table.h. 11 cycles for four elements. */
#include "dpl/pulp/requantize.inc"

#define from a0
#define out a1
#define middle a2
#define elements t1, t2, t3, t4

    .text
    .balign 16
    .globl dpl_table_words
    .type dpl_table_words, @function
dpl_table_words:
    lp.setup 0, a3, 1f
    each p.lb, elements, 1, from
    each_from_itself p.lb_at, elements, middle
    pack t5, elements
    p.sw t5, 4, out
1:
    ret
    .size dpl_table_words, . - dpl_table_words
