/* void dpl_dense_outputs(const dpl_dense *d): see dpl/pulp/dense.h. */
#include "dpl/pulp/dense.inc"
#include "dpl/pulp/requantize.inc"

/* dpl_dense */
#define INPUT 0
#define WORDS 4
#define WEIGHTS 8
#define OUT 12
#define GROUPS 16
#define LOW 20
#define HIGH 24
#define HIGH_WORD 28

#define low a6
#define high a7
/* A sum to its output; the next channel's multiplier, addend and shift are loaded on the way, so that
 * none is waited for: requantize has one multiplier for all four. */
.macro finish sum, from
    mul \sum, \sum, a5
    p.lw a5, 4, \from
    p.addNr \sum, t4, t5
    p.lw t4, 4, \from
    p.lw t5, 4, \from
    p.max \sum, \sum, low
    p.min \sum, \sum, high
.endm

/* Four sums to a word of outputs. */
.macro finish_group c0, c1, c2, c3, from
    p.lw a5, 4, \from
    p.lw t4, 4, \from
    p.lw t5, 4, \from
    finish \c0, \from
    finish \c1, \from
    finish \c2, \from
    mul \c3, \c3, a5
    pv.packlo.b t6, \c1, \c0
    p.addNr \c3, t4, t5
    p.max \c3, \c3, low
    p.min \c3, \c3, high
    pv.packhi.b t6, \c3, \c2
    p.sw t6, 4, out
.endm

/* By a rule of the high word; the three numbers of a channel follow the weights. */
.macro finish_high sum, from
    p.lw a5, 4, \from
    p.lw t4, 4, \from
    p.lw t5, 4, \from
    add \sum, \sum, t4
    mulhsu \sum, \sum, a5
    andi t4, t5, 255
    li a5, 1
    sll a5, a5, t4
    srli a5, a5, 1
    p.addNr \sum, a5, t4
    srai t5, t5, 8
    add \sum, \sum, t5
    p.max \sum, \sum, low
    p.min \sum, \sum, high
.endm

.macro finish_high_group c0, c1, c2, c3, from
    finish_high \c0, \from
    finish_high \c1, \from
    finish_high \c2, \from
    finish_high \c3, \from
    pack t6, \c0, \c1, \c2, \c3
    p.sw t6, 4, out
.endm

/* All groups, two at a time. */
.macro groups finish_group
    beqz t0, 4f
    lp.setup 1, t0, 3f
    sums_of_two
    \finish_group t0, t1, t2, t3, weights
    \finish_group s1, s2, s3, s4, other
    mv weights, other
3:
    lw t1, 28(sp)
    beqz t1, 7f
4:
    sums_of_one
    \finish_group t0, t1, t2, t3, weights
7:
    restore_and_return 32, kept
.endm

    .text
    .balign 16
    .globl dpl_dense_outputs
    .type dpl_dense_outputs, @function
dpl_dense_outputs:
    save 32, kept
    lw input, INPUT(a0)
    lw fewer, WORDS(a0)
    lw weights, WEIGHTS(a0)
    lw low, LOW(a0)
    lw high, HIGH(a0)
    lw t2, HIGH_WORD(a0)
    lw t0, GROUPS(a0)
    lw out, OUT(a0)
    slli group, fewer, 4
    addi group, group, 48
    addi fewer, fewer, -1
    andi t1, t0, 1
    srli t0, t0, 1
    sw t1, 28(sp)
    bnez t2, by_high_word
    groups finish_group
by_high_word:
    groups finish_high_group
    .size dpl_dense_outputs, . - dpl_dense_outputs
