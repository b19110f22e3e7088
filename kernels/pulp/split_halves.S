/* void dpl_split_halves(int8_t *high, int8_t *low, const int16_t *from, int32_t words): see
 * dpl/pulp/dense.h. 9 cycles for four values. */
#include "dpl/pulp/xpulp.inc"

#define high a0
#define low a1
#define from a2

    .text
    .balign 16
    .globl dpl_split_halves
    .type dpl_split_halves, @function
dpl_split_halves:
    blez a3, 2f
    li t3, 0x07050301
    li t4, 0x06040200
    li t5, 0x80808080
    lp.setup 0, a3, 1f
    p.lw t0, 4, from
    p.lw t1, 4, from
    mv t2, t0
    pv.shuffle2.b t0, t1, t4
    pv.shuffle2.b t2, t1, t3
    xor t0, t0, t5
    p.sw t2, 4, high
    p.sw t0, 4, low
1:
2:
    ret
    .size dpl_split_halves, . - dpl_split_halves
