/* void dpl_max_windows(const dpl_pool_run *r): see dpl/pulp/pool_run.h. 3 cycles a tap of four
 * channels, 3 more a row of the window. */
#include "dpl/pulp/pool_run.inc"

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
    load_pool_run low, high
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
    next_window pixels, 1b, at, word
    ret
    .size dpl_max_windows, . - dpl_max_windows
