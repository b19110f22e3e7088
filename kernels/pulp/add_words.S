/* void dpl_add_words(const dpl_add_run *r): see dpl/pulp/add.h. 29 cycles for four elements. */
#include "dpl/pulp/xpulp.inc"

/* dpl_add_run */
#define LEFT 0
#define RIGHT 4
#define OUT 8
#define WORDS 12
#define MULTIPLIERS 16
#define ROUNDING 24
#define SHIFT 28
#define LOW 32
#define HIGH 36

#define left a1
#define right a2
#define out a3
#define low s1
#define high s2

.macro four op, last
    \op t0, t0, \last
    \op t2, t2, \last
    \op t4, t4, \last
    \op t6, t6, \last
.endm

    .text
    .balign 16
    .globl dpl_add_words
    .type dpl_add_words, @function
dpl_add_words:
    addi sp, sp, -16
    sw s0, 12(sp)
    sw s1, 8(sp)
    sw s2, 4(sp)
    lw left, LEFT(a0)
    lw right, RIGHT(a0)
    lw out, OUT(a0)
    lw t0, WORDS(a0)
    lw a4, MULTIPLIERS(a0)
    lw a5, MULTIPLIERS+4(a0)
    lw a6, ROUNDING(a0)
    lw a7, SHIFT(a0)
    lw low, LOW(a0)
    lw high, HIGH(a0)
    lp.setup 0, t0, 1f
    p.lb t0, 1, left
    p.lb t1, 1, right
    p.lb t2, 1, left
    p.lb t3, 1, right
    p.lb t4, 1, left
    p.lb t5, 1, right
    p.lb t6, 1, left
    p.lb s0, 1, right
    four mul, a4
    p.mac t0, t1, a5
    p.mac t2, t3, a5
    p.mac t4, t5, a5
    p.mac t6, s0, a5
    p.addNr t0, a6, a7
    p.addNr t2, a6, a7
    p.addNr t4, a6, a7
    p.addNr t6, a6, a7
    four p.clip, 8
    pv.packlo.b t1, t2, t0
    pv.packhi.b t1, t6, t4
    pv.max.b t1, t1, low
    pv.min.b t1, t1, high
    p.sw t1, 4, out
1:
    lw s0, 12(sp)
    lw s1, 8(sp)
    lw s2, 4(sp)
    addi sp, sp, 16
    ret
    .size dpl_add_words, . - dpl_add_words
