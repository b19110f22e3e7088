/* void dpl_prelu_runs(const dpl_prelu_job *j): see dpl/pulp/prelu.h. 61 cycles for four elements:
 * both results, of which the sign takes one; 17 for one of the rest. */
#include "dpl/pulp/requantize.inc"
#include "dpl/pulp/saved.inc"

/* dpl_prelu_job */
#define FROM 0
#define OUT 4
#define WORDS 8
#define RUNS 12
#define FROM_GAP 16
#define OUT_GAP 20
#define ZERO 24
#define MULTIPLIER 28
#define ROUNDING 32
#define SHIFT 36
#define MULTIPLIERS 40
#define ROUNDINGS 44
#define SHIFTS 48
#define MULTIPLIER_STEP 52
#define LOW 56
#define HIGH 60
#define REST 64

#define from a1
#define out a2
#define multipliers a3
#define roundings a4
#define shifts a5
#define step a6
#define off a7
#define multiplier s1
#define rounding s2
#define shift s3
#define low s4
#define high s5
#define from_gap s6
#define out_gap s7
#define words s8
#define rest s9
#define kept s1, s2, s3, s4, s5, s6, s7, s8, s9

/* The next element to rd; x, y and z are lost. */
.macro element rd, x, y, z
    p.lb \x, 1, from
    p.lw_r \y, step, multipliers
    p.lw \z, 4, roundings
    p.lbu \rd, 1, shifts
    sub \x, \x, off
    mul \y, \y, \x
    p.addNr \y, \z, \rd
    srai \z, \x, 31
    mul \rd, \x, multiplier
    p.addNr \rd, rounding, shift
    xor \y, \y, \rd
    and \y, \y, \z
    xor \rd, \rd, \y
    p.clip \rd, \rd, 8
.endm

    .text
    .balign 16
    .globl dpl_prelu_runs
    .type dpl_prelu_runs, @function
dpl_prelu_runs:
    save 48, kept
    lw t0, RUNS(a0)
    lw words, WORDS(a0)
    lw rest, REST(a0)
    lw from, FROM(a0)
    lw out, OUT(a0)
    lw step, MULTIPLIER_STEP(a0)
    lw off, ZERO(a0)
    lw multiplier, MULTIPLIER(a0)
    lw rounding, ROUNDING(a0)
    lw shift, SHIFT(a0)
    lw low, LOW(a0)
    lw high, HIGH(a0)
    lw from_gap, FROM_GAP(a0)
    lw out_gap, OUT_GAP(a0)
    lp.setup 1, t0, 2f
    mv t0, words
    mv t1, rest
    lw multipliers, MULTIPLIERS(a0)
    lw roundings, ROUNDINGS(a0)
    lw shifts, SHIFTS(a0)
    beqz t0, 3f
    lp.setup 0, t0, 1f
    element t0, t4, t5, t6
    element t1, t4, t5, t6
    element t2, t4, t5, t6
    element t3, t4, t5, t6
    pack_bounded t4, t0, t1, t2, t3, low, high
    p.sw t4, 4, out
1:
    mv t1, rest
3:
    beqz t1, 4f
    lp.setup 0, t1, 4f
    element t0, t4, t5, t6
    bound t0, low, high
    p.sb t0, 1, out
4:
    add from, from, from_gap
    add out, out, out_gap
2:
    restore_and_return 48, kept
    .size dpl_prelu_runs, . - dpl_prelu_runs
