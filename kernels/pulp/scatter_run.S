/* void dpl_scatter_run(int8_t *to, const int8_t *from, int32_t count, int32_t pitch): see
 * dpl/pulp/runs.h. 4 cycles for two elements. */
#include "dpl/pulp/xpulp.inc"

#define to a0
#define from a1
#define count a2
#define pitch a3

    .text
    .balign 16
    .globl dpl_scatter_run
    .type dpl_scatter_run, @function
dpl_scatter_run:
    srai t0, count, 1
    blez t0, 2f
    lp.setup 0, t0, 1f
    p.lb t1, 1, from
    p.lb t2, 1, from
    p.sb_r t1, pitch, to
    p.sb_r t2, pitch, to
1:
2:
    andi count, count, 1
    beqz count, 3f
    lb t1, 0(from)
    sb t1, 0(to)
3:
    ret
    .size dpl_scatter_run, . - dpl_scatter_run
