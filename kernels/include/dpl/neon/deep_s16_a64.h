/* Values of a tap of int16 by one output or two as a Cortex-A53 issues them (docs/cortex-a53.md).
 *
 * Eight values of a pixel are a load of 64 bits, which shares a cycle with the insertion of another
 * pixel's last half, and one to an integer register beside a product: one cycle, two more where
 * they are not in whole halves, and two of products an output. Of one output eight pixels take 26
 * cycles for 64 products, of two outputs four pixels 23 for as many. Pixels are loaded three ahead
 * of their products, a step's weights amid the step before.
 *
 * v20 to v23 hold pixels by turns, v16 and v17 the weights of this step and the next, v18 and v19
 * those of the second output. x9 and x10 are where in a tap the values and their last halves are,
 * x13 and x14 those of the next step: the last one begins so early that it ends with the tap. x11
 * and x12 are last halves of pixels, x15 and x17 of weights. */
#ifndef DPL_NEON_DEEP_S16_A64_H
#define DPL_NEON_DEEP_S16_A64_H

#include "dpl/neon/simd.h"

/* clang-format off */
/* The products of pixel V whose sum is S, while the last half of the next one goes to NEXT and the
 * pixel P, three ahead, to LOADED: its values are C behind it, their last half H, which X holds.
 * What LAST is follows the last product. */
#define PIXEL(S, V, W, NEXT, LOADED, X, P, C, H, LAST)                                             \
    "ldr d" #LOADED ", [%[" #P "], " #C "]\n ins v" #NEXT ".d[1], " #X "\n"                        \
    "smlal %[" #S "].4s, v" #V ".4h, v" #W ".4h\n ldr " #X ", [%[" #P "], " #H "]\n"               \
    "smlal2 %[" #S "].4s, v" #V ".8h, v" #W ".8h\n" LAST
/* The same by the second output, whose weights are U. */
#define ALSO(S, V, U, A, B)                                                                        \
    "smlal %[" #S "].4s, v" #V ".4h, v" #U ".4h\n" A                                               \
    "smlal2 %[" #S "].4s, v" #V ".8h, v" #U ".8h\n" B
/* The next step: it ends with the tap. */
#define ON(C, N) "add " #N ", " #C ", #16\n"
#define COMPARE(N) "cmp " #N ", %[last]\n"
#define LIMIT(N) "csel " #N ", " #N ", %[last], lt\n"
#define HALF(N, M) "add " #M ", " #N ", #8\n"
#define COUNT "subs %[count], %[count], #1\n"

/* Eight values of eight pixels by weights W, while the next ones go to N: C and H as above, D and G
 * of the next step. Where the step after that is goes to C and H. */
#define STEP_OF_ONE(W, N, C, H, D, G)                                                              \
    PIXEL(s0, 20, W, 21, 23, x11, p3, C, H, "")                                                    \
    PIXEL(s1, 21, W, 22, 20, x12, p4, C, H, "")                                                    \
    PIXEL(s2, 22, W, 23, 21, x11, p5, C, H, "ldr x15, [%[w], #24]\n")                              \
    PIXEL(s3, 23, W, 20, 22, x12, p6, C, H, "add %[w], %[w], #16\n")                               \
    PIXEL(s4, 20, W, 21, 23, x11, p7, C, H, ON(D, C))                                              \
    "ldr d" #N ", [%[w]]\n" COMPARE(C)                                                             \
    PIXEL(s5, 21, W, 22, 20, x12, p0, D, G, LIMIT(C))                                              \
    PIXEL(s6, 22, W, 23, 21, x11, p1, D, G, HALF(C, H))                                            \
    "ins v" #N ".d[1], x15\n" COUNT                                                                \
    PIXEL(s7, 23, W, 20, 22, x12, p2, D, G, "")

/* Eight values of four pixels by weights W and U, while the next ones go to N and M. Where the step
 * after the next one is goes to C and H. */
#define STEP_OF_TWO(W, N, U, M, C, H, D, G)                                                        \
    PIXEL(s0, 20, W, 21, 23, x11, p3, C, H, "ldr x15, [%[w], #40]\n")                              \
    ALSO(t0, 20, U, "ldr x17, [%[w], #56]\n", ON(D, C))                                            \
    "ldr d" #N ", [%[w], #32]\n" COMPARE(C)                                                        \
    PIXEL(s1, 21, W, 22, 20, x12, p0, D, G, LIMIT(C))                                              \
    ALSO(t1, 21, U, HALF(C, H), COUNT)                                                             \
    "ldr d" #M ", [%[w], #48]\n add %[w], %[w], #32\n"                                             \
    PIXEL(s2, 22, W, 23, 21, x11, p1, D, G, "")                                                    \
    ALSO(t2, 22, U, "", "")                                                                        \
    PIXEL(s3, 23, W, 20, 22, x12, p2, D, G, "")                                                    \
    "ins v" #N ".d[1], x15\n ins v" #M ".d[1], x17\n"                                              \
    ALSO(t3, 23, U, "", "")

/* The first three pixels. */
#define FIRST_PIXELS                                                                               \
    "mov x9, #0\n mov x10, #8\n mov x13, #16\n" COMPARE(x13) LIMIT(x13) HALF(x13, x14)             \
    "ldr d20, [%[p0]]\n ldr x12, [%[p0], #8]\n"                                                    \
    "ldr d21, [%[p1]]\n ldr x11, [%[p1], #8]\n"                                                    \
    "ldr d22, [%[p2]]\n ins v20.d[1], x12\n ldr x12, [%[p2], #8]\n"
/* clang-format on */

/* `count` times eight values of eight pixels by an output, the last ones `last` bytes on. Behind
 * the last step its own are loaded again, and as many weights as it has. */
INLINED void add_to_one_a53(const int8_t *const *from, int64_t last, int64_t count,
                            const int16_t *weights, int32x4_t *lanes) {
    /* clang-format off */
    __asm__("ldr q16, [%[w]]\n" FIRST_PIXELS
            "1:\n" STEP_OF_ONE(16, 17, x9, x10, x13, x14)
            "b.eq 2f\n" STEP_OF_ONE(17, 16, x13, x14, x9, x10)
            "b.ne 1b\n"
            "2:\n"
            : [count] "+&r"(count), [w] "+&r"(weights), [s0] "+&w"(lanes[0]), [s1] "+&w"(lanes[1]),
              [s2] "+&w"(lanes[2]), [s3] "+&w"(lanes[3]), [s4] "+&w"(lanes[4]), [s5] "+&w"(lanes[5]),
              [s6] "+&w"(lanes[6]), [s7] "+&w"(lanes[7])
            : [p0] "r"(from[0]), [p1] "r"(from[1]), [p2] "r"(from[2]), [p3] "r"(from[3]),
              [p4] "r"(from[4]), [p5] "r"(from[5]), [p6] "r"(from[6]), [p7] "r"(from[7]),
              [last] "r"(last)
            : "x9", "x10", "x11", "x12", "x13", "x14", "x15", "v16", "v17", "v20", "v21", "v22", "v23",
              "cc", "memory");
    /* clang-format on */
}

/* The same of four pixels by two outputs. */
INLINED void add_to_two_a53(const int8_t *const *from, int64_t last, int64_t count,
                            const int16_t *weights, int32x4_t *lanes, int32x4_t *also) {
    /* clang-format off */
    __asm__("ldr q16, [%[w]]\n ldr q18, [%[w], #16]\n" FIRST_PIXELS
            "1:\n" STEP_OF_TWO(16, 17, 18, 19, x9, x10, x13, x14)
            "b.eq 2f\n" STEP_OF_TWO(17, 16, 19, 18, x13, x14, x9, x10)
            "b.ne 1b\n"
            "2:\n"
            : [count] "+&r"(count), [w] "+&r"(weights), [s0] "+&w"(lanes[0]), [s1] "+&w"(lanes[1]),
              [s2] "+&w"(lanes[2]), [s3] "+&w"(lanes[3]), [t0] "+&w"(also[0]), [t1] "+&w"(also[1]),
              [t2] "+&w"(also[2]), [t3] "+&w"(also[3])
            : [p0] "r"(from[0]), [p1] "r"(from[1]), [p2] "r"(from[2]), [p3] "r"(from[3]),
              [last] "r"(last)
            : "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x17", "v16", "v17", "v18", "v19",
              "v20", "v21", "v22", "v23", "cc", "memory");
    /* clang-format on */
}

#undef PIXEL
#undef ALSO
#undef ON
#undef COMPARE
#undef LIMIT
#undef HALF
#undef COUNT
#undef STEP_OF_ONE
#undef STEP_OF_TWO
#undef FIRST_PIXELS

#endif
