/* void dpl_dense_sums(const dpl_dense_slice *s): see dpl/pulp/dense.h. */
#include "dpl/pulp/dense.inc"

/* dpl_dense_slice */
#define INPUT 0
#define WORDS 4
#define WEIGHTS 8
#define STEP 12
#define GROUPS 16
#define SUMS 20

#define forward a6 /* from behind a group's slice to the next one's */

    .text
    .balign 16
    .globl dpl_dense_sums
    .type dpl_dense_sums, @function
dpl_dense_sums:
    save 32, kept
    lw input, INPUT(a0)
    lw fewer, WORDS(a0)
    lw weights, WEIGHTS(a0)
    lw group, STEP(a0)
    lw t0, GROUPS(a0)
    lw out, SUMS(a0)
    slli forward, fewer, 4
    sub forward, group, forward
    addi fewer, fewer, -1
    andi t1, t0, 1
    srli t0, t0, 1
    sw t1, 28(sp)
    beqz t0, 2f
    lp.setup 1, t0, 1f
    sums_of_two
    each p.sw, t0, t1, t2, t3, 4, out
    each p.sw, s1, s2, s3, s4, 4, out
    add weights, other, forward
1:
    lw t1, 28(sp)
    beqz t1, 3f
2:
    sums_of_one
    each p.sw, t0, t1, t2, t3, 4, out
3:
    restore_and_return 32, kept
    .size dpl_dense_sums, . - dpl_dense_sums
