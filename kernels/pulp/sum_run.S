/* void dpl_sum_run(const int8_t *from, int32_t pitch, int32_t count, int32_t *sums): see
 * dpl/pulp/sum.h. 10 cycles for two taps of four channels: a channel's value is the product of its
 * word with a single one. */
#include "dpl/pulp/channel_sums.inc"
#include "dpl/pulp/each.inc"

#define from a0
#define pitch a1
#define count a2
#define sums a4, a5, a6, a7
#define ones t0, t1, t2, t3

    .text
    .balign 16
    .globl dpl_sum_run
    .type dpl_sum_run, @function
dpl_sum_run:
    each_word lw, a3, 0, 4, sums
    single_ones ones
    srli t6, count, 1
    beqz t6, 1f
    add_pairs_of_taps t6, t4, t5, pitch, from, sums, ones
1:
    andi count, count, 1
    beqz count, 2f
    lw t4, 0(from)
    add_tap t4, sums, ones
2:
    each_word sw, a3, 0, 4, sums
    ret
    .size dpl_sum_run, . - dpl_sum_run
