/* Blocks of four windows by four output channels: the products, for two files with different ends.
 *
 * The sixteen sums stay in registers; a word of each window and one of each channel feed sixteen
 * dot products, 24 instructions for 64 products. Nothing of the caller's but sp is left, so a0,
 * the arguments, is the only thing kept beside the pointers. */
#ifndef DPL_PULP_FOURS_ASM_H
#define DPL_PULP_FOURS_ASM_H

#include "dpl/pulp/xpulp.h"

/* dpl_four_windows of dpl/pulp/fours.h */
#define RUNS 0
#define RUNS_END 4
#define RUN_WORDS 8
#define WEIGHTS 12
#define OUT 16
#define GROUPS 32
#define BOUNDED 36
#define LOW 40
#define HIGH 44

#define run_end a3
#define run_next a2
#define weights a1

/* Sums c0..c3 are of channels, p0..p3 of windows. */
#define c0p0 t6
#define c0p1 s0
#define c0p2 s1
#define c0p3 s2
#define c1p0 s3
#define c1p1 s4
#define c1p2 s5
#define c1p3 s6
#define c2p0 s7
#define c2p1 s8
#define c2p2 s9
#define c2p3 s10
#define c3p0 s11
#define c3p1 ra
#define c3p2 gp
#define c3p3 tp

.macro save_all
    addi sp, sp, -64
    sw s0, 0(sp)
    sw s1, 4(sp)
    sw s2, 8(sp)
    sw s3, 12(sp)
    sw s4, 16(sp)
    sw s5, 20(sp)
    sw s6, 24(sp)
    sw s7, 28(sp)
    sw s8, 32(sp)
    sw s9, 36(sp)
    sw s10, 40(sp)
    sw s11, 44(sp)
    sw ra, 48(sp)
    sw gp, 52(sp)
    sw tp, 56(sp)
.endm

.macro restore_all_and_return
    lw s0, 0(sp)
    lw s1, 4(sp)
    lw s2, 8(sp)
    lw s3, 12(sp)
    lw s4, 16(sp)
    lw s5, 20(sp)
    lw s6, 24(sp)
    lw s7, 28(sp)
    lw s8, 32(sp)
    lw s9, 36(sp)
    lw s10, 40(sp)
    lw s11, 44(sp)
    lw ra, 48(sp)
    lw gp, 52(sp)
    lw tp, 56(sp)
    addi sp, sp, 64
    ret
.endm

/* Four values of each window with those of each channel; dot begins the sums, sdot adds. */
.macro products dot
    p.lw t4, 4, weights
    p.lw t0, 4, a4
    p.lw t1, 4, a5
    p.lw t2, 4, a6
    p.lw t3, 4, a7
    p.lw t5, 4, weights
    pv.\dot\()sp.b c0p0, t0, t4
    pv.\dot\()sp.b c0p1, t1, t4
    pv.\dot\()sp.b c0p2, t2, t4
    pv.\dot\()sp.b c0p3, t3, t4
    p.lw t4, 4, weights
    pv.\dot\()sp.b c1p0, t0, t5
    pv.\dot\()sp.b c1p1, t1, t5
    pv.\dot\()sp.b c1p2, t2, t5
    pv.\dot\()sp.b c1p3, t3, t5
    p.lw t5, 4, weights
    pv.\dot\()sp.b c2p0, t0, t4
    pv.\dot\()sp.b c2p1, t1, t4
    pv.\dot\()sp.b c2p2, t2, t4
    pv.\dot\()sp.b c2p3, t3, t4
    pv.\dot\()sp.b c3p0, t0, t5
    pv.\dot\()sp.b c3p1, t1, t5
    pv.\dot\()sp.b c3p2, t2, t5
    pv.\dot\()sp.b c3p3, t3, t5
.endm

/* Where the next run of each window begins. */
.macro next_run
    lw a4, 0(run_next)
    lw a5, 4(run_next)
    lw a6, 8(run_next)
    lw a7, 12(run_next)
    addi run_next, run_next, 16
.endm

/* The sums of a group of channels over all runs. The first products begin them, so that no
 * register need be cleared. */
.macro group_sums
    lw run_next, RUNS(a0)
    lw run_end, RUNS_END(a0)
    next_run
    products dot
    lw t4, RUN_WORDS(a0)
    addi t4, t4, -1
    beqz t4, 12f
    lp.setup 0, t4, 11f
    products sdot
11:
12:
    beq run_next, run_end, 15f
13:
    next_run
    lw t4, RUN_WORDS(a0)
    lp.setup 0, t4, 14f
    products sdot
14:
    bne run_next, run_end, 13b
15:
.endm

#endif
