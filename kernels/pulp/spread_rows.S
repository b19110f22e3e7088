/* void dpl_spread_rows(const dpl_spreading *s): see dpl/pulp/spread.h. 2 cycles for a tap, 13 for the
 * words of four windows. */
#include "dpl/pulp/each.inc"
#include "dpl/pulp/xpulp.inc"

/* dpl_spreading */
#define TAPS 0
#define FIRST 4
#define TO 8
#define WIDTH 12
#define DILATION 16
#define STRIDE 20
#define WORDS 24
#define ROWS 28

#define taps a1
#define first a2
#define to a3
#define dilation a6
#define back a7
#define windows t2, t3, t4, t5

    .text
    .balign 16
    .globl dpl_spread_rows
    .type dpl_spread_rows, @function
dpl_spread_rows:
    lw taps, TAPS(a0)
    lw first, FIRST(a0)
    lw to, TO(a0)
    lw a4, WIDTH(a0)
    lw dilation, DILATION(a0)
    lw t0, STRIDE(a0)
    lw a5, WORDS(a0)
    lw t6, ROWS(a0)
    neg back, t0
    slli t0, t0, 2
    addi t0, t0, 4
1:
    mv t1, first
    lp.setup 0, a4, 2f
    p.lb t2, 1, taps
    p.sb_r t2, dilation, t1
2:
    mv t1, first
    lp.setup 0, a5, 3f
    each p.lw_r, windows, back, t1
    each p.sw, windows, 4, to
    add t1, t1, t0
3:
    addi t6, t6, -1
    bnez t6, 1b
    ret
    .size dpl_spread_rows, . - dpl_spread_rows
