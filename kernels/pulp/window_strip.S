/* void dpl_window_strip(const dpl_strip *s): see dpl/pulp/copies.h. 30 cycles a row, and 2 for each
 * word of it. */
#include "dpl/pulp/runs.inc"

/* dpl_strip */
#define ROWS 0
#define RUNS 4
#define COUNT 8
#define TO 12
#define BYTES 16
#define ZEROS 20
#define ZERO 24
#define FROM 28
#define AT 32
#define PAIRS 36
#define WORD 40
#define REST 44
#define BEFORE 48
#define BEHIND 52
#define BEHIND_AT 56

#define rows a1
#define runs a2
#define to a3
#define zero a4
#define left t6

/* At least one word of zero points: a loop has two instructions or more. */
.macro zero_words words, at
    lp.setup 0, \words, 7f
    p.sw zero, 4, \at
    nop
7:
.endm

    .text
    .balign 16
    .globl dpl_window_strip
    .type dpl_window_strip, @function
dpl_window_strip:
    lw rows, ROWS(a0)
    lw runs, RUNS(a0)
    lw to, TO(a0)
    lw zero, ZERO(a0)
    lw left, COUNT(a0)
1:
    p.lw t0, 4, rows
    lw t1, FROM(a0)
    lw t2, BEFORE(a0)
    beqz t0, 8f
    add t0, t0, t1
    p.sw to, 4, runs
    mv t3, to
    beqz t2, 2f
    zero_words t2, t3
2:
    lw t2, BEHIND(a0)
    lw t3, BEHIND_AT(a0)
    beqz t2, 3f
    add t3, t3, to
    zero_words t2, t3
3:
    lw t3, AT(a0)
    lw t2, PAIRS(a0)
    add t3, t3, to
    beqz t2, 4f
    copy_pairs t2, t0, t3, t4, t5
4:
    lw t2, WORD(a0)
    lw a5, REST(a0)
    beqz t2, 5f
    p.lw t4, 4, t0
    p.sw t4, 4, t3
5:
    copy_bytes a5, t0, t3, t4
6:
    lw t1, BYTES(a0)
    addi left, left, -1
    add to, to, t1
    bnez left, 1b
    lw t0, RUNS(a0)
    lw t0, 0(t0)
    sw t0, 0(runs)
    ret
8:
    lw t1, ZEROS(a0)
    p.sw t1, 4, runs
    j 6b
    .size dpl_window_strip, . - dpl_window_strip
