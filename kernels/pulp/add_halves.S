/* void dpl_add_halves(const dpl_add_run *r): see dpl/pulp/add.h. 32 cycles for four elements. */
#include "dpl/pulp/binary.inc"

/* dpl_add_run, behind the runs */
#define MULTIPLIERS 16
#define ROUNDING 24
#define SHIFT 28
#define LOW 32
#define HIGH 36

#define low s1
#define high s2

    .text
    .balign 16
    .globl dpl_add_halves
    .type dpl_add_halves, @function
dpl_add_halves:
    enter_binary s0, s1, s2
    load_runs
    lw t0, WORDS(a0)
    lw a4, MULTIPLIERS(a0)
    lw a5, MULTIPLIERS+4(a0)
    lw a6, ROUNDING(a0)
    lw a7, SHIFT(a0)
    lw low, LOW(a0)
    lw high, HIGH(a0)
    lp.setup 0, t0, 1f
    load_operands p.lh, 2
    each_from_itself mul, lefts, a4
    p.mac t0, t1, a5
    p.mac t2, t3, a5
    p.mac t4, t5, a5
    p.mac t6, s0, a5
    each p.addNr, lefts, a6, a7
    each_from_itself p.max, lefts, low
    each_from_itself p.min, lefts, high
    each p.sh, lefts, 2, out
1:
    leave_binary s0, s1, s2
    .size dpl_add_halves, . - dpl_add_halves
