/* void dpl_copy_runs(int8_t *to, const int8_t *from, int32_t bytes, int32_t count,
 *                    int32_t to_pitch, int32_t from_pitch): see dpl/pulp/runs.h.
 *
 * 4 cycles for 8 bytes. Where a run is no multiple of that, its last words are copied once more. */
#include "dpl/pulp/runs.inc"

#define to a0
#define from a1
#define bytes a2
#define count a3
#define to_pitch a4
#define from_pitch a5

/* Pitches from the end of a run, where loops that move the pointers leave them. */
.macro gaps_of_pitches
    sub to_pitch, to_pitch, bytes
    sub from_pitch, from_pitch, bytes
.endm

.macro next_run
    add from, from, from_pitch
    add to, to, to_pitch
.endm

    .text
    .balign 16
    .globl dpl_copy_runs
    .type dpl_copy_runs, @function
dpl_copy_runs:
    beqz count, 9f
    srli t0, bytes, 3
    andi t1, bytes, 7
    beqz t0, 3f
    bnez t1, 2f
    gaps_of_pitches
    lp.setup 1, count, 1f
    copy_pairs t0, from, to, t2, t3
    next_run
1:
    ret
2:
    addi t4, bytes, -8
    lp.setup 1, count, 1f
    add t5, from, t4
    add t6, to, t4
    mv a6, from
    mv a7, to
    copy_pairs t0, a6, a7, t2, t3
    lw t2, 0(t5)
    lw t3, 4(t5)
    sw t2, 0(t6)
    sw t3, 4(t6)
    next_run
1:
    ret
3:
    srli t0, bytes, 2
    beqz t0, 4f
    addi t4, bytes, -4
    lp.setup 1, count, 1f
    add t5, from, t4
    lw t2, 0(from)
    lw t3, 0(t5)
    add t6, to, t4
    sw t2, 0(to)
    sw t3, 0(t6)
    next_run
1:
    ret
4:
    beqz bytes, 9f
    gaps_of_pitches
    lp.setup 1, count, 1f
    lp.setup 0, bytes, 5f
    p.lb t2, 1, from
    p.sb t2, 1, to
5:
    next_run
1:
9:
    ret
    .size dpl_copy_runs, . - dpl_copy_runs
