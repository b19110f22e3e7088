/* void dpl_max_windows(const dpl_pool_run *r): see dpl/pulp/pool_run.h. 3 cycles a tap of four
 * channels, 3 more a row of the window. */
#include "dpl/pulp/pool_run.inc"

#define from a1
#define out a2
#define pitch a3
#define taps a4
#define row a5
#define low a6
#define high a7
#define rows t0
#define at t1
#define most t2
#define word t3
#define words t4
#define channel t5
#define pixels t6

    .text
    .balign 16
    .globl dpl_max_windows
    .type dpl_max_windows, @function
dpl_max_windows:
    lw from, FROM(a0)
    lw out, OUT(a0)
    lw pitch, PITCH(a0)
    lw taps, TAPS(a0)
    lw row, ROW(a0)
    lw low, LOW(a0)
    lw high, HIGH(a0)
    lw rows, ROWS(a0)
    lw pixels, PIXELS(a0)
1:
    lw words, WORDS(a0)
    mv channel, from
2:
    mv at, channel
    mv most, low
    mv word, low
    lp.setup 1, t0, 4f
    lp.setup 0, a4, 3f
    pv.max.b most, most, word
    p.lw_r word, pitch, at
3:
    add at, at, row
    pv.max.b most, most, word
4:
    pv.min.b most, most, high
    addi channel, channel, 4
    addi words, words, -1
    p.sw most, 4, out
    bnez words, 2b
    lw at, STEP(a0)
    lw word, GAP(a0)
    addi pixels, pixels, -1
    add from, from, at
    add out, out, word
    bnez pixels, 1b
    ret
    .size dpl_max_windows, . - dpl_max_windows
