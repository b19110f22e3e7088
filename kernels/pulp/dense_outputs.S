/* void dpl_dense_outputs(const dpl_dense *d): see dpl/pulp/dense.h. 17 cycles for 32 products, a word
 * of the input and one of each of eight channels; 9 for the 16 of a last group. */
#include "dpl/pulp/requantize.inc"
#include "dpl/pulp/saved.inc"
#include "dpl/pulp/xpulp.inc"

/* dpl_dense */
#define INPUT 0
#define WORDS 4
#define WEIGHTS 8
#define OUT 12
#define GROUPS 16
#define LOW 20
#define HIGH 24
#define HIGH_WORD 28

#define out a0
#define weights a1
#define input a2
#define fewer a3
#define next a4
#define low a6
#define high a7
#define value s0
#define other s5
#define group s6
#define kept s0, s1, s2, s3, s4, s5, s6
#define channels a5, t4, t5, t6 /* a word of each of four */

/* A word of the input times one of each of four channels. */
.macro dots dot, sum0, sum1, sum2, sum3
    pv.\dot\()sp.b \sum0, value, a5
    pv.\dot\()sp.b \sum1, value, t4
    pv.\dot\()sp.b \sum2, value, t5
    pv.\dot\()sp.b \sum3, value, t6
.endm

.macro products dot
    p.lw value, 4, next
    each p.lw, channels, 4, weights
    dots \dot, t0, t1, t2, t3
.endm

/* Of eight channels: a word of the last four takes the register of one of the first as soon as that is
 * used, in an order that no product waits for a load. */
.macro pair_products dot
    p.lw value, 4, next
    each p.lw, channels, 4, weights
    pv.\dot\()sp.b t0, value, a5
    p.lw a5, 4, other
    pv.\dot\()sp.b t1, value, t4
    p.lw t4, 4, other
    pv.\dot\()sp.b t2, value, t5
    p.lw t5, 4, other
    pv.\dot\()sp.b t3, value, t6
    p.lw t6, 4, other
    dots \dot, s1, s2, s3, s4
.endm

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
    mv next, input
    add other, weights, group
    pair_products dot
    beqz fewer, 2f
    lp.setup 0, fewer, 1f
    pair_products sdot
1:
2:
    \finish_group t0, t1, t2, t3, weights
    \finish_group s1, s2, s3, s4, other
    mv weights, other
3:
    lw t1, 28(sp)
    beqz t1, 7f
4:
    mv next, input
    products dot
    beqz fewer, 6f
    lp.setup 0, fewer, 5f
    products sdot
5:
6:
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
