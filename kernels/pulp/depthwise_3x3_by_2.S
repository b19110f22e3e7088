/* Depthwise 3x3 at stride 2: see dpl/pulp/depthwise.h.
 *
 * The windows of four outputs begin two bytes apart: at the words of a row, and between them. The
 * lowest row of an output is the uppermost of the next one, whose sums begin beside it. */
#include "dpl/pulp/depthwise.inc"

#define between s3
#define one t4
#define two t5
#define three s5

/* Three words of a row: windows 0 and 2. */
.macro load_row
    lw two, 4(plane)
    lw three, 8(plane)
    p.lw_r one, step, plane
.endm

/* From windows 0 and 2 to 1 and 3. */
.macro move_on
    pv.shuffle2.h one, two, between
    pv.shuffle2.h two, three, between
.endm

/* The uppermost row of the first outputs. */
.macro begin r0, r1, r2, r3
    load_row
    pv.dotsp.b \r2, two, s0
    pv.dotsp.b \r0, one, s0
    move_on
    pv.dotsp.b \r1, one, s0
    pv.dotsp.b \r3, two, s0
.endm

/* A row of outputs from their sums, and the next one's sums as far as they go. */
.macro row bounded, r0, r1, r2, r3, n0, n1, n2, n3
    load_row
    pv.sdotsp.b \r2, two, s1
    pv.sdotsp.b \r0, one, s1
    move_on
    pv.sdotsp.b \r1, one, s1
    pv.sdotsp.b \r3, two, s1
    load_row
    pv.sdotsp.b \r2, two, s2
    pv.dotsp.b \n2, two, s0
    pv.sdotsp.b \r0, one, s2
    pv.dotsp.b \n0, one, s0
    move_on
    pv.sdotsp.b \r1, one, s2
    pv.dotsp.b \n1, one, s0
    pv.sdotsp.b \r3, two, s2
    pv.dotsp.b \n3, two, s0
    finish \bounded, \r0, \r1, \r2, \r3
.endm

.macro outputs name, bounded
    .balign 16
    .globl \name
    .type \name, @function
\name:
    enter \bounded
    lui between, 0x00020
    addi between, between, 1
1:
    enter_channel s0, s1, s2
    bltz left, 9f
2:
    begin y0, y1, y2, y3
    lw t4, ROUNDS(a0)
    beqz t4, 4f
    lp.setup 0, t4, 3f
    row \bounded, y0, y1, y2, y3, t0, t1, t2, t3
    row \bounded, t0, t1, t2, t3, y0, y1, y2, y3
3:
4:
    rest_or 5f, t4
    row \bounded, y0, y1, y2, y3, t0, t1, t2, t3
5:
    next_four 2b
    leave_channel 1b
    leave
    .size \name, . - \name
.endm

    .text
    outputs dpl_depthwise_3x3_by_2, 0
    outputs dpl_depthwise_3x3_by_2_bounded, 1
