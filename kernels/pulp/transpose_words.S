/* void dpl_transpose_words(const dpl_transpose *t): see dpl/pulp/transpose.h. 18 cycles for sixteen
 * bytes.
 *
 * A block of four columns goes down the rows with a pointer and a step for each column: those
 * outside stand still on zero points. One or two columns that are left take 11 cycles, or 9 where
 * the first is the last one inside. */
#include "dpl/pulp/saved.inc"
#include "dpl/pulp/xpulp.inc"

/* dpl_transpose */
#define FROM 0
#define ROW_PITCH 4
#define PIXEL_PITCH 8
#define X 12
#define WIDTH 16
#define ROWS 20
#define COLUMNS 24
#define TO 28
#define PITCH 32
#define STEP 36
#define GROUPS 40
#define ZEROS 44

#define even s0
#define odd s1
#define high s2
#define to s3
#define pitch s4
#define top s5
#define from s6
#define x s7
#define columns s8
#define row_pitch s9
#define pixel_pitch s10
#define whole s11
#define width ra
#define groups gp
#define skip tp /* from a row's last channel to the next row */

/* On the stack: of the group at hand. */
#define FROM_NOW 0
#define TOP_NOW 4

/* Where a column that may lie outside begins. */
.macro column pointer, step
    mv \pointer, from
    mv \step, row_pitch
    bltu x, width, 41f
    lw \pointer, ZEROS(a0)
    li \step, 0
41:
    add from, from, pixel_pitch
    addi x, x, 1
.endm

    .text
    .balign 16
    .globl dpl_transpose_words
    .type dpl_transpose_words, @function
dpl_transpose_words:
    save_all
    lw from, FROM(a0)
    lw row_pitch, ROW_PITCH(a0)
    lw pixel_pitch, PIXEL_PITCH(a0)
    lw skip, STEP(a0)
    lw groups, GROUPS(a0)
    lw width, WIDTH(a0)
    lw top, TO(a0)
    lw pitch, PITCH(a0)
    lui even, 0x06020
    addi even, even, 0x400
    lui odd, 0x03070
    addi odd, odd, 0x105
    lui high, 0x00010
    addi high, high, 3
    addi whole, width, -3
    p.max whole, whole, zero
    sub skip, skip, pitch
    slli t1, pitch, 1
    sub skip, skip, t1
8:
    lw x, X(a0)
    lw columns, COLUMNS(a0)
    sw from, FROM_NOW(sp)
    sw top, TOP_NOW(sp)
1:
    bgeu x, whole, 4f
    mv a1, from
    add a2, a1, pixel_pitch
    add a3, a2, pixel_pitch
    add a4, a3, pixel_pitch
    add from, a4, pixel_pitch
    mv a5, row_pitch
    mv a6, row_pitch
    mv a7, row_pitch
    mv t0, row_pitch
    addi x, x, 4
2:
    lw t1, ROWS(a0)
    mv to, top
    addi top, top, 4
    lp.setup 0, t1, 3f
    p.lw_r t1, a5, a1
    p.lw_r t2, a6, a2
    p.lw_r t3, a7, a3
    p.lw_r t4, t0, a4
    pv.pack.h t5, t3, t1
    pv.pack.h t6, t4, t2
    pv.shuffle2.h t3, t1, high
    pv.shuffle2.h t4, t2, high
    mv t1, t5
    mv t2, t3
    pv.shuffle2.b t1, t6, even
    pv.shuffle2.b t6, t5, odd
    pv.shuffle2.b t2, t4, even
    pv.shuffle2.b t4, t3, odd
    p.sw_r t1, pitch, to
    p.sw_r t6, pitch, to
    p.sw_r t2, pitch, to
    p.sw_r t4, skip, to
3:
    addi columns, columns, -4
    addi t1, columns, -2
    bgtz t1, 1b
    bgtz columns, 5f
7:
    lw from, FROM_NOW(sp)
    lw top, TOP_NOW(sp)
    slli t1, pitch, 2
    addi groups, groups, -1
    addi from, from, 4
    add top, top, t1
    bnez groups, 8b
    restore_all_and_return
4:
    column a1, a5
    column a2, a6
    column a3, a7
    column a4, t0
    j 2b
/* One or two columns that are left; the bytes beyond them are no one's. */
5:
    addi t1, width, -1
    beq x, t1, 6f
    column a1, a5
    column a2, a6
    lw t1, ROWS(a0)
    lui a3, 0x01050
    lui a4, 0x03070
    addi a3, a3, 0x004
    addi a4, a4, 0x206
    lp.setup 0, t1, 9f
    p.lw_r t1, a5, a1
    p.lw_r t2, a6, a2
    mv t3, t2
    pv.shuffle2.b t3, t1, a3
    pv.shuffle2.b t2, t1, a4
    p.sw_r t3, pitch, top
    srli t3, t3, 16
    p.sw_r t3, pitch, top
    p.sw_r t2, pitch, top
    srli t2, t2, 16
    p.sw_r t2, skip, top
9:
    j 7b
/* The last column inside. */
6:
    lw t1, ROWS(a0)
    lw t6, ZEROS(a0)
    lui a1, 0x03020
    lw t6, 0(t6)
    addi a1, a1, 0x104
    addi a2, a1, 1
    addi a3, a1, 2
    addi a4, a1, 3
    lp.setup 0, t1, 9f
    p.lw_r t1, row_pitch, from
    pv.shuffle2.b t6, t1, a1
    p.sw_r t6, pitch, top
    pv.shuffle2.b t6, t1, a2
    p.sw_r t6, pitch, top
    pv.shuffle2.b t6, t1, a3
    p.sw_r t6, pitch, top
    pv.shuffle2.b t6, t1, a4
    p.sw_r t6, skip, top
9:
    j 7b
    .size dpl_transpose_words, . - dpl_transpose_words
