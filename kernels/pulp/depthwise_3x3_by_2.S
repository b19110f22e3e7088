/* Depthwise 3x3 at stride 2: see dpl/pulp/depthwise.h.
 *
 * The windows of four outputs begin two bytes apart, a word each. The lowest row of an output is the
 * uppermost of the next one and stays in registers. */
#include "dpl/pulp/depthwise.inc"

/* Four words each of two rows that take turns; a word at a time of the row between, with a0, which
 * the stack keeps. */
#define one s5
#define other a0

.macro load_row w0, w1, w2, w3
    lw \w1, 2(plane)
    lw \w2, 4(plane)
    lw \w3, 6(plane)
    p.lw_r \w0, step, plane
.endm

.macro products dot, w0, w1, w2, w3, taps
    pv.\dot\()sp.b y0, \w0, \taps
    pv.\dot\()sp.b y1, \w1, \taps
    pv.\dot\()sp.b y2, \w2, \taps
    pv.\dot\()sp.b y3, \w3, \taps
.endm

.macro row bounded, u0, u1, u2, u3, w0, w1, w2, w3
    lw one, 2(plane)
    lw other, 6(plane)
    products dot, \u0, \u1, \u2, \u3, s0
    pv.sdotsp.b y1, one, s1
    pv.sdotsp.b y3, other, s1
    lw one, 4(plane)
    p.lw_r other, step, plane
    pv.sdotsp.b y2, one, s1
    pv.sdotsp.b y0, other, s1
    load_row \w0, \w1, \w2, \w3
    products sdot, \w0, \w1, \w2, \w3, s2
    finish \bounded
.endm

.macro outputs name, bounded
    .balign 4
    .globl \name
    .type \name, @function
\name:
    enter \bounded
1:
    enter_channel s0, s1, s2
    bltz left, 9f
2:
    lw y0, ROUNDS(a0)
    load_row t0, t1, t2, t3
    beqz y0, 4f
    lp.setup 0, y0, 3f
    row \bounded, t0, t1, t2, t3, t4, t5, s3, s4
    row \bounded, t4, t5, s3, s4, t0, t1, t2, t3
3:
    lw a0, RUN(sp)
4:
    rest_or 5f
    row \bounded, t0, t1, t2, t3, t4, t5, s3, s4
    lw a0, RUN(sp)
5:
    next_four 2b
    leave_channel 1b
    leave
    .size \name, . - \name
.endm

    .text
    outputs dpl_depthwise_3x3_by_2, 0
    outputs dpl_depthwise_3x3_by_2_bounded, 1
