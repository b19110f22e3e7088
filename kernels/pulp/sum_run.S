/* void dpl_sum_run(const int8_t *from, int32_t pitch, int32_t count, int32_t *sums): see
 * dpl/pulp/sum.h. 10 cycles for two taps of four channels: a channel's value is the product of its
 * word with a single one. */
#include "dpl/pulp/xpulp.inc"

#define from a0
#define pitch a1
#define count a2

.macro add_tap word
    pv.sdotsp.b a4, \word, t0
    pv.sdotsp.b a5, \word, t1
    pv.sdotsp.b a6, \word, t2
    pv.sdotsp.b a7, \word, t3
.endm

    .text
    .balign 16
    .globl dpl_sum_run
    .type dpl_sum_run, @function
dpl_sum_run:
    lw a4, 0(a3)
    lw a5, 4(a3)
    lw a6, 8(a3)
    lw a7, 12(a3)
    li t0, 1
    slli t1, t0, 8
    slli t2, t0, 16
    slli t3, t0, 24
    srli t6, count, 1
    beqz t6, 2f
    lp.setup 0, t6, 1f
    p.lw_r t4, pitch, from
    p.lw_r t5, pitch, from
    add_tap t4
    add_tap t5
1:
2:
    andi count, count, 1
    beqz count, 3f
    lw t4, 0(from)
    add_tap t4
3:
    sw a4, 0(a3)
    sw a5, 4(a3)
    sw a6, 8(a3)
    sw a7, 12(a3)
    ret
    .size dpl_sum_run, . - dpl_sum_run
