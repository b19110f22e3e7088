/* Depthwise 3x3 at stride 1 over transposed blocks: see dpl/pulp/depthwise_strips.h.
 *
 * Of a word of four neighbours and those beside it two words are made, in which windows of outputs
 * 0 and 1, and of 2 and 3, begin: the taps are there in two places, from byte 0 on and from byte 1
 * on. A strip of four outputs goes down the rows; each row is loaded once. */
#include "dpl/pulp/depthwise_strips.inc"

/* Three rows of two words, which take turns at being the uppermost. */
#define left0 t0
#define left1 t1
#define left2 t2
#define right0 t3
#define right1 t4
#define right2 t5
#define to_left s11
#define to_right a0
#define next y3

/* The last pixel before a word and its first three; its last three and the first one behind it. */
.macro load_row left, right
    p.lw_r \left, step_before, before
    p.lw_r \right, step, here
    p.lw_r next, step_behind, behind
    pv.shuffle2.b \left, \right, to_left
    pv.shuffle2.b \right, next, to_right
.endm

.macro products dot, left, right, first, second
    pv.\dot\()sp.b y0, \left, \first
    pv.\dot\()sp.b y1, \left, \second
    pv.\dot\()sp.b y2, \right, \first
    pv.\dot\()sp.b y3, \right, \second
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

/* Pointers of the strip at hand, and what the next one begins with. */
.macro enter_strip
    lw y3, ARGS(sp)
    lw y0, INDEX(sp)
    lw y1, WORD_NOW(sp)
    lw t0, APART(y3)
    lw y2, WORDS(y3)
    addi t1, y0, 1
    add t2, y1, t0
    sw t1, INDEX(sp)
    sw t2, WORD_NOW(sp)
    addi y0, y0, -1
    sub y1, y1, t0
    word_pointer before, step_before, t0
    mv here, y1
    addi y0, y0, 1
    mv y1, t2
    word_pointer behind, step_behind, t0
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
    enter_channel
    sw zero, INDEX(sp)
    slli s3, s0, 8
    slli s4, s1, 8
    slli s5, s2, 8
    srli s0, s3, 8
    srli s1, s4, 8
    srli s2, s5, 8
2:
    enter_strip
    lw y0, ABOVE(y3)
    lw left0, ZEROS(y3)
    mv right0, left0
    bnez y0, 3f
    load_row left0, right0
3:
    load_row left1, right1
    lw y3, ARGS(sp)
    lw y1, ROUNDS(y3)
    lw y0, SKIPPED(y3)
    beqz y1, 40f
    lp.count 0, y1
    beqz y0, 30f
    addi y0, y0, -1
    beqz y0, 21f
    mv left2, left0
    mv right2, right0
    mv left0, left1
    mv right0, right1
    j 32f
21:
    mv left2, left1
    mv right2, right1
    mv left1, left0
    mv right1, right0
    j 31f
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
41:
    lw y3, ARGS(sp)
    lw y0, OUT_BACK(y3)
    lw y1, INDEX(sp)
    lw y2, WORDS(y3)
    add out, out, y0
    bne y1, y2, 2b
    leave_channel y3, 1b
    .size \name, . - \name
.endm

    .text
    function dpl_depthwise_strips_by_1, 0
    function dpl_depthwise_strips_by_1_bounded, 1
