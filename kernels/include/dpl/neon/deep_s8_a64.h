/* Values of a tap of eight pixels by one output as a Cortex-A53 issues them (docs/cortex-a53.md).
 *
 * Sixteen values of a pixel take seven cycles, eight where they are not in whole halves: two less
 * the zero point, four products, and one that a load of 64 bits shares with the insertion of the
 * other half, which an integer register had before. The products of a pixel stand between what is
 * done to the next one's values and the loads of the one after: 61 cycles for 128 products.
 *
 * v16 and v17 hold weights; v20 and v21 values of pixels by turns, v22 and v23 or v18 and v19 those
 * less the zero point. x9 and x10 are where in a tap the next values and their second half are, x11
 * is that. */
#ifndef DPL_NEON_DEEP_S8_A64_H
#define DPL_NEON_DEEP_S8_A64_H

#include "dpl/neon/simd.h"

/* clang-format off */
/* The pixel whose sum is S and values V and W; what is after it has LOADED, to become MINE and OWN;
 * pixel P after that goes to LOADING. A to D are issued behind products. */
#define PIXEL(S, V, W, LOADED, MINE, OWN, LOADING, P, A, B, C, D)                                  \
    "ldr d" #LOADING ", [%[" #P "], x9]\n ins v" #LOADED ".d[1], x11\n"                            \
    "smlal %[" #S "].4s, v" #V ".4h, v16.4h\n ldr x11, [%[" #P "], x10]\n"                         \
    "smlal2 %[" #S "].4s, v" #V ".8h, v16.8h\n" A                                                  \
    "ssubl v" #MINE ".8h, v" #LOADED ".8b, %[zero].8b\n" B                                         \
    "smlal %[" #S "].4s, v" #W ".4h, v17.4h\n" C                                                   \
    "ssubl2 v" #OWN ".8h, v" #LOADED ".16b, %[zero].16b\n" D                                       \
    "smlal2 %[" #S "].4s, v" #W ".8h, v17.8h\n"
#define EVEN(S, P) PIXEL(S, 22, 23, 21, 18, 19, 20, P, "", "", "", "")
#define ODD(S, P) PIXEL(S, 18, 19, 20, 22, 23, 21, P, "", "", "", "")
/* clang-format on */

/* `turns` times sixteen values, one at least. Behind the last turn its own are loaded again. */
INLINED void add_sixteens_a53(const int8_t *const *from, int64_t turns, int8x16_t zero,
                              const int16_t *weights, int32x4_t *lanes) {
    /* clang-format off */
    __asm__("mov x9, #0\n mov x10, #8\n"
            "ldr q20, [%[p0]]\n ldr q16, [%[w]]\n ldr d21, [%[p1]]\n ldr x11, [%[p1], x10]\n"
            "ssubl v22.8h, v20.8b, %[zero].8b\n ssubl2 v23.8h, v20.16b, %[zero].16b\n"
            "ldr q17, [%[w], #16]\n"
            "1:\n"
            EVEN(s0, p2) ODD(s1, p3) EVEN(s2, p4) ODD(s3, p5) EVEN(s4, p6)
            PIXEL(s5, 18, 19, 20, 22, 23, 21, p7, "subs %[turns], %[turns], #1\n",
                  "add x12, x9, #16\n", "csel x9, x12, x9, ne\n", "add x10, x9, #8\n")
            PIXEL(s6, 22, 23, 21, 18, 19, 20, p0, "add x12, %[w], #32\n",
                  "csel %[w], x12, %[w], ne\n", "", "")
            PIXEL(s7, 18, 19, 20, 22, 23, 21, p1, "ldr q16, [%[w]]\n", "", "", "")
            "ldr q17, [%[w], #16]\n"
            "b.ne 1b\n"
            : [turns] "+&r"(turns), [w] "+&r"(weights), [s0] "+&w"(lanes[0]), [s1] "+&w"(lanes[1]),
              [s2] "+&w"(lanes[2]), [s3] "+&w"(lanes[3]), [s4] "+&w"(lanes[4]), [s5] "+&w"(lanes[5]),
              [s6] "+&w"(lanes[6]), [s7] "+&w"(lanes[7])
            : [p0] "r"(from[0]), [p1] "r"(from[1]), [p2] "r"(from[2]), [p3] "r"(from[3]),
              [p4] "r"(from[4]), [p5] "r"(from[5]), [p6] "r"(from[6]), [p7] "r"(from[7]),
              [zero] "w"(zero)
            : "x9", "x10", "x11", "x12", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23",
              "cc", "memory");
    /* clang-format on */
}

/* Eight values of the pixel whose sum is S: those of pixel P are in W, of the one after in V. */
#define EIGHT_OF(S, V, W, MINE, P)                                                                 \
    "ldr d" #W ", [%[" #P "], %[at]]\n"                                                            \
    "smlal %[" #S "].4s, v" #MINE ".4h, v16.4h\n"                                                  \
    "smlal2 %[" #S "].4s, v" #MINE ".8h, v16.8h\n"                                                 \
    "ssubl v" #MINE ".8h, v" #V ".8b, %[zero].8b\n"

/* The same of eight values, `at` bytes on: four cycles a pixel, five where they are not in whole
 * halves. Three pixels are loaded before the products of one. */
INLINED void add_eight_a53(const int8_t *const *from, int64_t at, int8x16_t zero,
                           const int16_t *weights, int32x4_t *lanes) {
    /* clang-format off */
    __asm__("ldr q16, [%[w]]\n ldr d17, [%[p0], %[at]]\n ldr d18, [%[p1], %[at]]\n"
            "ldr d19, [%[p2], %[at]]\n ssubl v20.8h, v17.8b, %[zero].8b\n"
            "ldr d17, [%[p3], %[at]]\n ssubl v21.8h, v18.8b, %[zero].8b\n"
            EIGHT_OF(s0, 19, 18, 20, p4) EIGHT_OF(s1, 17, 19, 21, p5) EIGHT_OF(s2, 18, 17, 20, p6)
            EIGHT_OF(s3, 19, 18, 21, p7)
            "smlal %[s4].4s, v20.4h, v16.4h\n smlal2 %[s4].4s, v20.8h, v16.8h\n"
            "ssubl v20.8h, v17.8b, %[zero].8b\n"
            "smlal %[s5].4s, v21.4h, v16.4h\n smlal2 %[s5].4s, v21.8h, v16.8h\n"
            "ssubl v21.8h, v18.8b, %[zero].8b\n"
            "smlal %[s6].4s, v20.4h, v16.4h\n smlal2 %[s6].4s, v20.8h, v16.8h\n"
            "smlal %[s7].4s, v21.4h, v16.4h\n smlal2 %[s7].4s, v21.8h, v16.8h\n"
            : [s0] "+&w"(lanes[0]), [s1] "+&w"(lanes[1]), [s2] "+&w"(lanes[2]),
              [s3] "+&w"(lanes[3]), [s4] "+&w"(lanes[4]), [s5] "+&w"(lanes[5]),
              [s6] "+&w"(lanes[6]), [s7] "+&w"(lanes[7])
            : [p0] "r"(from[0]), [p1] "r"(from[1]), [p2] "r"(from[2]), [p3] "r"(from[3]),
              [p4] "r"(from[4]), [p5] "r"(from[5]), [p6] "r"(from[6]), [p7] "r"(from[7]),
              [at] "r"(at), [w] "r"(weights), [zero] "w"(zero)
            : "v16", "v17", "v18", "v19", "v20", "v21", "memory");
    /* clang-format on */
}

#undef EIGHT_OF
#undef PIXEL
#undef EVEN
#undef ODD

#endif
