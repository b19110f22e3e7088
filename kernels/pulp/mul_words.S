/* void dpl_mul_words(const dpl_mul_run *r): see dpl/pulp/mul.h. 37 cycles for four elements. */
#include "dpl/pulp/binary.inc"

/* dpl_mul_run, behind the runs */
#define LEFT_ZERO 16
#define RIGHT_ZERO 20
#define MULTIPLIER 24
#define ROUNDING 28
#define SHIFT 32
#define LOW 36
#define HIGH 40

#define left_zero a4
#define right_zero a5
#define multiplier s1
#define low s2
#define high s3

    .text
    .balign 16
    .globl dpl_mul_words
    .type dpl_mul_words, @function
dpl_mul_words:
    enter_binary s0, s1, s2, s3
    lw t0, WORDS(a0)
    load_runs
    lw left_zero, LEFT_ZERO(a0)
    lw right_zero, RIGHT_ZERO(a0)
    lw multiplier, MULTIPLIER(a0)
    lw a6, ROUNDING(a0)
    lw a7, SHIFT(a0)
    lw low, LOW(a0)
    lw high, HIGH(a0)
    lp.setup 0, t0, 1f
    load_operands
    each_from_itself sub, lefts, left_zero
    each_from_itself sub, rights, right_zero
    mul t0, t0, t1
    mul t2, t2, t3
    mul t4, t4, t5
    mul t6, t6, s0
    requantize lefts, multiplier, a6, a7
    store_lefts low, high
1:
    leave_binary s0, s1, s2, s3
    .size dpl_mul_words, . - dpl_mul_words
