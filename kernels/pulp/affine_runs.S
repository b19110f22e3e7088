/* void dpl_affine_runs(const dpl_affine_job *j): see dpl/pulp/affine.h. 21 cycles for four
 * elements. */
#include "dpl/pulp/xpulp.inc"

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
    p.lb t1, 1, a1
    p.lb t2, 1, a1
    p.lb t3, 1, a1
    p.lb t4, 1, a1
    mul t1, t1, a3
    mul t2, t2, a3
    mul t3, t3, a3
    mul t4, t4, a3
    p.addNr t1, a4, a5
    p.addNr t2, a4, a5
    p.addNr t3, a4, a5
    p.addNr t4, a4, a5
    p.clip t1, t1, 8
    p.clip t2, t2, 8
    p.clip t3, t3, 8
    p.clip t4, t4, 8
    pv.packlo.b t5, t2, t1
    pv.packhi.b t5, t4, t3
    pv.max.b t5, t5, a6
    pv.min.b t5, t5, a7
    p.sw t5, 4, a2
1:
    add a1, a1, t6
    add a2, a2, a0
2:
    ret
    .size dpl_affine_runs, . - dpl_affine_runs
