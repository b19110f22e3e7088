/* Lanes of vectors to pixels that are equal distances apart, sixteen in all. Included behind the
 * elements of a type.
 *
 * A Cortex-A53 issues nothing beside a store of a lane, and half a cycle more finds its address.
 * The store of a scalar register shares its cycle with the copy of another lane to one, and takes
 * the distance from a general register: a cycle a store. */
#ifndef DPL_NEON_LINE_STORES_H
#define DPL_NEON_LINE_STORES_H

#include "dpl/neon/plane_bounds.h"
#include "dpl/neon/simd.h"

#ifdef __aarch64__
/* clang-format off */
/* Lane L of V, elements of type T, to scalar register R. */
#define COPIED(T, R, V, L) "dup " T #R ", %[" V "]." T "[" #L "]\n"
#define SCALAR_TO(T, R, AT) "str " T #R ", [" AT "]\n"
/* Four lanes of V from the second copy on, whose first two are in v28 and v29, to pixels from A on;
 * the first two of the next four, of W, go there again. */
#define FOUR_STORED(T, V, K, L, A, W, M, N)                                                        \
    SCALAR_TO(T, 28, A) COPIED(T, 30, V, K) SCALAR_TO(T, 29, A ", %[step]") COPIED(T, 31, V, L)    \
    SCALAR_TO(T, 30, A ", x12") COPIED(T, 28, W, M)                                                \
    SCALAR_TO(T, 31, A ", x13") COPIED(T, 29, W, N)
/* Sixteen lanes that the names of vectors and lanes tell; x12 and x13 are two distances and three,
 * x14, x15 and x9 the fifth pixel, the ninth and the thirteenth. */
#define STORE_LINE(T, FOURS, ...)                                                                  \
    __asm__ volatile("add x12, %[step], %[step]\n" COPIED(T, 28, "x", 0)                           \
                     "add x13, x12, %[step]\n" COPIED(T, 29, "x", 1)                               \
                     "add x14, %[to], x12, lsl #1\n add x15, %[to], x12, lsl #2\n"                 \
                     "add x9, x14, x12, lsl #2\n" FOURS                                            \
                     :                                                                             \
                     : [to] "r"(to), [step] "r"(step), __VA_ARGS__                                 \
                     : "x9", "x12", "x13", "x14", "x15", "v28", "v29", "v30", "v31", "memory")
#define ONE_VECTOR(T) \
    FOUR_STORED(T, "x", 2, 3, "%[to]", "x", 4, 5) FOUR_STORED(T, "x", 6, 7, "x14", "x", 8, 9)                \
    FOUR_STORED(T, "x", 10, 11, "x15", "x", 12, 13) FOUR_STORED(T, "x", 14, 15, "x9", "x", 0, 1)
#define TWO_VECTORS(T) \
    FOUR_STORED(T, "x", 2, 3, "%[to]", "x", 4, 5) FOUR_STORED(T, "x", 6, 7, "x14", "y", 0, 1)                \
    FOUR_STORED(T, "y", 2, 3, "x15", "y", 4, 5) FOUR_STORED(T, "y", 6, 7, "x9", "x", 0, 1)
#define FOUR_VECTORS(T) \
    FOUR_STORED(T, "x", 2, 3, "%[to]", "y", 0, 1) FOUR_STORED(T, "y", 2, 3, "x14", "z", 0, 1)                \
    FOUR_STORED(T, "z", 2, 3, "x15", "w", 0, 1) FOUR_STORED(T, "w", 2, 3, "x9", "x", 0, 1)
/* clang-format on */
#else
#define LANES_TO(STORE, V, COUNT)                                                                  \
    UNROLLED for (int i = 0; i < (COUNT); i++) {                                                   \
        STORE(to, V, i);                                                                           \
        to += step;                                                                                \
    }
#endif

#if ELEMENT_BYTES == 1
INLINED void store_one_in_line(const int16x8_t *o, plane_bounds within, int8_t *to, int64_t step) {
    const int8x16_t all = bytes_of(o[0], o[1], within);
#ifdef __aarch64__
    STORE_LINE("b", ONE_VECTOR("b"), [x] "w"(all));
#else
    LANES_TO(STORE_1, all, 16)
#endif
}

INLINED void store_two_in_line(const int16x8_t *o, plane_bounds within, int8_t *to, int64_t step) {
    const int8x16x2_t both = vzipq_s8(bytes_of(o[0], o[2], within), bytes_of(o[1], o[3], within));
#ifdef __aarch64__
    STORE_LINE("h", TWO_VECTORS("h"), [x] "w"(both.val[0]), [y] "w"(both.val[1]));
#else
    LANES_TO(STORE_2, both.val[0], 8)
    LANES_TO(STORE_2, both.val[1], 8)
#endif
}
#else
/* What they take is limited already. */
INLINED void store_one_in_line(const int16x8_t *o, plane_bounds within, int8_t *to, int64_t step) {
    (void)within;
#ifdef __aarch64__
    STORE_LINE("h", TWO_VECTORS("h"), [x] "w"(o[0]), [y] "w"(o[1]));
#else
    LANES_TO(STORE_1, o[0], 8)
    LANES_TO(STORE_1, o[1], 8)
#endif
}

INLINED void store_two_in_line(const int16x8_t *o, plane_bounds within, int8_t *to, int64_t step) {
    const int16x8x2_t first = vzipq_s16(o[0], o[1]), last = vzipq_s16(o[2], o[3]);
    (void)within;
#ifdef __aarch64__
    STORE_LINE("s", FOUR_VECTORS("s"), [x] "w"(first.val[0]), [y] "w"(first.val[1]),
               [z] "w"(last.val[0]), [w] "w"(last.val[1]));
#else
    LANES_TO(STORE_2, first.val[0], 4)
    LANES_TO(STORE_2, first.val[1], 4)
    LANES_TO(STORE_2, last.val[0], 4)
    LANES_TO(STORE_2, last.val[1], 4)
#endif
}
#endif

#endif
