/* void dpl_four_by_pixels(const dpl_pixel_products *p, int32_t *sums): see dpl/pulp/products.h.
 *
 * A word of each of four pixels and one of each of four others feed sixteen dot products: 24
 * instructions for 64 products, none of which waits for a load of L1. Both sides are read where they
 * lie, so that all registers but sp are taken: two words of the right at a time. */
#include "dpl/pulp/four_by_four.inc"

/* dpl_pixel_products of dpl/pulp/products.h */
#define LEFT_SIDE 0
#define RIGHT_SIDE 16
#define WHOLE_WORDS 32
#define MASK 36

/* Words of the frame. */
#define SUMS_AT 0
#define MASK_AT 4

#define left a4
#define left1 a5
#define left2 a6
#define left3 a7
#define right a1
#define right1 a2
#define right2 a3
#define right3 a0

.macro left_words
    p.lw_at t1, left1, left
    p.lw_at t2, left2, left
    p.lw_at t3, left3, left
    p.lw t0, 4, left
.endm

.macro dots sum0, sum1, sum2, sum3, word
    pv.sdotsp.b \sum0, t0, \word
    pv.sdotsp.b \sum1, t1, \word
    pv.sdotsp.b \sum2, t2, \word
    pv.sdotsp.b \sum3, t3, \word
.endm

    .text
    .balign 16
    .globl dpl_four_by_pixels
    .type dpl_four_by_pixels, @function
dpl_four_by_pixels:
    save_all
    sw a1, SUMS_AT(sp)
    lw t1, MASK(a0)
    lw t0, WHOLE_WORDS(a0)
    sw t1, MASK_AT(sp)
    each_word lw, a0, LEFT_SIDE, 4, left, left1, left2, left3
    each_word lw, a0, RIGHT_SIDE, 4, right, right1, right2, right3
    each li, c0p0, c0p1, c0p2, c0p3, 0
    each li, c1p0, c1p1, c1p2, c1p3, 0
    each li, c2p0, c2p1, c2p2, c2p3, 0
    each li, c3p0, c3p1, c3p2, c3p3, 0
    beqz t0, 2f
    lp.setup 0, t0, 1f
    left_words
    p.lw_at t4, right1, right
    p.lw_at t5, right2, right
    dots c1p0, c1p1, c1p2, c1p3, t4
    p.lw_at t4, right3, right
    dots c2p0, c2p1, c2p2, c2p3, t5
    p.lw t5, 4, right
    dots c3p0, c3p1, c3p2, c3p3, t4
    dots c0p0, c0p1, c0p2, c0p3, t5
1:
2:
    lw t0, MASK_AT(sp)
    beqz t0, 3f
    left_words
    lw left, MASK_AT(sp)
    p.lw_at t4, right1, right
    p.lw_at t5, right2, right
    and t4, t4, left
    and t5, t5, left
    dots c1p0, c1p1, c1p2, c1p3, t4
    p.lw_at t4, right3, right
    dots c2p0, c2p1, c2p2, c2p3, t5
    lw t5, 0(right)
    and t4, t4, left
    and t5, t5, left
    dots c3p0, c3p1, c3p2, c3p3, t4
    dots c0p0, c0p1, c0p2, c0p3, t5
3:
    lw t0, SUMS_AT(sp)
    store_sums t0
    restore_all_and_return
    .size dpl_four_by_pixels, . - dpl_four_by_pixels
