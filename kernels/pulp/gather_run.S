/* void dpl_gather_run(int8_t *to, const int8_t *from, int32_t count, int32_t pitch): see
 * dpl/pulp/runs.h. 7 cycles for four elements. */
#include "dpl/pulp/requantize.inc"

#define to a0
#define from a1
#define count a2
#define pitch a3
#define elements t1, t2, t3, t4

    .text
    .balign 16
    .globl dpl_gather_run
    .type dpl_gather_run, @function
dpl_gather_run:
    srli t0, count, 2
    andi count, count, 3
    beqz t0, 2f
    lp.setup 0, t0, 1f
    each p.lb_r, elements, pitch, from
    pack t5, elements
    p.sw t5, 4, to
1:
2:
    beqz count, 4f
3:
    p.lb_r t1, pitch, from
    addi count, count, -1
    p.sb t1, 1, to
    bnez count, 3b
4:
    ret
    .size dpl_gather_run, . - dpl_gather_run
