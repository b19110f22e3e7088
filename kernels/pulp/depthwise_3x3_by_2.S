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
.macro begin
    load_row
    pv.dotsp.b y2, two, s0
    pv.dotsp.b y0, one, s0
    move_on
    pv.dotsp.b y1, one, s0
    pv.dotsp.b y3, two, s0
.endm

/* A row of outputs from their sums, and the next one's sums as far as they go. */
.macro row bounded
    load_row
    pv.sdotsp.b y2, two, s1
    pv.sdotsp.b y0, one, s1
    move_on
    pv.sdotsp.b y1, one, s1
    pv.sdotsp.b y3, two, s1
    load_row
    pv.sdotsp.b y2, two, s2
    pv.sdotsp.b y0, one, s2
    mul t2, y2, multiplier
    mul t0, y0, multiplier
    pv.dotsp.b y2, two, s0
    pv.dotsp.b y0, one, s0
    move_on
    pv.sdotsp.b y1, one, s2
    pv.sdotsp.b y3, two, s2
    mul t1, y1, multiplier
    mul t3, y3, multiplier
    pv.dotsp.b y1, one, s0
    pv.dotsp.b y3, two, s0
    finish \bounded, t0, t1, t2, t3
    p.sb_r t0, pixel, out
    p.sb_r t1, pixel, out
    p.sb_r t2, pixel, out
    p.sb_r t3, forward, out
.endm

.macro strips bounded
    lw left, ROWS(a0)
    lp.setup 1, y0, 4f
    begin
    lp.setup 0, left, 3f
    row \bounded
3:
    next_strip
.endm

.macro one_column bounded
    p.lw_r one, step, plane
    pv.dotsp.b y0, one, s0
    lp.setup 0, y3, 6f
    p.lw_r one, step, plane
    p.lw_r two, step, plane
    pv.sdotsp.b y0, one, s1
    pv.sdotsp.b y0, two, s2
    mul t0, y0, multiplier
    pv.dotsp.b y0, two, s0
    finish \bounded, t0
    p.sb_r t0, left, out
6:
.endm

.macro load_two
    lw two, 2(plane)
    p.lw_r one, step, plane
.endm

.macro two_products dot, taps
    pv.\dot\()sp.b y1, two, \taps
    pv.\dot\()sp.b y0, one, \taps
.endm

.macro two_columns bounded
    load_two
    two_products dot, s0
    lp.setup 0, y3, 6f
    load_two
    two_products sdot, s1
    load_two
    two_products sdot, s2
    mul t0, y0, multiplier
    mul t1, y1, multiplier
    two_products dot, s0
    finish \bounded, t0, t1
    p.sb_r t0, pixel, out
    p.sb_r t1, left, out
6:
.endm

.macro load_three
    lw two, 2(plane)
    lw three, 4(plane)
    p.lw_r one, step, plane
.endm

.macro three_products dot, taps
    two_products \dot, \taps
    pv.\dot\()sp.b y2, three, \taps
.endm

.macro three_columns bounded
    load_three
    three_products dot, s0
    lp.setup 0, y3, 6f
    load_three
    three_products sdot, s1
    load_three
    three_products sdot, s2
    mul t0, y0, multiplier
    mul t1, y1, multiplier
    mul t2, y2, multiplier
    three_products dot, s0
    finish \bounded, t0, t1, t2
    p.sb_r t0, pixel, out
    p.sb_r t1, pixel, out
    p.sb_r t2, left, out
6:
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
    .irp taps, s0, s1, s2
    slli \taps, \taps, 8
    .endr
    .irp taps, s0, s1, s2
    srli \taps, \taps, 8
    .endr
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
    outputs dpl_depthwise_3x3_by_2, 0
    outputs dpl_depthwise_3x3_by_2_bounded, 1
