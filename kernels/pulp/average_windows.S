/* void dpl_average_windows(const dpl_pool_run *r): see dpl/pulp/pool_run.h. 10 cycles for two taps of
 * four channels (a channel's value is the product of its word with a single one), 10 more a row of
 * the window; 32 for four outputs. */
#include "dpl/pulp/channel_sums.inc"
#include "dpl/pulp/pool_run.inc"
#include "dpl/pulp/requantize.inc"
#include "dpl/pulp/saved.inc"

#define odd a6
#define at a7
#define sums t0, t1, t2, t3
#define ones s0, s1, s2, s3
#define multiplier s4
#define rounding s5
#define shift s6
#define low s7
#define high s8
#define words s9
#define pixels s10
#define channel s11
#define rows ra
#define word t4
#define next t5

    .text
    .balign 16
    .globl dpl_average_windows
    .type dpl_average_windows, @function
dpl_average_windows:
    save_all
    load_pool_run low, high
    lw multiplier, MULTIPLIER(a0)
    lw rounding, ROUNDING(a0)
    lw shift, SHIFT(a0)
    lw pixels, PIXELS(a0)
    single_ones ones
    andi odd, taps, 1
    srli taps, taps, 1 /* pairs of them */
1:
    lw words, WORDS(a0)
    mv channel, from
2:
    lw rows, ROWS(a0)
    mv at, channel
    each li, sums, 0
3:
    beqz taps, 4f
    add_pairs_of_taps taps, word, next, pitch, at, sums, ones
4:
    addi rows, rows, -1
    beqz odd, 5f
    p.lw_r word, pitch, at
    add at, at, row
    add_tap word, sums, ones
    bnez rows, 3b
    j 6f
5:
    add at, at, row
    bnez rows, 3b
6:
    requantize sums, multiplier, rounding, shift
    pack word, sums
    addi channel, channel, 4
    pv.max.b word, word, low
    addi words, words, -1
    pv.min.b word, word, high
    p.sw word, 4, out
    bnez words, 2b
    next_window pixels, 1b, at, word
    restore_all_and_return
    .size dpl_average_windows, . - dpl_average_windows
