/* Depthwise 3x3 at stride 1: see dpl/pulp/depthwise.h.
 *
 * A word of a plane holds the windows' rows of two outputs, and the word two bytes further those of
 * two more, with the taps of a row in two places: from byte 0 on (first) and from byte 1 on. */
#include "dpl/pulp/depthwise.inc"

#define way_in ra

.macro load_row left, right
    lw \right, 2(plane)
    p.lw_r \left, step, plane
.endm

/* A row of four outputs; the lowest row of its windows is loaded. */
.macro row bounded, l0, r0, l1, r1, l2, r2
    load_row \l2, \r2
    products dot, \l0, \r0, s0, s3
    products sdot, \l1, \r1, s1, s4
    products sdot, \l2, \r2, s2, s5
    scaled y0, y1, y2, y3
    finish \bounded, y0, y1, y2, y3
    p.sb_r y0, pixel, out
    p.sb_r y1, pixel, out
    p.sb_r y2, pixel, out
    p.sb_r y3, forward, out
.endm

/* Where three rows at a time begin so that they end with the last one. */
.macro find_way_in
    lw y0, SKIPPED(a0)
    la way_in, 20f
    beqz y0, 9f
    addi y0, y0, -1
    la way_in, 21f
    beqz y0, 9f
    la way_in, 22f
9:
.endm

.macro strips bounded
    lw left, ROUNDS(a0)
    lp.setup 1, y0, 4f
    lp.count 0, left
    jr way_in
21:
    load_row left1, right1
    load_row left2, right2
    j 31f
22:
    load_row left2, right2
    load_row left0, right0
    j 32f
20:
    load_row left0, right0
    load_row left1, right1
30:
    row \bounded, left0, right0, left1, right1, left2, right2
31:
    row \bounded, left1, right1, left2, right2, left0, right0
32:
    row \bounded, left2, right2, left0, right0, left1, right1
33:
    next_strip
.endm

.macro one_column bounded
    p.lw_r left0, step, plane
    p.lw_r left1, step, plane
    lp.setup 1, y3, 6f
    p.lw_r left2, step, plane
    pv.dotsp.b y0, left0, s0
    pv.sdotsp.b y0, left1, s1
    pv.sdotsp.b y0, left2, s2
    mv left0, left1
    scaled y0
    mv left1, left2
    finish \bounded, y0
    p.sb_r y0, left, out
6:
.endm

.macro two_columns bounded
    p.lw_r left0, step, plane
    p.lw_r left1, step, plane
    lp.setup 1, y3, 6f
    p.lw_r left2, step, plane
    pv.dotsp.b y0, left0, s0
    pv.dotsp.b y1, left0, s3
    pv.sdotsp.b y0, left1, s1
    pv.sdotsp.b y1, left1, s4
    pv.sdotsp.b y0, left2, s2
    pv.sdotsp.b y1, left2, s5
    scaled y0, y1
    mv left0, left1
    mv left1, left2
    finish \bounded, y0, y1
    p.sb_r y0, pixel, out
    p.sb_r y1, left, out
6:
.endm

.macro three_products dot, left, right, first, second
    pv.\dot\()sp.b y0, \left, \first
    pv.\dot\()sp.b y1, \left, \second
    pv.\dot\()sp.b y2, \right, \first
.endm

.macro three_columns bounded
    load_row left0, right0
    load_row left1, right1
    lp.setup 1, y3, 6f
    load_row left2, right2
    three_products dot, left0, right0, s0, s3
    three_products sdot, left1, right1, s1, s4
    three_products sdot, left2, right2, s2, s5
    scaled y0, y1, y2
    mv left0, left1
    mv right0, right1
    mv left1, left2
    mv right1, right2
    finish \bounded, y0, y1, y2
    p.sb_r y0, pixel, out
    p.sb_r y1, pixel, out
    p.sb_r y2, left, out
6:
.endm

.macro outputs name, bounded
    .balign 16
    .globl \name
    .type \name, @function
\name:
    enter \bounded
    find_way_in
    lp.starti 0, 30f
    lp.endi 0, 33f
1:
    enter_channel s0, s1, s2
    slli s3, s0, 8
    slli s4, s1, 8
    slli s5, s2, 8
    srli s0, s3, 8
    srli s1, s4, 8
    srli s2, s5, 8
    beqz y0, 4f
    strips \bounded
4:
    odd_columns 5f, 7f, 8f
    two_columns \bounded
5:
    leave_channel 1b
    restore_all_and_return
7:
    one_column \bounded
    j 5b
8:
    three_columns \bounded
    j 5b
    .size \name, . - \name
.endm

    .text
    outputs dpl_depthwise_3x3, 0
    outputs dpl_depthwise_3x3_bounded, 1
