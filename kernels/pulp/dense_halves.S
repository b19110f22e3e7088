/* void dpl_dense_halves(const dpl_dense_halves_slice *s): see dpl/pulp/dense.h. 14 cycles for four values by
 * four channels: a word of each plane and of each channel feeds eight dot products. */
#include "dpl/pulp/each.inc"
#include "dpl/pulp/saved.inc"
#include "dpl/pulp/xpulp.inc"

/* dpl_dense_halves_slice */
#define INPUT 0
#define WORDS 4
#define WEIGHTS 8
#define STEP 12
#define GROUPS 16
#define SUMS 20
#define LOW 24

#define weights a1
#define high a2
#define low a3
#define groups a4
#define words a5
#define forward a6 /* from behind a group's slice to the next one's */
#define sums a7

/* A channel's word meets those of both planes. */
.macro both word, of_high, of_low
    pv.sdotsp.b \of_high, t0, \word
    pv.sdotsp.b \of_low, t1, \word
.endm

    .text
    .balign 16
    .globl dpl_dense_halves
    .type dpl_dense_halves, @function
dpl_dense_halves:
    save_all
    lw words, WORDS(a0)
    lw weights, WEIGHTS(a0)
    lw forward, STEP(a0)
    lw groups, GROUPS(a0)
    lw sums, SUMS(a0)
    slli t0, words, 4
    sub forward, forward, t0
    lp.setup 1, groups, 2f
    lw high, INPUT(a0)
    lw low, LOW(a0)
    each li, s0, s1, s2, s3, 0
    each li, s4, s5, s6, s7, 0
    lp.setup 0, words, 1f
    p.lw t0, 4, high
    p.lw t1, 4, low
    each p.lw, t2, t3, t4, t5, 4, weights
    both t2, s0, s4
    both t3, s1, s5
    both t4, s2, s6
    both t5, s3, s7
1:
    each_from_itself slli, s0, s1, s2, s3, 8
    add s0, s0, s4
    add s1, s1, s5
    add s2, s2, s6
    add s3, s3, s7
    each p.sw, s0, s1, s2, s3, 4, sums
    add weights, weights, forward
2:
    restore_all_and_return
    .size dpl_dense_halves, . - dpl_dense_halves
