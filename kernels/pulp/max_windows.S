/* void dpl_max_windows(const dpl_pool_run *r): see dpl/pulp/pool_run.h. Two words of channels at a
 * time: 4 cycles a tap of both, 4 more a row of the window. The words take turns, so that none is
 * used right behind its load, nor where the loop begins anew. An odd one goes alone: 3 cycles a
 * tap, 3 a row. */
#include "dpl/pulp/pool_run.inc"
#include "dpl/pulp/saved.inc"

#define low a6
#define high a7
#define rows t0
#define at t1
#define most t2
#define word t3
#define words t4
#define channel t5
#define pixels t6
#define most2 s0
#define word2 s1

    .text
    .balign 16
    .globl dpl_max_windows
    .type dpl_max_windows, @function
dpl_max_windows:
    save 16, s0, s1
    load_pool_run low, high
    lw rows, ROWS(a0)
    lw pixels, PIXELS(a0)
1:
    lw words, WORDS(a0)
    mv channel, from
    andi at, words, 1
    beqz at, 4f
    mv at, channel
    mv most, low
    mv word, low
    lp.setup 1, t0, 3f
    lp.setup 0, a4, 2f
    pv.max.b most, most, word
    p.lw_r word, pitch, at
2:
    add at, at, row
    pv.max.b most, most, word
3:
    pv.min.b most, most, high
    addi channel, channel, 4
    addi words, words, -1
    p.sw most, 4, out
    beqz words, 7f
4:
    mv at, channel
    mv most, low
    mv word, low
    mv most2, low
    mv word2, low
    lp.setup 1, t0, 6f
    lp.setup 0, a4, 5f
    pv.max.b most2, most2, word2
    lw word2, 4(at)
    pv.max.b most, most, word
    p.lw_r word, pitch, at
5:
    add at, at, row
    pv.max.b most2, most2, word2
    pv.max.b most, most, word
6:
    pv.min.b most, most, high
    pv.min.b most2, most2, high
    addi channel, channel, 8
    addi words, words, -2
    p.sw most, 4, out
    p.sw most2, 4, out
    bnez words, 4b
7:
    next_window pixels, 1b, at, word
    restore_and_return 16, s0, s1
    .size dpl_max_windows, . - dpl_max_windows
