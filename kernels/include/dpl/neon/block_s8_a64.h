/* The sums of four pixels by four channels as a Cortex-A53 issues them.
 *
 * A cycle issues one operation on 128 bits, beside which an integer load or an addition is free. A
 * load of 64 bits to a vector register takes a cycle that it shares with the insertion of the other
 * half, which came by an integer register: so a vector of 16 bytes takes one cycle. Sixteen vectors
 * and eighty operations make 96 cycles for 512 products; operations that depend on each other are
 * four apart.
 *
 * v0 to v3 and v4 to v7 hold the first and the last sixteen values of the pixels, v8 to v11 those
 * of weights, v12 to v15 sums of 16 bits, v16 on those of 32, four channels a pixel. */
#ifndef DPL_NEON_BLOCK_S8_A64_H
#define DPL_NEON_BLOCK_S8_A64_H

#include <stdint.h>

/* Four operations on the pixels, with what is issued behind each. */
#define MULL(W, E, F, G, H)                                                                        \
    "smull v12.8h, v0.8b, v" #W ".8b\n" E "smull v13.8h, v1.8b, v" #W ".8b\n" F                    \
    "smull v14.8h, v2.8b, v" #W ".8b\n" G "smull v15.8h, v3.8b, v" #W ".8b\n" H
#define MLAL2(W, E, F, G, H)                                                                       \
    "smlal2 v12.8h, v0.16b, v" #W ".16b\n" E "smlal2 v13.8h, v1.16b, v" #W ".16b\n" F              \
    "smlal2 v14.8h, v2.16b, v" #W ".16b\n" G "smlal2 v15.8h, v3.16b, v" #W ".16b\n" H
#define LAST_MLAL(W, E, F, G, H)                                                                   \
    "smlal v12.8h, v4.8b, v" #W ".8b\n" E "smlal v13.8h, v5.8b, v" #W ".8b\n" F                    \
    "smlal v14.8h, v6.8b, v" #W ".8b\n" G "smlal v15.8h, v7.8b, v" #W ".8b\n" H
#define LAST_MLAL2(W, E, F, G, H)                                                                  \
    "smlal2 v12.8h, v4.16b, v" #W ".16b\n" E "smlal2 v13.8h, v5.16b, v" #W ".16b\n" F              \
    "smlal2 v14.8h, v6.16b, v" #W ".16b\n" G "smlal2 v15.8h, v7.16b, v" #W ".16b\n" H
#define ADALP(A, B, C, D, E, F, G, H)                                                              \
    "sadalp v" #A ".4s, v12.8h\n" E "sadalp v" #B ".4s, v13.8h\n" F "sadalp v" #C                  \
    ".4s, v14.8h\n" G "sadalp v" #D ".4s, v15.8h\n" H

/* The first half of vector V from FROM, and the last of PREVIOUS from X; X from FROM. */
#define LOAD(V, FROM, PREVIOUS, X)                                                                 \
    "ldr d" #V ", [" FROM "]\n"                                                                    \
    "ins v" #PREVIOUS ".d[1], " X "\n"
#define HALF(X, FROM) "ldr " X ", [" FROM "]\n"
#define NO ""

/* `quads` times 32 values, then `pairs` times 16. Of the last values loads for the next repeat
 * what was loaded: nothing is read behind a pixel, and of weights no more than a piece's tables. */
static inline void sum_4x4_a53(const int8_t *const *pixel, const int8_t *weights, int64_t quads,
                               int64_t pairs, int32_t *sums) {
    const int8_t *p0 = pixel[0], *p1 = pixel[1], *p2 = pixel[2], *p3 = pixel[3];
    __asm__ volatile(
        "movi v16.4s, #0\n movi v17.4s, #0\n movi v18.4s, #0\n movi v19.4s, #0\n"
        "movi v20.4s, #0\n movi v21.4s, #0\n movi v22.4s, #0\n movi v23.4s, #0\n"
        "movi v24.4s, #0\n movi v25.4s, #0\n movi v26.4s, #0\n movi v27.4s, #0\n"
        "movi v28.4s, #0\n movi v29.4s, #0\n movi v30.4s, #0\n movi v31.4s, #0\n"
        "ldr q0, [%[p0]]\n ldr q1, [%[p1]]\n ldr q2, [%[p2]]\n ldr q3, [%[p3]]\n"
        "ldr q8, [%[w]]\n"
        "cbz %[quads], 2f\n"
        "ldr q4, [%[p0], #16]\n ldr q5, [%[p1], #16]\n ldr q6, [%[p2], #16]\n"
        "ldr d7, [%[p3], #16]\n ldr x13, [%[p3], #24]\n"
        "ldr q9, [%[w], #64]\n"
        "1:\n"
        /* x10: to the next values; x11 and x12: from there to the last sixteen, 0 at the end */
        "subs %[quads], %[quads], #1\n"
        "mov x10, #32\n"
        "mov x11, #16\n"
        "csel x11, xzr, x11, eq\n"
        "cset x12, eq\n"
        "bic x12, x12, %[more]\n"
        "sub x10, x10, x12, lsl #5\n"
        "add x12, x11, #8\n" MULL(
            8, NO, LOAD(10, "%[w], #16", 7, "x13"), HALF("x14", "%[w], #24"),
            NO) MLAL2(8, NO, LOAD(11, "%[w], #80", 10, "x14"), HALF("x13", "%[w], #88"),
                      NO) LAST_MLAL(9, NO, LOAD(8, "%[w], #32", 11, "x13"),
                                    HALF("x14", "%[w], #40"),
                                    NO) LAST_MLAL2(9, NO, NO, NO,
                                                   NO) ADALP(16, 20, 24, 28, NO,
                                                             LOAD(9, "%[w], #96", 8, "x14"),
                                                             HALF("x13", "%[w], #104"), NO)

            MULL(10, NO, NO, NO,
                 NO) MLAL2(10, NO, NO, NO,
                           NO) LAST_MLAL(11, NO, LOAD(10, "%[w], #48", 9, "x13"),
                                         HALF("x14", "%[w], #56"), NO)
                LAST_MLAL2(11, NO, NO, NO,
                           NO) ADALP(17, 21, 25, 29, NO, LOAD(11, "%[w], #112", 10, "x14"),
                                     HALF("x13", "%[w], #120"), "add %[w], %[w], #128\n")

                    MULL(8, NO, NO, NO,
                         NO) MLAL2(8, NO, NO, NO,
                                   "add %[p0], %[p0], x10\n") LAST_MLAL(9, NO,
                                                                        LOAD(8, "%[w]", 11, "x13"), HALF("x14", "%[w], #8"),
                                                                        "add %[p1], %[p1], x10\n")
                        LAST_MLAL2(9, NO, NO, NO, "add %[p2], %[p2], x10\n") ADALP(
                            18,
                            22,
                            26,
                            30,
                            NO,
                            LOAD(9, "%[w], #64", 8, "x14"), HALF("x13", "%[w], #72"),
                            "add %[p3], %[p3], x10\n")

                            MULL(10, NO, NO, NO,
                                 NO) MLAL2(10, LOAD(0, "%[p0]", 9, "x13"), HALF("x14", "%[p0], #8"),
                                           LOAD(1, "%[p1]", 0, "x14"),
                                           HALF("x13", "%[p1], #8"))
                                LAST_MLAL(
                                    11,
                                    LOAD(2, "%[p2]", 1, "x13"),
                                    HALF("x14", "%[p2], #8"),
                                    LOAD(3, "%[p3]", 2, "x14"),
                                    HALF("x13",
                                         "%[p3], #8")) LAST_MLAL2(11,
                                                                  LOAD(4, "%[p0], x11", 3, "x13"),
                                                                  HALF("x14", "%[p0], x12"),
                                                                  LOAD(5, "%[p1], x11", 4, "x14"),
                                                                  HALF("x13", "%[p1], x12"))
                                    ADALP(
                                        19,
                                        23,
                                        27,
                                        31,
                                        LOAD(6, "%[p2], x11", 5, "x13"),
                                        HALF("x14", "%[p2], x12"),
                                        LOAD(7, "%[p3], x11", 6, "x14"),
                                        HALF(
                                            "x13",
                                            "%[p3], x12")) "cbnz %[quads], 1b\n"
                                                           "2:\n"
                                                           "cbz %[pairs], 4f\n"
                                                           "ldr d10, [%[w], #16]\n ldr x13, [%[w], "
                                                           "#24]\n"
                                                           "3:\n"
                                                           "subs %[pairs], %[pairs], #1\n"
                                                           "mov x10, #16\n"
                                                           "csel x10, xzr, x10, eq\n" MULL(8, NO, NO, NO, "add %[p0], %[p0], x10\n") MLAL2(
                                                               8, NO,
                                                               LOAD(9, "%[w], #32", 10, "x13"),
                                                               HALF("x14", "%[w], #40"),
                                                               "add %[p1], %[p1], x10\n")
                                                               ADALP(16, 20, 24, 28, NO,
                                                                     LOAD(11, "%[w], #48", 9,
                                                                          "x14"),
                                                                     HALF("x13", "%[w], #56"),
                                                                     "add %[w], %[w], #64\n")

                                                                   MULL(10, NO, NO, NO, "add %[p2], %[p2], x10\n") MLAL2(
                                                                       10,
                                                                       NO,
                                                                       NO,
                                                                       NO, "add %[p3], %[p3], x10\n")
                                                                       ADALP(17, 21, 25, 29, NO,
                                                                             LOAD(8, "%[w]", 11,
                                                                                  "x13"),
                                                                             HALF("x14",
                                                                                  "%[w], #8"),
                                                                             NO)

                                                                           MULL(9, NO, NO, NO, NO) MLAL2(9, NO, NO, NO, NO) ADALP(
                                                                               18,
                                                                               22,
                                                                               26,
                                                                               30,
                                                                               NO,
                                                                               LOAD(10, "%[w], #16",
                                                                                    8,
                                                                                    "x14"),
                                                                               HALF("x13",
                                                                                    "%[w], "
                                                                                    "#24"),
                                                                               NO)

                                                                               MULL(11, NO, NO, NO, NO) MLAL2(
                                                                                   11,
                                                                                   LOAD(0, "%[p0]",
                                                                                        10,
                                                                                        "x13"),
                                                                                   HALF("x14",
                                                                                        "%[p0],"
                                                                                        " #8"),
                                                                                   LOAD(1, "%[p1]",
                                                                                        0,
                                                                                        "x14"),
                                                                                   HALF("x13",
                                                                                        "%[p1],"
                                                                                        " #8"))
                                                                                   ADALP(
                                                                                       19,
                                                                                       23,
                                                                                       27,
                                                                                       31,
                                                                                       LOAD(2,
                                                                                            "%["
                                                                                            "p2"
                                                                                            "]",
                                                                                            1,
                                                                                            "x1"
                                                                                            "3"),
                                                                                       HALF("x1"
                                                                                            "4",
                                                                                            "%["
                                                                                            "p2]"
                                                                                            ", "
                                                                                            "#"
                                                                                            "8"),
                                                                                       LOAD(3,
                                                                                            "%["
                                                                                            "p3"
                                                                                            "]",
                                                                                            2,
                                                                                            "x1"
                                                                                            "4"),
                                                                                       HALF(
                                                                                           "x1"
                                                                                           "3",
                                                                                           "%["
                                                                                           "p3]"
                                                                                           ", "
                                                                                           "#"
                                                                                           "8")) "i"
                                                                                                 "n"
                                                                                                 "s"
                                                                                                 " "
                                                                                                 "v"
                                                                                                 "3"
                                                                                                 "."
                                                                                                 "d"
                                                                                                 "["
                                                                                                 "1"
                                                                                                 "]"
                                                                                                 ","
                                                                                                 " "
                                                                                                 "x"
                                                                                                 "1"
                                                                                                 "3"
                                                                                                 "\n"
                                                                                                 "l"
                                                                                                 "d"
                                                                                                 "r"
                                                                                                 " "
                                                                                                 "x"
                                                                                                 "1"
                                                                                                 "3"
                                                                                                 ","
                                                                                                 " "
                                                                                                 "["
                                                                                                 "%"
                                                                                                 "["
                                                                                                 "w"
                                                                                                 "]"
                                                                                                 ","
                                                                                                 " "
                                                                                                 "#"
                                                                                                 "2"
                                                                                                 "4"
                                                                                                 "]"
                                                                                                 "\n"
                                                                                                 "c"
                                                                                                 "b"
                                                                                                 "n"
                                                                                                 "z"
                                                                                                 " "
                                                                                                 "%"
                                                                                                 "["
                                                                                                 "p"
                                                                                                 "a"
                                                                                                 "i"
                                                                                                 "r"
                                                                                                 "s"
                                                                                                 "]"
                                                                                                 ","
                                                                                                 " "
                                                                                                 "3"
                                                                                                 "b"
                                                                                                 "\n"
                                                                                                 "4"
                                                                                                 ":"
                                                                                                 "\n"
                                                                                                 "a"
                                                                                                 "d"
                                                                                                 "d"
                                                                                                 "p"
                                                                                                 " "
                                                                                                 "v"
                                                                                                 "1"
                                                                                                 "6"
                                                                                                 "."
                                                                                                 "4"
                                                                                                 "s"
                                                                                                 ","
                                                                                                 " "
                                                                                                 "v"
                                                                                                 "1"
                                                                                                 "6"
                                                                                                 "."
                                                                                                 "4"
                                                                                                 "s"
                                                                                                 ","
                                                                                                 " "
                                                                                                 "v"
                                                                                                 "1"
                                                                                                 "7"
                                                                                                 "."
                                                                                                 "4"
                                                                                                 "s"
                                                                                                 "\n addp v18.4s, v18.4s, v19.4s\n"
                                                                                                 "a"
                                                                                                 "d"
                                                                                                 "d"
                                                                                                 "p"
                                                                                                 " "
                                                                                                 "v"
                                                                                                 "2"
                                                                                                 "0"
                                                                                                 "."
                                                                                                 "4"
                                                                                                 "s"
                                                                                                 ","
                                                                                                 " "
                                                                                                 "v"
                                                                                                 "2"
                                                                                                 "0"
                                                                                                 "."
                                                                                                 "4"
                                                                                                 "s"
                                                                                                 ","
                                                                                                 " "
                                                                                                 "v"
                                                                                                 "2"
                                                                                                 "1"
                                                                                                 "."
                                                                                                 "4"
                                                                                                 "s"
                                                                                                 "\n addp v22.4s, v22.4s, v23.4s\n"
                                                                                                 "a"
                                                                                                 "d"
                                                                                                 "d"
                                                                                                 "p"
                                                                                                 " "
                                                                                                 "v"
                                                                                                 "2"
                                                                                                 "4"
                                                                                                 "."
                                                                                                 "4"
                                                                                                 "s"
                                                                                                 ","
                                                                                                 " "
                                                                                                 "v"
                                                                                                 "2"
                                                                                                 "4"
                                                                                                 "."
                                                                                                 "4"
                                                                                                 "s"
                                                                                                 ","
                                                                                                 " "
                                                                                                 "v"
                                                                                                 "2"
                                                                                                 "5"
                                                                                                 "."
                                                                                                 "4"
                                                                                                 "s"
                                                                                                 "\n addp v26.4s, v26.4s, v27.4s\n"
                                                                                                 "a"
                                                                                                 "d"
                                                                                                 "d"
                                                                                                 "p"
                                                                                                 " "
                                                                                                 "v"
                                                                                                 "2"
                                                                                                 "8"
                                                                                                 "."
                                                                                                 "4"
                                                                                                 "s"
                                                                                                 ","
                                                                                                 " "
                                                                                                 "v"
                                                                                                 "2"
                                                                                                 "8"
                                                                                                 "."
                                                                                                 "4"
                                                                                                 "s"
                                                                                                 ","
                                                                                                 " "
                                                                                                 "v"
                                                                                                 "2"
                                                                                                 "9"
                                                                                                 "."
                                                                                                 "4"
                                                                                                 "s"
                                                                                                 "\n addp v30.4s, v30.4s, v31.4s\n"
                                                                                                 "a"
                                                                                                 "d"
                                                                                                 "d"
                                                                                                 "p"
                                                                                                 " "
                                                                                                 "v"
                                                                                                 "1"
                                                                                                 "6"
                                                                                                 "."
                                                                                                 "4"
                                                                                                 "s"
                                                                                                 ","
                                                                                                 " "
                                                                                                 "v"
                                                                                                 "1"
                                                                                                 "6"
                                                                                                 "."
                                                                                                 "4"
                                                                                                 "s"
                                                                                                 ","
                                                                                                 " "
                                                                                                 "v"
                                                                                                 "1"
                                                                                                 "8"
                                                                                                 "."
                                                                                                 "4"
                                                                                                 "s"
                                                                                                 "\n addp v17.4s, v20.4s, v22.4s\n"
                                                                                                 "a"
                                                                                                 "d"
                                                                                                 "d"
                                                                                                 "p"
                                                                                                 " "
                                                                                                 "v"
                                                                                                 "1"
                                                                                                 "8"
                                                                                                 "."
                                                                                                 "4"
                                                                                                 "s"
                                                                                                 ","
                                                                                                 " "
                                                                                                 "v"
                                                                                                 "2"
                                                                                                 "4"
                                                                                                 "."
                                                                                                 "4"
                                                                                                 "s"
                                                                                                 ","
                                                                                                 " "
                                                                                                 "v"
                                                                                                 "2"
                                                                                                 "6"
                                                                                                 "."
                                                                                                 "4"
                                                                                                 "s"
                                                                                                 "\n addp v19.4s, v28.4s, v30.4s\n"
                                                                                                 "s"
                                                                                                 "t"
                                                                                                 "1"
                                                                                                 " "
                                                                                                 "{"
                                                                                                 "v"
                                                                                                 "1"
                                                                                                 "6"
                                                                                                 "."
                                                                                                 "4"
                                                                                                 "s"
                                                                                                 ","
                                                                                                 " "
                                                                                                 "v"
                                                                                                 "1"
                                                                                                 "7"
                                                                                                 "."
                                                                                                 "4"
                                                                                                 "s"
                                                                                                 ","
                                                                                                 " "
                                                                                                 "v"
                                                                                                 "1"
                                                                                                 "8"
                                                                                                 "."
                                                                                                 "4"
                                                                                                 "s"
                                                                                                 ","
                                                                                                 " "
                                                                                                 "v"
                                                                                                 "1"
                                                                                                 "9"
                                                                                                 "."
                                                                                                 "4"
                                                                                                 "s"
                                                                                                 "}"
                                                                                                 ","
                                                                                                 " "
                                                                                                 "["
                                                                                                 "%"
                                                                                                 "["
                                                                                                 "s"
                                                                                                 "u"
                                                                                                 "m"
                                                                                                 "s"
                                                                                                 "]"
                                                                                                 "]"
                                                                                                 "\n"
        : [p0] "+r"(p0), [p1] "+r"(p1), [p2] "+r"(p2), [p3] "+r"(p3), [w] "+r"(weights),
          [quads] "+r"(quads), [pairs] "+r"(pairs)
        : [sums] "r"(sums), [more] "r"((int64_t)(pairs > 0))
        : "x10", "x11", "x12", "x13", "x14", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8",
          "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21",
          "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31", "cc", "memory");
}

#endif
