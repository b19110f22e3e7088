/* void dpl_max_words(const dpl_max_run *r): see dpl/pulp/max.h. 10 cycles for four channels of four
 * taps. */
#include "dpl/pulp/xpulp.inc"

/* dpl_max_run */
#define TAPS 0
#define OUT 16
#define WORDS 20
#define LOW 24
#define HIGH 28

    .text
    .balign 16
    .globl dpl_max_words
    .type dpl_max_words, @function
dpl_max_words:
    lw a1, TAPS(a0)
    lw a2, TAPS+4(a0)
    lw a3, TAPS+8(a0)
    lw a4, TAPS+12(a0)
    lw t0, WORDS(a0)
    lw a5, OUT(a0)
    lw a6, LOW(a0)
    lw a7, HIGH(a0)
    lp.setup 0, t0, 1f
    p.lw t1, 4, a1
    p.lw t2, 4, a2
    p.lw t3, 4, a3
    p.lw t4, 4, a4
    pv.max.b t1, t1, t2
    pv.max.b t3, t3, a6
    pv.max.b t1, t1, t3
    pv.max.b t1, t1, t4
    pv.min.b t1, t1, a7
    p.sw t1, 4, a5
1:
    ret
    .size dpl_max_words, . - dpl_max_words
