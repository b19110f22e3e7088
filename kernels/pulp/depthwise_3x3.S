/* Depthwise 3x3 at stride 1: see dpl/pulp/depthwise.h.
 *
 * A word of a plane holds the windows' rows of two outputs, and the word two bytes further those of
 * two more, with the taps of a row in two places: from byte 0 on (first) and from byte 1 on. */
#include "dpl/pulp/depthwise.inc"

/* Three rows of two words, which take turns at being the uppermost. */
#define left0 t0
#define left1 t1
#define left2 t2
#define right0 t3
#define right1 t4
#define right2 t5

.macro load_row left, right
    lw \right, 2(plane)
    p.lw_r \left, step, plane
.endm

.macro products dot, left, right, first, second
    pv.\dot\()sp.b y0, \left, \first
    pv.\dot\()sp.b y1, \left, \second
    pv.\dot\()sp.b y2, \right, \first
    pv.\dot\()sp.b y3, \right, \second
.endm

/* A row of four outputs; the lowest row of its windows is loaded. */
.macro row bounded, l0, r0, l1, r1, l2, r2
    load_row \l2, \r2
    products dot, \l0, \r0, s0, s3
    products sdot, \l1, \r1, s1, s4
    products sdot, \l2, \r2, s2, s5
    finish \bounded, y0, y1, y2, y3
.endm

.macro outputs name, bounded
    .balign 16
    .globl \name
    .type \name, @function
\name:
    enter \bounded
1:
    enter_channel s0, s1, s2
    slli s3, s0, 8
    slli s4, s1, 8
    slli s5, s2, 8
    bltz left, 9f
2:
    lw y0, ROUNDS(a0)
    load_row left0, right0
    load_row left1, right1
    beqz y0, 4f
    lp.setup 0, y0, 3f
    row \bounded, left0, right0, left1, right1, left2, right2
    row \bounded, left1, right1, left2, right2, left0, right0
    row \bounded, left2, right2, left0, right0, left1, right1
3:
4:
    rest_or 5f, y0
    row \bounded, left0, right0, left1, right1, left2, right2
    andi y0, left, 2
    beqz y0, 5f
    row \bounded, left1, right1, left2, right2, left0, right0
5:
    next_four 2b
    leave_channel 1b
    leave
    .size \name, . - \name
.endm

    .text
    outputs dpl_depthwise_3x3, 0
    outputs dpl_depthwise_3x3_bounded, 1
