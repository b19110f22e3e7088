/* void dpl_depthwise_s16(dpl_four_by_four *f), void dpl_depthwise_s16_sums(const dpl_four_by_four *f,
 * int32_t *sums): see dpl/pulp/wide.h. 32 cycles for a tap of four windows by four channels, 140 for
 * the rest of a group.
 *
 * A word holds two channels of a pixel; that of a channel's tap is zero in the other's place, so a dot
 * product is one of them. The arguments wait on the stack: their register has the place of the second
 * word. */
#include "dpl/pulp/wide.inc"

#define entries a2
#define channel a3

#define second a0
#define ARGUMENTS 8

/* A tap of a window; the next pointer is there two cycles before it is used. */
.macro window_tap at, c0, c1, c2, c3
    p.lw_at t4, channel, \at
    p.lw_at t5, second, \at
    pv.sdotsp.h \c0, t4, t0
    pv.sdotsp.h \c1, t4, t1
    pv.sdotsp.h \c2, t5, t2
    pv.sdotsp.h \c3, t5, t3
.endm

/* The sums of a group over the taps of the table; `channel`: bytes from a pixel to the group. */
.macro depthwise_sums
    lw entries, TABLE(a0)
    lw t0, COUNT(a0)
    lw t1, PITCH(a0)
    sw a0, ARGUMENTS(sp)
    add second, channel, t1
    each li, c0p0, c0p1, c0p2, c0p3, 0
    each li, c1p0, c1p1, c1p2, c1p3, 0
    each li, c2p0, c2p1, c2p2, c2p3, 0
    each li, c3p0, c3p1, c3p2, c3p3, 0
    lp.setup 0, t0, 11f
    each p.lw, a4, a5, a6, a7, 4, entries
    each p.lw, t0, t1, t2, t3, 4, weights
    window_tap a4, c0p0, c1p0, c2p0, c3p0
    window_tap a5, c0p1, c1p1, c2p1, c3p1
    window_tap a6, c0p2, c1p2, c2p2, c3p2
    window_tap a7, c0p3, c1p3, c2p3, c3p3
11:
    lw a0, ARGUMENTS(sp)
.endm

    .text
    .balign 16
    .globl dpl_depthwise_s16
    .type dpl_depthwise_s16, @function
dpl_depthwise_s16:
    save_all
    lw weights, WEIGHTS(a0)
    lw channel, STEP(a0)
1:
    depthwise_sums
    addi channel, channel, 8
    finish_group 4f, 1b
    restore_all_and_return
4:
    finish_sums finish_high, 16
    j 2b
    .size dpl_depthwise_s16, . - dpl_depthwise_s16

    .globl dpl_depthwise_s16_sums
    .type dpl_depthwise_s16_sums, @function
dpl_depthwise_s16_sums:
    save_all
    sw a1, 0(sp)
    lw weights, WEIGHTS(a0)
    lw channel, STEP(a0)
    depthwise_sums
    lw t0, 0(sp)
    store_sums t0
    restore_all_and_return
    .size dpl_depthwise_s16_sums, . - dpl_depthwise_s16_sums
