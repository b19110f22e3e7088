/* void dpl_dense_outputs(const dpl_dense *d): see dpl/pulp/dense.h. 9 cycles for sixteen products:
 * a word of the input and one of each of four channels. */
#include "dpl/pulp/xpulp.inc"

/* dpl_dense */
#define INPUT 0
#define WORDS 4
#define WEIGHTS 8
#define OUT 12
#define GROUPS 16
#define LOW 20
#define HIGH 24

#define out a0
#define weights a1
#define input a2
#define next a4
#define low a6
#define high a7
#define value s0

.macro products dot
    p.lw value, 4, next
    p.lw a5, 4, weights
    p.lw t4, 4, weights
    p.lw t5, 4, weights
    p.lw t6, 4, weights
    pv.\dot\()sp.b t0, value, a5
    pv.\dot\()sp.b t1, value, t4
    pv.\dot\()sp.b t2, value, t5
    pv.\dot\()sp.b t3, value, t6
.endm

/* A sum to its output; the next channel's multiplier, addend and shift are loaded on the way. */
.macro finish sum
    mul \sum, \sum, a5
    p.lw a5, 4, weights
    add \sum, \sum, t4
    p.lw t4, 4, weights
    sra \sum, \sum, t5
    p.lw t5, 4, weights
    p.max \sum, \sum, low
    p.min \sum, \sum, high
.endm

    .text
    .balign 4
    .globl dpl_dense_outputs
    .type dpl_dense_outputs, @function
dpl_dense_outputs:
    addi sp, sp, -16
    sw s0, 12(sp)
    lw input, INPUT(a0)
    lw a3, WORDS(a0)
    lw weights, WEIGHTS(a0)
    lw low, LOW(a0)
    lw high, HIGH(a0)
    lw t0, GROUPS(a0)
    lw out, OUT(a0)
    addi a3, a3, -1
    lp.setup 1, t0, 3f
    mv next, input
    products dot
    beqz a3, 2f
    lp.setup 0, a3, 1f
    products sdot
1:
2:
    p.lw a5, 4, weights
    p.lw t4, 4, weights
    p.lw t5, 4, weights
    finish t0
    finish t1
    finish t2
    mul t3, t3, a5
    pv.packlo.b t6, t1, t0
    add t3, t3, t4
    sra t3, t3, t5
    p.max t3, t3, low
    p.min t3, t3, high
    pv.packhi.b t6, t3, t2
    p.sw t6, 4, out
3:
    lw s0, 12(sp)
    addi sp, sp, 16
    ret
    .size dpl_dense_outputs, . - dpl_dense_outputs
