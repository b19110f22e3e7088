/* From the sums of a tile to its four outputs as a Cortex-A53 issues them (docs/cortex-a53.md).
 *
 * A vector of sums takes one cycle: its first half shares it with the insertion of another one's
 * last half, which an integer load beside an addition brought. Four channels take 16 such cycles
 * and 28 operations. What a vector load of the compiler's takes, two cycles, would make it 60.
 *
 * v0 to v3 hold the sums of a column of the first, third ... columns, v4 to v7 those of the others,
 * v16 to v19 the outputs of the first four channels, v20 to v23 those of the last. */
#ifndef DPL_NEON_WINOGRAD_OUTPUT_A64_H
#define DPL_NEON_WINOGRAD_OUTPUT_A64_H

#include "dpl/neon/winograd.h"

/* clang-format off */
#define OP(NAME, TO, A, B) NAME " v" #TO ".4s, v" #A ".4s, v" #B ".4s\n"
#define QUARTER(V) "sshr v" #V ".4s, v" #V ".4s, #2\n"
#define HALF(X, AT) "ldr " X ", [%[sums], #" AT " + 8]\n"
#define LOAD(V, AT) "ldr d" #V ", [%[sums], #" AT "]\n"
#define LAST(V, X) "ins v" #V ".d[1], " X "\n"

/* A column M, B, C, D downwards, its sums to TOP and BOTTOM. XA to XD bring last halves of the
 * column after the next, LA to LD the next one, R1 to R4 are operations on outputs. */
#define COLUMN(M, B, C, D, TOP, BOTTOM, XA, XB, XC, XD, LA, LB, LC, LD, R1, R2, R3, R4)            \
    OP("add", M, M, B) XA LA                                                                       \
    OP("sub", B, B, C) XB                                                                          \
    OP("add", TOP, M, C) XC LB                                                                     \
    OP("sub", BOTTOM, B, D) XD R1 LC R2 R3 LD R4

/* The same for even and odd columns; AT is where the next one's sums are, FAR those of the one
 * behind it. */
#define EVEN(TOP, BOTTOM, AT, FAR, R1, R2, R3, R4)                                                 \
    COLUMN(0, 1, 2, 3, TOP, BOTTOM,                                                                \
           HALF("x9", FAR), HALF("x10", FAR "+1024"), HALF("x11", FAR "+2048"),                    \
           HALF("x12", FAR "+3072"),                                                               \
           LOAD(4, AT) LAST(3, "x12"), LOAD(5, AT "+1024") LAST(4, "x13"),                         \
           LOAD(6, AT "+2048") LAST(5, "x14"), LOAD(7, AT "+3072") LAST(6, "x15"), R1, R2, R3, R4)
#define ODD(TOP, BOTTOM, AT, FAR, R1, R2, R3, R4)                                                  \
    COLUMN(4, 5, 6, 7, TOP, BOTTOM,                                                                \
           HALF("x13", FAR), HALF("x14", FAR "+1024"), HALF("x15", FAR "+2048"),                   \
           HALF("x16", FAR "+3072"),                                                               \
           LOAD(0, AT) LAST(7, "x16"), LOAD(1, AT "+1024") LAST(0, "x9"),                          \
           LOAD(2, AT "+2048") LAST(1, "x10"), LOAD(3, AT "+3072") LAST(2, "x11"), R1, R2, R3, R4)

/* `outputs`: of the first four channels row after row, then of the last. */
INLINED void transform_sums_a53(const int32_t *sums, int32x4_t *outputs) {
    register int32x4_t a __asm__("v16"), b __asm__("v17"), c __asm__("v18"), d __asm__("v19");
    register int32x4_t e __asm__("v20"), f __asm__("v21"), g __asm__("v22"), h __asm__("v23");
    __asm__(
        HALF("x9", "0") HALF("x10", "1024") HALF("x11", "2048") HALF("x12", "3072")
        LOAD(0, "0") LOAD(1, "1024") LOAD(2, "2048") LAST(0, "x9") LOAD(3, "3072") LAST(1, "x10")
        HALF("x13", "256") HALF("x14", "256+1024") LAST(2, "x11")
        HALF("x15", "256+2048") HALF("x16", "256+3072")
        EVEN(16, 18, "256", "512", "", "", "", "")
        ODD(17, 19, "512", "768", OP("add", 16, 16, 17), OP("add", 18, 18, 19), "", "")
        EVEN(0, 1, "768", "16", OP("add", 16, 16, 0), OP("sub", 17, 17, 0), OP("add", 18, 18, 1),
             OP("sub", 19, 19, 1))
        ODD(4, 5, "16", "256+16", QUARTER(16), OP("sub", 17, 17, 4), OP("sub", 19, 19, 5),
            QUARTER(18))
        EVEN(20, 22, "256+16", "512+16", QUARTER(17), QUARTER(19), "", "")
        ODD(21, 23, "512+16", "768+16", OP("add", 20, 20, 21), OP("add", 22, 22, 23), "", "")
        COLUMN(0, 1, 2, 3, 0, 1, "", "", "", "", LOAD(4, "768+16") LAST(3, "x12"),
               LOAD(5, "768+16+1024") LAST(4, "x13"), LOAD(6, "768+16+2048") LAST(5, "x14"),
               LOAD(7, "768+16+3072") LAST(6, "x15"), OP("add", 20, 20, 0), OP("sub", 21, 21, 0),
               OP("add", 22, 22, 1), OP("sub", 23, 23, 1))
        COLUMN(4, 5, 6, 7, 4, 5, "", "", "", "", LAST(7, "x16"), "", "", "", QUARTER(20),
               OP("sub", 21, 21, 4), OP("sub", 23, 23, 5), QUARTER(22))
        QUARTER(21) QUARTER(23)
        : "=w"(a), "=w"(b), "=w"(c), "=w"(d), "=w"(e), "=w"(f), "=w"(g), "=w"(h)
        : [sums] "r"(sums), "m"(*(const int32_t(*)[POSITIONS * SUMS])sums)
        : "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "v0", "v1", "v2", "v3", "v4",
          "v5", "v6", "v7");
    outputs[0] = a, outputs[1] = b, outputs[2] = c, outputs[3] = d;
    outputs[4] = e, outputs[5] = f, outputs[6] = g, outputs[7] = h;
}
/* clang-format on */

#undef OP
#undef QUARTER
#undef HALF
#undef LOAD
#undef LAST
#undef COLUMN
#undef EVEN
#undef ODD

_Static_assert(SUMS * sizeof(int32_t) == 256, "from a position's sums to the next");

#endif
