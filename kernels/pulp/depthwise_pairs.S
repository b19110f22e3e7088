/* void dpl_depthwise_pairs(const dpl_depthwise_pairs_job *j): see dpl/pulp/depthwise_pairs.h. 30
 * cycles for two taps of three pixels by four channels, about 75 for what follows them.
 *
 * A word has four channels of a pixel. Of two taps, the low halves of their words make a word of two
 * channels, the high halves one of two others; weights are zero in the other channel's places. */
#include "dpl/pulp/blocking.h"
#include "dpl/pulp/requantize.inc"
#include "dpl/pulp/saved.inc"

/* dpl_depthwise_pairs_job */
#define WEIGHTS 0
#define TAPS 4
#define PAIRS 8
#define PIXELS 12
#define PIXELS_END 16
#define OUT 20
#define ENDS 24
#define STEPS 28
#define LOW 40
#define HIGH 44
#define RUNS 48
#define EVEN 52

/* On the stack: of the run at hand. */
#define RUNS_LEFT 0
#define OUT_NOW 4
#define WEIGHTS_NOW 8

#define weights a1
#define first a2
#define second a3
#define pixel0 a4
#define pixel1 a5
#define pixel2 a6
#define taps a7
#define one t0
#define other t1
#define low_half t2
#define next tp
#define w0 t3
#define w1 t4
#define w2 t5
#define w3 t6
#define high ra
#define pixels gp

/* Sums of channels c, pixels p. */
#define c0p0 s0
#define c1p0 s1
#define c2p0 s2
#define c3p0 s3
#define c0p1 s4
#define c1p1 s5
#define c2p1 s6
#define c3p1 s7
#define c0p2 s8
#define c1p2 s9
#define c2p2 s10
#define c3p2 s11

/* Two taps; each load has another instruction before its first use. */
.macro pair dot
    p.lw first, 4, taps
    p.lw second, 4, taps
    p.lw w0, 4, weights
    p.lw_at one, first, pixel0
    p.lw_at other, second, pixel0
    p.lw w1, 4, weights
    pv.pack.h low_half, other, one
    pv.shuffle2.h one, other, high
    p.lw w2, 4, weights
    p.lw w3, 4, weights
    pv.\dot\()sp.b c0p0, low_half, w0
    pv.\dot\()sp.b c1p0, low_half, w1
    p.lw_at next, first, pixel1
    p.lw_at other, second, pixel1
    pv.\dot\()sp.b c2p0, one, w2
    pv.\dot\()sp.b c3p0, one, w3
    pv.pack.h low_half, other, next
    pv.shuffle2.h next, other, high
    pv.\dot\()sp.b c0p1, low_half, w0
    pv.\dot\()sp.b c1p1, low_half, w1
    p.lw_at one, first, pixel2
    p.lw_at other, second, pixel2
    pv.\dot\()sp.b c2p1, next, w2
    pv.\dot\()sp.b c3p1, next, w3
    pv.pack.h low_half, other, one
    pv.shuffle2.h one, other, high
    pv.\dot\()sp.b c0p2, low_half, w0
    pv.\dot\()sp.b c1p2, low_half, w1
    pv.\dot\()sp.b c2p2, one, w2
    pv.\dot\()sp.b c3p2, one, w3
.endm

/* One tap, whose weights are zero in the three other channels' places: 20 cycles. */
.macro single dot
    p.lw first, 4, taps
    p.lw w0, 4, weights
    p.lw_at one, first, pixel0
    p.lw w1, 4, weights
    p.lw_at other, first, pixel1
    p.lw w2, 4, weights
    p.lw_at next, first, pixel2
    p.lw w3, 4, weights
    pv.\dot\()sp.b c0p0, one, w0
    pv.\dot\()sp.b c1p0, one, w1
    pv.\dot\()sp.b c2p0, one, w2
    pv.\dot\()sp.b c3p0, one, w3
    pv.\dot\()sp.b c0p1, other, w0
    pv.\dot\()sp.b c1p1, other, w1
    pv.\dot\()sp.b c2p1, other, w2
    pv.\dot\()sp.b c3p1, other, w3
    pv.\dot\()sp.b c0p2, next, w0
    pv.\dot\()sp.b c1p2, next, w1
    pv.\dot\()sp.b c2p2, next, w2
    pv.\dot\()sp.b c3p2, next, w3
.endm

/* A channel's sums of three pixels, without bounds. */
.macro scaled sums:vararg
    p.lw t0, 4, weights
    p.lw t1, 4, weights
    p.lw t2, 4, weights
    .irp sum, \sums
    mul \sum, \sum, t0
    .endr
    .irp sum, \sums
    p.addNr \sum, t1, t2
    .endr
.endm

.macro clipped sums:vararg
    .irp sum, \sums
    p.clip \sum, \sum, 8
    .endr
.endm

.macro bounded sums:vararg
    .irp sum, \sums
    p.max \sum, \sum, t0
    p.min \sum, \sum, t1
    .endr
.endm

/* The channels of a pixel, some bytes apart. */
.macro store_bytes to, sum0, sum1, sum2, sum3
    p.sb_r \sum0, t2, \to
    p.sb_r \sum1, t3, \to
    p.sb_r \sum2, t4, \to
    sb \sum3, 0(\to)
.endm

    .text
    .balign 16
    .globl dpl_depthwise_pairs
    .type dpl_depthwise_pairs, @function
dpl_depthwise_pairs:
    save_all
    lw t0, RUNS(a0)
    lw t1, OUT(a0)
    lw weights, WEIGHTS(a0)
    lui high, 0x00030
    addi high, high, 1
5:
    lw pixels, PIXELS(a0)
    sw t0, RUNS_LEFT(sp)
    sw t1, OUT_NOW(sp)
    sw weights, WEIGHTS_NOW(sp)
1:
    lw t2, EVEN(a0)
    lw taps, TAPS(a0)
    lw weights, WEIGHTS_NOW(sp)
    lw pixel0, 0(pixels)
    lw pixel1, 4(pixels)
    lw pixel2, 8(pixels)
    bnez t2, 9f
    single dot
6:
    lw t2, PAIRS(a0)
    lp.setup 0, t2, 2f
    pair sdot
2:
    scaled c0p0, c0p1, c0p2
    scaled c1p0, c1p1, c1p2
    scaled c2p0, c2p1, c2p2
    scaled c3p0, c3p1, c3p2
    lw t3, ENDS(a0)
    lw t2, OUT_NOW(sp)
    lw pixel0, 4 * DPL_PAIRED_PIXELS(pixels)
    lw pixel1, 4 * DPL_PAIRED_PIXELS + 4(pixels)
    lw pixel2, 4 * DPL_PAIRED_PIXELS + 8(pixels)
    addi pixels, pixels, 12
    add pixel0, pixel0, t2
    add pixel1, pixel1, t2
    add pixel2, pixel2, t2
    addi t3, t3, -1
    lw t6, PIXELS_END(a0)
    bgtz t3, 4f
    clipped c0p0, c1p0, c2p0, c3p0, c0p1, c1p1
    clipped c2p1, c3p1, c0p2, c1p2, c2p2, c3p2
    pack t0, c0p0, c1p0, c2p0, c3p0
    pack t1, c0p1, c1p1, c2p1, c3p1
    pack t2, c0p2, c1p2, c2p2, c3p2
    bgez t3, 5f
2:
    sw t0, 0(pixel0)
    sw t1, 0(pixel1)
    sw t2, 0(pixel2)
    bltu pixels, t6, 1b
3:
    lw t0, RUNS_LEFT(sp)
    lw t1, OUT_NOW(sp)
    addi t0, t0, -1
    addi t1, t1, 1
    bnez t0, 5b
    restore_all_and_return
5:
    lw t4, LOW(a0)
    lw t5, HIGH(a0)
    bound t0, t4, t5
    bound t1, t4, t5
    bound t2, t4, t5
    j 2b
4:
    lw t0, LOW(a0)
    lw t1, HIGH(a0)
    addi t3, t3, -1
    bnez t3, 8f
    clipped c0p0, c1p0, c2p0, c3p0, c0p1, c1p1
    clipped c2p1, c3p1, c0p2, c1p2, c2p2, c3p2
7:
    lw t2, STEPS(a0)
    lw t3, STEPS+4(a0)
    lw t4, STEPS+8(a0)
    store_bytes pixel0, c0p0, c1p0, c2p0, c3p0
    store_bytes pixel1, c0p1, c1p1, c2p1, c3p1
    store_bytes pixel2, c0p2, c1p2, c2p2, c3p2
    bltu pixels, t6, 1b
    j 3b
9:
    pair dot
    j 6b
8:
    bounded c0p0, c1p0, c2p0, c3p0, c0p1, c1p1
    bounded c2p1, c3p1, c0p2, c1p2, c2p2, c3p2
    j 7b
    .size dpl_depthwise_pairs, . - dpl_depthwise_pairs
