/* void dpl_gather_words(const dpl_gather *g), void dpl_gather_shuffled(const dpl_gather *g), void
 * dpl_gather_bytes(const dpl_gather *g): see dpl/pulp/gather.h. 2 cycles for a word or a byte, 3 for
 * a word whose bytes are moved, about 13 for a line. */
#include "dpl/pulp/xpulp.inc"

/* dpl_gather */
#define FROM 0
#define STEP 4
#define LINE 8
#define TO 12
#define TO_LINE 16
#define COUNT 20
#define LINES 24
#define TO_STEP 28
#define MASK 32

/* Two at a time, so that no load's value is used next. */
.macro gather name, load, store, shuffled=0
    .balign 16
    .globl \name
    .type \name, @function
\name:
    lw a1, FROM(a0)
    lw a2, STEP(a0)
    lw a3, LINE(a0)
    lw a4, TO(a0)
    lw a5, TO_LINE(a0)
    lw t0, COUNT(a0)
    lw a7, LINES(a0)
    .if \shuffled
    lw t5, MASK(a0)
    .endif
    lw a0, TO_STEP(a0)
    andi a6, t0, 1
    srli t0, t0, 1
1:
    mv t1, a1
    mv t2, a4
    beqz t0, 3f
    lp.setup 0, t0, 2f
    \load\()_r t3, a2, t1
    \load\()_r t4, a2, t1
    .if \shuffled
    pv.shuffle2.b t3, t3, t5
    pv.shuffle2.b t4, t4, t5
    .endif
    \store t3, a0, t2
    \store t4, a0, t2
2:
3:
    add a1, a1, a3
    beqz a6, 4f
    \load\()_r t3, a2, t1
    add a4, a4, a5
    .if \shuffled
    pv.shuffle2.b t3, t3, t5
    .endif
    \store t3, a0, t2
    addi a7, a7, -1
    bnez a7, 1b
    ret
4:
    add a4, a4, a5
    addi a7, a7, -1
    bnez a7, 1b
    ret
    .size \name, . - \name
.endm

    .text
    gather dpl_gather_words, p.lw, p.sw_r
    gather dpl_gather_shuffled, p.lw, p.sw_r, 1
    gather dpl_gather_bytes, p.lb, p.sb_r
