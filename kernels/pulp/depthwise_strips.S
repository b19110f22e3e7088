/* Depthwise 3x3 at stride 1 over transposed blocks: see dpl/pulp/depthwise_strips.h.
 *
 * Of a word of four neighbours and those beside it two words are made, in which windows of outputs
 * 0 and 1, and of 2 and 3, begin: the taps are there in two places, from byte 0 on and from byte 1
 * on. A strip of four outputs goes down the rows; each row is loaded once. */
#include "dpl/pulp/depthwise_strips.inc"

#define to_left s11
#define to_right a0
#define next y2

/* The last pixel before a word and its first three; its last three and the first one behind it. */
.macro load_row left, right
    p.lw_r \left, step_before, before
    p.lw_r \right, step, here
    p.lw_r next, step_behind, behind
    pv.shuffle2.b \left, \right, to_left
    pv.shuffle2.b \right, next, to_right
.endm

/* A row of four outputs, whose three rows are there; the uppermost is needed no more. */
.macro outputs bounded, l0, r0, l1, r1, l2, r2
    products dot, \l0, \r0, s0, s3
    products sdot, \l1, \r1, s1, s4
    products sdot, \l2, \r2, s2, s5
    scaled y0, y1, y2, y3
    .if \bounded
    lw \l0, ARGS(sp)
    .endif
    finish \bounded, \r0, \l0, \l0, y0, y1, y2, y3
    p.sb_r y0, pixel, out
    p.sb_r y1, pixel, out
    p.sb_r y2, pixel, out
    p.sb_r y3, forward, out
.endm

.macro row bounded, l0, r0, l1, r1, l2, r2
    load_row \l2, \r2
    outputs \bounded, \l0, \r0, \l1, \r1, \l2, \r2
.endm

.macro function name, bounded
    .balign 16
    .globl \name
    .type \name, @function
\name:
    enter
    lw forward, FORWARD(a0)
    lui to_left, 0x06050
    addi to_left, to_left, 0x403
    lui to_right, 0x04030
    addi to_right, to_right, 0x201
    lp.starti 0, 30f
    lp.endi 0, 33f
1:
    lw y3, ARGS(sp)
    enter_channel
    slli s3, s0, 8
    slli s4, s1, 8
    slli s5, s2, 8
    srli s0, s3, 8
    srli s1, s4, 8
    srli s2, s5, 8
    lw y0, STRIPS(y3)
    addi before, y3, ZEROS
    li step_before, 0
2:
    lw here, WORD_NOW(sp)
    lw y1, APART(y3)
    addi y0, y0, -1
    sw y0, STRIPS_LEFT(sp)
    add behind, here, y1
    sw behind, WORD_NOW(sp)
    mv step_behind, step
    beqz y0, 11f
3:
    lw y1, ABOVE(y3)
    lw y0, SKIPPED(y3)
    bnez y1, 12f
    load_row left0, right0
4:
    load_row left1, right1
    lw y1, ROUNDS(y3)
    bnez y0, 13f
    beqz y1, 40f
    lp.count 0, y1
30:
    row \bounded, left0, right0, left1, right1, left2, right2
31:
    row \bounded, left1, right1, left2, right2, left0, right0
32:
    row \bounded, left2, right2, left0, right0, left1, right1
33:
    lw y3, ARGS(sp)
40:
    lw y0, BELOW(y3)
    lw left2, ZEROS(y3)
    beqz y0, 41f
    mv right2, left2
    outputs \bounded, left0, right0, left1, right1, left2, right2
    lw y3, ARGS(sp)
41:
    lw y0, STRIPS_LEFT(sp)
    lw y1, OUT_BACK(y3)
    lw y2, APART(y3)
    add out, out, y1
    beqz y0, 10f
    lw before, WORD_NOW(sp)
    mv step_before, step
    sub before, before, y2
    j 2b
/* The last strip. */
11:
    addi behind, y3, ZEROS
    li step_behind, 0
    j 3b
/* Zero points above. */
12:
    lw left0, ZEROS(y3)
    mv right0, left0
    j 4b
/* One or two rows of three are left out. */
13:
    lp.count 0, y1
    addi y0, y0, -1
    beqz y0, 21f
    mv left2, left0
    mv right2, right0
    mv left0, left1
    mv right0, right1
    j 32b
21:
    mv left2, left1
    mv right2, right1
    mv left1, left0
    mv right1, right0
    j 31b
10:
    leave_channel y3, 1b
    .size \name, . - \name
.endm

    .text
    function dpl_depthwise_strips, 0
    function dpl_depthwise_strips_bounded, 1
