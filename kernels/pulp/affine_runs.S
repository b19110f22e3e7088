/* void dpl_affine_runs(const dpl_affine_job *j): see dpl/pulp/affine.h. 21 cycles for four
 * elements. */
#include "dpl/pulp/requantize.inc"

/* dpl_affine_job */
#define FROM 0
#define OUT 4
#define WORDS 8
#define RUNS 12
#define FROM_GAP 16
#define OUT_GAP 20
#define MULTIPLIER 24
#define ROUNDING 28
#define SHIFT 32
#define LOW 36
#define HIGH 40

#define elements t1, t2, t3, t4

    .text
    .balign 16
    .globl dpl_affine_runs
    .type dpl_affine_runs, @function
dpl_affine_runs:
    lw t0, WORDS(a0)
    lw t1, RUNS(a0)
    lw a1, FROM(a0)
    lw a2, OUT(a0)
    lw a3, MULTIPLIER(a0)
    lw a4, ROUNDING(a0)
    lw a5, SHIFT(a0)
    lw a6, LOW(a0)
    lw a7, HIGH(a0)
    lw t6, FROM_GAP(a0)
    lw a0, OUT_GAP(a0)
    lp.setup 1, t1, 2f
    lp.setup 0, t0, 1f
    each p.lb, elements, 1, a1
    requantize elements, a3, a4, a5
    pack_bounded t5, elements, a6, a7
    p.sw t5, 4, a2
1:
    add a1, a1, t6
    add a2, a2, a0
2:
    ret
    .size dpl_affine_runs, . - dpl_affine_runs
