/* void dpl_depthwise_two_words(dpl_depthwise_block *b): see dpl/pulp/depthwise.h. Four rows of words
 * stay in registers: a row of taps loads the next row alone and meets it in the place of the first,
 * so that the loop has each of four turns. 42 cycles for a row of taps of sixteen sums, 22 of eight,
 * which are enough for the last two columns. */
#include "dpl/pulp/depthwise_blocks.inc"

#define rows_at a4
#define down a3

/* Pairs of registers with the two words of a row. */
#define PAIR0 t0, t1
#define PAIR1 t2, t3
#define PAIR2 a5, a6
#define PAIR3 a7, a2

.macro load_row first, second
    p.lw \first, 4, rows_at
    p.lw_r \second, down, rows_at
.endm

/* The words of four rows times a tap word of one column. */
.macro column dot, tap, w0, w1, w2, w3, p0, p1, p2, p3
    pv.\dot\()sp.b \p0, \w0, \tap
    pv.\dot\()sp.b \p1, \w1, \tap
    pv.\dot\()sp.b \p2, \w2, \tap
    pv.\dot\()sp.b \p3, \w3, \tap
.endm

/* The first or second words of the rows times those of all columns; t4 has the first column's, and
 * `behind`, the word that follows, afterwards. */
.macro columns_4 dot, behind, words:vararg
    p.lw t5, 4, weights
    column \dot, t4, \words, c0p0, c0p1, c0p2, c0p3
    p.lw t4, 4, weights
    column \dot, t5, \words, c1p0, c1p1, c1p2, c1p3
    p.lw t5, 4, weights
    column \dot, t4, \words, c2p0, c2p1, c2p2, c2p3
    .if \behind
    p.lw t4, 4, weights
    .endif
    column \dot, t5, \words, c3p0, c3p1, c3p2, c3p3
.endm

/* Of two columns, past the words of the others. */
.macro columns_2 dot, behind, words:vararg
    p.lw t5, 12, weights
    column \dot, t4, \words, c0p0, c0p1, c0p2, c0p3
    .if \behind
    p.lw t4, 4, weights
    .endif
    column \dot, t5, \words, c1p0, c1p1, c1p2, c1p3
.endm

/* A row of taps; the last of the four rows is new. */
.macro tap_row count, dot, f0, s0, f1, s1, f2, s2, f3, s3
    p.lw t4, 4, weights
    load_row \f3, \s3
    columns_\count \dot, 1, \f0, \f1, \f2, \f3
    columns_\count sdot, 0, \s0, \s1, \s2, \s3
.endm

/* One more, unless that was the last. */
.macro another count, rows:vararg
    addi a0, a0, -1
    beqz a0, 9f
    tap_row \count, sdot, \rows
.endm

/* The sums of so many columns, a0 being lent. */
.macro sums count
    lw rows_at, ROW(a0)
    lw t0, ROW_AT(a0)
    lw down, NEXT_ROW(a0)
    lw weights, TAPS(a0)
    lw a0, HEIGHT(a0)
    add rows_at, rows_at, t0
    addi down, down, 4
    load_row PAIR0
    load_row PAIR1
    load_row PAIR2
    tap_row \count, dot, PAIR0, PAIR1, PAIR2, PAIR3
8:
    another \count, PAIR1, PAIR2, PAIR3, PAIR0
    another \count, PAIR2, PAIR3, PAIR0, PAIR1
    another \count, PAIR3, PAIR0, PAIR1, PAIR2
    another \count, PAIR0, PAIR1, PAIR2, PAIR3
    j 8b
9:
    lw a0, 0(sp)
.endm

/* A row's outputs, from the last column to the first. */
.macro store_4 out, c0, c1, c2, c3
    p.sb_r \c3, t2, \out
    p.sb_r \c2, t2, \out
    p.sb_r \c1, t2, \out
    sb \c0, 0(\out)
.endm
.macro store_2 out, c0, c1
    p.sb_r \c1, t2, \out
    sb \c0, 0(\out)
.endm

/* Sums of a column to outputs, of eight bits or between bounds. */
.macro scale p0, p1, p2, p3
    each_from_itself mul, \p0, \p1, \p2, \p3, t0
    each p.addNr, \p0, \p1, \p2, \p3, t1, t2
.endm
.macro clip p0, p1, p2, p3
    each_from_itself p.clip, \p0, \p1, \p2, \p3, 8
.endm
.macro bound_sums p0, p1, p2, p3
    each_from_itself p.max, \p0, \p1, \p2, \p3, t3
    each_from_itself p.min, \p0, \p1, \p2, \p3, t4
.endm

.macro of_columns count, op
    \op c0p0, c0p1, c0p2, c0p3
    \op c1p0, c1p1, c1p2, c1p3
    .if \count > 2
    \op c2p0, c2p1, c2p2, c2p3
    \op c3p0, c3p1, c3p2, c3p3
    .endif
.endm

/* Sums to outputs; a4 to a7 point to those of the first column, t5 is how far they have come. */
.macro finish_columns count
    lw t0, TABLES(a0)
    lw t5, OUT_AT(a0)
    lw t3, LOW(a0)
    lw t4, HIGH(a0)
    lw t1, 4(t0)
    lw t2, 8(t0)
    lw t0, 0(t0)
    pointers OUT
    of_columns \count, scale
    lw a3, OUT_PIXEL(a0)
    sub a2, t4, t3
    addi a2, a2, -255
    of_rows add, t5
    bnez a2, 6f
    of_columns \count, clip
    j 7f
6:
    of_columns \count, bound_sums
7:
    neg t2, a3
.endm

    .text
    .balign 16
    .globl dpl_depthwise_two_words
    .type dpl_depthwise_two_words, @function
dpl_depthwise_two_words:
    save_all
    sw a0, 0(sp)
1:
    lw t0, COLUMNS(a0)
    addi t0, t0, -2
    blez t0, 2f
    sums 4
    finish_columns 4
    lw a2, COLUMNS(a0)
    slli t0, a3, 1
    addi a2, a2, -4
    add t0, t0, a3
    bltz a2, 4f
3:
    of_rows add, t0
    /* Missing rows are the first one's place, which is written last. */
    store_4 a7, c0p3, c1p3, c2p3, c3p3
    store_4 a6, c0p2, c1p2, c2p2, c3p2
    store_4 a5, c0p1, c1p1, c2p1, c3p1
    store_4 a4, c0p0, c1p0, c2p0, c3p0
    lw t1, ROW_AT(a0)
    slli t3, a3, 2
    add t5, t5, t3
    addi t1, t1, 4
    sw t5, OUT_AT(a0)
    sw t1, ROW_AT(a0)
    sw a2, COLUMNS(a0)
    bgtz a2, 1b
    restore_all_and_return
/* Three columns. */
4:
    slli t0, a3, 1
    of_rows add, t0
    sb c2p3, 0(a7)
    sb c2p2, 0(a6)
    sb c2p1, 0(a5)
    sb c2p0, 0(a4)
    of_rows add, t2
    j 5f
/* Two columns, or one: the second then goes to the first one's place, before it. */
2:
    sums 2
    finish_columns 2
    lw a2, COLUMNS(a0)
    mv t0, a3
    addi a2, a2, -2
    beqz a2, 10f
    li t0, 0
    li t2, 0
10:
    of_rows add, t0
5:
    store_2 a7, c0p3, c1p3
    store_2 a6, c0p2, c1p2
    store_2 a5, c0p1, c1p1
    store_2 a4, c0p0, c1p0
    sw zero, COLUMNS(a0)
    restore_all_and_return
    .size dpl_depthwise_two_words, . - dpl_depthwise_two_words
