/* void dpl_depthwise_points(const dpl_depthwise_points_job *j): see dpl/pulp/depthwise_points.h. 21
 * cycles for a pixel of four channels. The product of a weight and its multiplier wraps, as that of
 * the sum and the multiplier would. */
#include "dpl/pulp/requantize.inc"
#include "dpl/pulp/saved.inc"

/* dpl_depthwise_points_job */
#define FROM 0
#define OUT 4
#define PIXEL 8
#define OUT_PIXEL 12
#define PIXELS 16
#define LINES 20
#define GAP 24
#define OUT_GAP 28
#define WEIGHTS 32
#define GROUPS 36
#define LOW 40
#define HIGH 44

/* On the stack. */
#define FROM_NOW 0
#define OUT_NOW 4
#define GROUPS_LEFT 8

#define from a1
#define out a2
#define pixel a3
#define out_pixel a4
#define low a5
#define high a6
#define weights a7
#define elements t1, t2, t3, t4
#define gap gp
#define out_gap tp
#define lines t6

/* A channel's weight, times its multiplier, addend and shift. */
.macro table factor, addend, shift
    p.lb t0, 4, weights
    p.lw \factor, 4, weights
    p.lw \addend, 4, weights
    p.lw \shift, 4, weights
    mul \factor, \factor, t0
.endm

    .text
    .balign 16
    .globl dpl_depthwise_points
    .type dpl_depthwise_points, @function
dpl_depthwise_points:
    save_all
    lw t1, FROM(a0)
    lw t2, OUT(a0)
    lw t3, GROUPS(a0)
    lw pixel, PIXEL(a0)
    lw out_pixel, OUT_PIXEL(a0)
    lw low, LOW(a0)
    lw high, HIGH(a0)
    lw weights, WEIGHTS(a0)
    lw gap, GAP(a0)
    lw out_gap, OUT_GAP(a0)
    addi pixel, pixel, -3
1:
    sw t1, FROM_NOW(sp)
    sw t2, OUT_NOW(sp)
    sw t3, GROUPS_LEFT(sp)
    mv from, t1
    mv out, t2
    table s0, s4, s8
    table s1, s5, s9
    table s2, s6, s10
    table s3, s7, s11
    lw lines, LINES(a0)
    lw t0, PIXELS(a0)
    lp.setup 1, lines, 3f
    lp.setup 0, t0, 2f
    p.lb t1, 1, from
    p.lb t2, 1, from
    p.lb t3, 1, from
    p.lb_r t4, pixel, from
    mul t1, t1, s0
    mul t2, t2, s1
    mul t3, t3, s2
    mul t4, t4, s3
    p.addNr t1, s4, s8
    p.addNr t2, s5, s9
    p.addNr t3, s6, s10
    p.addNr t4, s7, s11
    each_from_itself p.clip, elements, 8
    pack_bounded t5, elements, low, high
    p.sw_r t5, out_pixel, out
2:
    add from, from, gap
    add out, out, out_gap
3:
    lw t1, FROM_NOW(sp)
    lw t2, OUT_NOW(sp)
    lw t3, GROUPS_LEFT(sp)
    addi t1, t1, 4
    addi t2, t2, 4
    addi t3, t3, -1
    bnez t3, 1b
    restore_all_and_return
    .size dpl_depthwise_points, . - dpl_depthwise_points
