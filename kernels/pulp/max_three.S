/* void dpl_max_three(const dpl_max_threes *r): see dpl/pulp/pool_run.h. 15 cycles for four channels of
 * a window: its last column is the first of the next. */
#include "dpl/pulp/saved.inc"
#include "dpl/pulp/xpulp.inc"

/* dpl_max_threes */
#define ROW0 0
#define ROW1 4
#define ROW2 8
#define PITCH 12
#define PIXELS 16
#define WORDS 20
#define OUT 24
#define OUT_PITCH 28
#define LOW 32
#define HIGH 36

#define row0 a1
#define row1 a2
#define row2 a3
#define pixels a4
#define pitch a5
#define low a6
#define high a7
#define shared t0
#define out s0
#define out_pitch s1
#define offset s2
#define end s3
#define kept s0, s1, s2, s3

/* The next column of the windows. */
.macro load_column word0, word1, word2
    p.lw_r \word0, pitch, row0
    p.lw_r \word1, pitch, row1
    p.lw_r \word2, pitch, row2
.endm

    .text
    .balign 16
    .globl dpl_max_three
    .type dpl_max_three, @function
dpl_max_three:
    save 16, kept
    lw end, WORDS(a0)
    lw pixels, PIXELS(a0)
    lw pitch, PITCH(a0)
    lw low, LOW(a0)
    lw high, HIGH(a0)
    lw out_pitch, OUT_PITCH(a0)
    slli end, end, 2
    li offset, 0
1:
    lw row0, ROW0(a0)
    lw row1, ROW1(a0)
    lw row2, ROW2(a0)
    lw out, OUT(a0)
    add row0, row0, offset
    add row1, row1, offset
    add row2, row2, offset
    add out, out, offset
    load_column t1, t2, t3
    pv.max.b shared, t1, t2
    pv.max.b shared, shared, t3
    lp.setup 0, a4, 2f
    load_column t1, t2, t3
    load_column t4, t5, t6
    pv.max.b t1, t1, t2
    pv.max.b t3, t3, shared
    pv.max.b shared, t4, t5
    pv.max.b t1, t1, t3
    pv.max.b shared, shared, t6
    pv.max.b t1, t1, low
    pv.max.b t1, t1, shared
    pv.min.b t1, t1, high
    p.sw_r t1, out_pitch, out
2:
    addi offset, offset, 4
    bne offset, end, 1b
    restore_and_return 16, kept
    .size dpl_max_three, . - dpl_max_three
