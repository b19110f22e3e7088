/* void dpl_mul_words(const dpl_mul_run *r): see dpl/pulp/mul.h. 37 cycles for four elements. */
#include "dpl/pulp/xpulp.inc"

/* dpl_mul_run */
#define LEFT 0
#define RIGHT 4
#define OUT 8
#define WORDS 12
#define LEFT_ZERO 16
#define RIGHT_ZERO 20
#define MULTIPLIER 24
#define ROUNDING 28
#define SHIFT 32
#define LOW 36
#define HIGH 40

#define left a1
#define right a2
#define out a3
#define left_zero a4
#define right_zero a5
#define multiplier s1
#define low s2
#define high s3

.macro lefts op, rest:vararg
    \op t0, t0, \rest
    \op t2, t2, \rest
    \op t4, t4, \rest
    \op t6, t6, \rest
.endm

    .text
    .balign 16
    .globl dpl_mul_words
    .type dpl_mul_words, @function
dpl_mul_words:
    addi sp, sp, -16
    sw s0, 12(sp)
    sw s1, 8(sp)
    sw s2, 4(sp)
    sw s3, 0(sp)
    lw t0, WORDS(a0)
    lw left, LEFT(a0)
    lw right, RIGHT(a0)
    lw out, OUT(a0)
    lw left_zero, LEFT_ZERO(a0)
    lw right_zero, RIGHT_ZERO(a0)
    lw multiplier, MULTIPLIER(a0)
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
    lefts sub, left_zero
    sub t1, t1, right_zero
    sub t3, t3, right_zero
    sub t5, t5, right_zero
    sub s0, s0, right_zero
    mul t0, t0, t1
    mul t2, t2, t3
    mul t4, t4, t5
    mul t6, t6, s0
    lefts mul, multiplier
    p.addNr t0, a6, a7
    p.addNr t2, a6, a7
    p.addNr t4, a6, a7
    p.addNr t6, a6, a7
    lefts p.clip, 8
    pv.packlo.b t1, t2, t0
    pv.packhi.b t1, t6, t4
    pv.max.b t1, t1, low
    pv.min.b t1, t1, high
    p.sw t1, 4, out
1:
    lw s0, 12(sp)
    lw s1, 8(sp)
    lw s2, 4(sp)
    lw s3, 0(sp)
    addi sp, sp, 16
    ret
    .size dpl_mul_words, . - dpl_mul_words
