/* void dpl_zero_borders(const dpl_borders *b): see dpl/pulp/border.h. A cycle for a word in a run, two
 * for one between rows, which is rarely aligned. */
#include "dpl/pulp/xpulp.inc"

/* dpl_borders */
#define PLANE 0
#define PLANES 4
#define PITCH 8
#define ABOVE 12
#define BELOW 16
#define WIDTH 20
#define ROW_PITCH 24
#define ROWS 28
#define ZEROS 32

#define zeros a1
#define plane a2
#define planes a3
#define row_pitch a4
#define gap a5
#define at a6

/* t1 stores, none if it is zero. */
.macro stores store, step
    srli t2, t1, 1
    andi t3, t1, 1
    beqz t2, 31f
    lp.setup 0, t2, 31f
    \store zeros, \step, at
    \store zeros, \step, at
31:
    beqz t3, 32f
    \store zeros, \step, at
32:
.endm

/* t0 bytes from `at` on; the last word of four or more may meet the one before. */
.macro run
    srli t1, t0, 2
    beqz t1, 21f
    add t4, at, t0
    stores p.sw, 4
    sw zeros, -4(t4)
    j 22f
21:
    mv t1, t0
    stores p.sb, 1
22:
.endm

    .text
    .balign 16
    .globl dpl_zero_borders
    .type dpl_zero_borders, @function
dpl_zero_borders:
    lw plane, PLANE(a0)
    lw planes, PLANES(a0)
    lw t0, WIDTH(a0)
    lw row_pitch, ROW_PITCH(a0)
    lw zeros, ZEROS(a0)
    sub gap, row_pitch, t0
1:
    lw t0, ABOVE(a0)
    sub at, plane, t0
    run
    lw t5, WIDTH(a0)
    lw t0, BELOW(a0)
    lw t1, ROWS(a0)
    add t5, plane, t5
    mul t1, t1, row_pitch
    add at, t5, t1
    run
    lw t6, ROWS(a0)
    li t0, 4
    mv t4, gap
2:
    blt t4, t0, 3f
    mv at, t5
    mv t1, t6
    stores p.sw_r, row_pitch
    addi t5, t5, 4
    addi t4, t4, -4
    j 2b
3:
    blez t4, 5f
    blt gap, t0, 4f
    add at, t5, t4
    addi at, at, -4
    mv t1, t6
    stores p.sw_r, row_pitch
    j 5f
4:
    mv at, t5
    mv t1, t6
    stores p.sb_r, row_pitch
    addi t5, t5, 1
    addi t4, t4, -1
    bgtz t4, 4b
5:
    lw t0, PITCH(a0)
    addi planes, planes, -1
    add plane, plane, t0
    bnez planes, 1b
    ret
    .size dpl_zero_borders, . - dpl_zero_borders
