/* void dpl_average_windows(const dpl_pool_run *r): see dpl/pulp/pool_run.h. 10 cycles for two taps of
 * four channels (a channel's value is the product of its word with a single one), 10 more a row of
 * the window; 32 for four outputs. */
#include "dpl/pulp/pool_run.inc"
#include "dpl/pulp/saved.inc"

#define from a1
#define out a2
#define pitch a3
#define row a5
#define odd a6
#define at a7
#define sum0 t0
#define sum1 t1
#define sum2 t2
#define sum3 t3
#define one0 s0
#define one1 s1
#define one2 s2
#define one3 s3
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

.macro add_tap word
    pv.sdotsp.b sum0, \word, one0
    pv.sdotsp.b sum1, \word, one1
    pv.sdotsp.b sum2, \word, one2
    pv.sdotsp.b sum3, \word, one3
.endm

    .text
    .balign 16
    .globl dpl_average_windows
    .type dpl_average_windows, @function
dpl_average_windows:
    save_all
    lw from, FROM(a0)
    lw out, OUT(a0)
    lw pitch, PITCH(a0)
    lw a4, TAPS(a0)
    lw row, ROW(a0)
    lw low, LOW(a0)
    lw high, HIGH(a0)
    lw multiplier, MULTIPLIER(a0)
    lw rounding, ROUNDING(a0)
    lw shift, SHIFT(a0)
    lw pixels, PIXELS(a0)
    li one0, 1
    slli one1, one0, 8
    slli one2, one0, 16
    slli one3, one0, 24
    andi odd, a4, 1
    srli a4, a4, 1 /* pairs of taps */
1:
    lw words, WORDS(a0)
    mv channel, from
2:
    lw rows, ROWS(a0)
    mv at, channel
    li sum0, 0
    li sum1, 0
    li sum2, 0
    li sum3, 0
3:
    beqz a4, 4f
    lp.setup 0, a4, 4f
    p.lw_r word, pitch, at
    p.lw_r next, pitch, at
    add_tap word
    add_tap next
4:
    addi rows, rows, -1
    beqz odd, 5f
    p.lw_r word, pitch, at
    add at, at, row
    add_tap word
    bnez rows, 3b
    j 6f
5:
    add at, at, row
    bnez rows, 3b
6:
    mul sum0, sum0, multiplier
    mul sum1, sum1, multiplier
    mul sum2, sum2, multiplier
    mul sum3, sum3, multiplier
    p.addNr sum0, rounding, shift
    p.addNr sum1, rounding, shift
    p.addNr sum2, rounding, shift
    p.addNr sum3, rounding, shift
    p.clip sum0, sum0, 8
    p.clip sum1, sum1, 8
    p.clip sum2, sum2, 8
    p.clip sum3, sum3, 8
    pv.packlo.b word, sum1, sum0
    pv.packhi.b word, sum3, sum2
    addi channel, channel, 4
    pv.max.b word, word, low
    addi words, words, -1
    pv.min.b word, word, high
    p.sw word, 4, out
    bnez words, 2b
    lw at, STEP(a0)
    lw word, GAP(a0)
    addi pixels, pixels, -1
    add from, from, at
    add out, out, word
    bnez pixels, 1b
    restore_all_and_return
    .size dpl_average_windows, . - dpl_average_windows
