/* void dpl_fill_runs(int8_t *to, int32_t value, int32_t bytes, int32_t count, int32_t pitch): see
 * dpl/pulp/runs.h. 2 cycles for 8 bytes; the last words of a run are written once more. */
#include "dpl/pulp/xpulp.inc"

#define to a0
#define value a1
#define bytes a2
#define count a3
#define pitch a4

    .text
    .balign 16
    .globl dpl_fill_runs
    .type dpl_fill_runs, @function
dpl_fill_runs:
    beqz count, 9f
    beqz bytes, 9f
    andi value, value, 255
    slli t0, value, 8
    or value, value, t0
    slli t0, value, 16
    or value, value, t0
    srli t0, bytes, 3
    beqz t0, 2f
    addi t4, bytes, -8
    lp.setup 1, count, 1f
    add t6, to, t4
    mv a7, to
    lp.setup 0, t0, 5f
    p.sw value, 4, a7
    p.sw value, 4, a7
5:
    sw value, 0(t6)
    sw value, 4(t6)
    add to, to, pitch
1:
    ret
2:
    srli t0, bytes, 2
    beqz t0, 3f
    addi t4, bytes, -4
    lp.setup 1, count, 1f
    add t6, to, t4
    sw value, 0(to)
    sw value, 0(t6)
    add to, to, pitch
1:
    ret
3:
    sub pitch, pitch, bytes
    lp.setup 1, count, 1f
    mv t1, bytes
4:
    p.sb value, 1, to
    addi t1, t1, -1
    bnez t1, 4b
    add to, to, pitch
1:
9:
    ret
    .size dpl_fill_runs, . - dpl_fill_runs
