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
/* Four lanes of V from the second copy on, whose first two are in v4 and v5, to pixels from A on; B
 * and C are issued beside the last stores. */
#define FOUR_TO(T, V, K, L, A, B, C)                                                               \
    SCALAR_TO(T, 4, A) COPIED(T, 6, V, K) SCALAR_TO(T, 5, A ", %[step]") COPIED(T, 7, V, L)        \
    SCALAR_TO(T, 6, A ", x12") B SCALAR_TO(T, 7, A ", x13") C
/* The first two of the next four, of W, go where those of these were. */
#define FOUR_STORED(T, V, K, L, A, W, M, N)                                                        \
    FOUR_TO(T, V, K, L, A, COPIED(T, 4, W, M), COPIED(T, 5, W, N))
#define LAST_STORED(T, V, K, L) FOUR_TO(T, V, K, L, "x9", "", "")
/* Sixteen lanes that the names of vectors and lanes tell; x12 and x13 are two distances and three,
 * x14, x15 and x9 the fifth pixel, the ninth and the thirteenth. */
#define STORE_LINE(T, FOURS, ...)                                                                  \
    __asm__ volatile("add x12, %[step], %[step]\n" COPIED(T, 4, "x", 0)                           \
                     "add x13, x12, %[step]\n" COPIED(T, 5, "x", 1)                               \
                     "add x14, %[to], x12, lsl #1\n add x15, %[to], x12, lsl #2\n"                 \
                     "add x9, x14, x12, lsl #2\n" FOURS                                            \
                     :                                                                             \
                     : [to] "r"(to), [step] "r"(step), __VA_ARGS__                                 \
                     : "x9", "x12", "x13", "x14", "x15", "v4", "v5", "v6", "v7", "memory")
#define ONE_VECTOR(T) \
    FOUR_STORED(T, "x", 2, 3, "%[to]", "x", 4, 5) FOUR_STORED(T, "x", 6, 7, "x14", "x", 8, 9)                \
    FOUR_STORED(T, "x", 10, 11, "x15", "x", 12, 13) LAST_STORED(T, "x", 14, 15)
#define TWO_VECTORS(T) \
    FOUR_STORED(T, "x", 2, 3, "%[to]", "x", 4, 5) FOUR_STORED(T, "x", 6, 7, "x14", "y", 0, 1)                \
    FOUR_STORED(T, "y", 2, 3, "x15", "y", 4, 5) LAST_STORED(T, "y", 6, 7)
#define FOUR_VECTORS(T) \
    FOUR_STORED(T, "x", 2, 3, "%[to]", "y", 0, 1) FOUR_STORED(T, "y", 2, 3, "x14", "z", 0, 1)                \
    FOUR_STORED(T, "z", 2, 3, "x15", "w", 0, 1) LAST_STORED(T, "w", 2, 3)
/* Two lanes of each of four vectors; the first ones need no copy. Distances are S, TWICE and THRICE. */
#define STORE_EIGHT(X, Y, Z, W, TO, FIFTH, S, TWICE, THRICE)                                       \
    __asm__ volatile("dup d4, %[x].d[1]\n dup d5, %[y].d[1]\n"                                   \
                     "str %d[x], [%[to]]\n dup d6, %[z].d[1]\n str d4, [%[to], %[s]]\n"          \
                     "dup d7, %[w].d[1]\n str %d[y], [%[to], %[twice]]\n"                         \
                     "str d5, [%[to], %[thrice]]\n str %d[z], [%[fifth]]\n"                       \
                     "str d6, [%[fifth], %[s]]\n str %d[w], [%[fifth], %[twice]]\n"               \
                     "str d7, [%[fifth], %[thrice]]\n"                                            \
                     :                                                                             \
                     : [x] "w"(X), [y] "w"(Y), [z] "w"(Z), [w] "w"(W), [to] "r"(TO),               \
                       [fifth] "r"(FIFTH), [s] "r"(S), [twice] "r"(TWICE), [thrice] "r"(THRICE)    \
                     : "v4", "v5", "v6", "v7", "memory")
/* clang-format on */
#else
#define LANES_TO(STORE, V, COUNT)                                                                  \
    UNROLLED for (int i = 0; i < (COUNT); i++) {                                                   \
        STORE(to, V, i);                                                                           \
        to += step;                                                                                \
    }
#endif

#if ELEMENT_BYTES == 1
typedef int8x16_t line_channel; /* of sixteen pixels */

/* `o` has the last eight pixels of all channels behind the first ones. Limits of the type itself
 * are those of the narrowing to it. */
INLINED void line_channels(const int16x8_t *o, int channels, plane_bounds within,
                           line_channel *made) {
    UNROLLED for (int c = 0; c < channels; c++) {
        made[c] = vcombine_s8(vqmovn_s16(o[c]), vqmovn_s16(o[channels + c]));
    }
    if (within.high - within.low < UINT8_MAX) {
        const int8x16_t low = vdupq_n_s8((int8_t)within.low);
        const int8x16_t high = vdupq_n_s8((int8_t)within.high);
        UNROLLED for (int c = 0; c < channels; c++) {
            made[c] = vminq_s8(vmaxq_s8(made[c], low), high);
        }
    }
}

INLINED void store_one_in_line(const line_channel *made, int8_t *to, int64_t step) {
#ifdef __aarch64__
    STORE_LINE("b", ONE_VECTOR("b"), [x] "w"(made[0]));
#else
    LANES_TO(STORE_1, made[0], 16)
#endif
}

INLINED void store_two_in_line(const line_channel *made, int8_t *to, int64_t step) {
    const int8x16x2_t both = vzipq_s8(made[0], made[1]);
#ifdef __aarch64__
    STORE_LINE("h", TWO_VECTORS("h"), [x] "w"(both.val[0]), [y] "w"(both.val[1]));
#else
    LANES_TO(STORE_2, both.val[0], 8)
    LANES_TO(STORE_2, both.val[1], 8)
#endif
}

INLINED void store_four_in_line(const line_channel *made, int8_t *to, int64_t step) {
    const int8x16x2_t a = vzipq_s8(made[0], made[1]), b = vzipq_s8(made[2], made[3]);
    const int16x8x2_t first =
        vzipq_s16(vreinterpretq_s16_s8(a.val[0]), vreinterpretq_s16_s8(b.val[0]));
    const int16x8x2_t last =
        vzipq_s16(vreinterpretq_s16_s8(a.val[1]), vreinterpretq_s16_s8(b.val[1]));
#ifdef __aarch64__
    STORE_LINE("s", FOUR_VECTORS("s"), [x] "w"(first.val[0]), [y] "w"(first.val[1]),
               [z] "w"(last.val[0]), [w] "w"(last.val[1]));
#else
    LANES_TO(STORE_4, vreinterpretq_s8_s16(first.val[0]), 4)
    LANES_TO(STORE_4, vreinterpretq_s8_s16(first.val[1]), 4)
    LANES_TO(STORE_4, vreinterpretq_s8_s16(last.val[0]), 4)
    LANES_TO(STORE_4, vreinterpretq_s8_s16(last.val[1]), 4)
#endif
}
#else
typedef int16x8x2_t line_channel;

INLINED void line_channels(const int16x8_t *o, int channels, plane_bounds within,
                           line_channel *made) {
    const int limits = within.high - within.low < UINT16_MAX;
    UNROLLED for (int c = 0; c < channels; c++) {
        made[c].val[0] = limits ? limited(o[c], within) : o[c];
        made[c].val[1] = limits ? limited(o[channels + c], within) : o[channels + c];
    }
}

INLINED void store_one_in_line(const line_channel *made, int8_t *to, int64_t step) {
#ifdef __aarch64__
    STORE_LINE("h", TWO_VECTORS("h"), [x] "w"(made->val[0]), [y] "w"(made->val[1]));
#else
    LANES_TO(STORE_1, made->val[0], 8)
    LANES_TO(STORE_1, made->val[1], 8)
#endif
}

INLINED void store_two_in_line(const line_channel *made, int8_t *to, int64_t step) {
    const int16x8x2_t first = vzipq_s16(made[0].val[0], made[1].val[0]);
    const int16x8x2_t last = vzipq_s16(made[0].val[1], made[1].val[1]);
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

INLINED void store_four_in_line(const line_channel *made, int8_t *to, int64_t step) {
    UNROLLED for (int i = 0; i < 2; i++, to += 8 * step) {
        const int16x8x2_t even = vzipq_s16(made[0].val[i], made[2].val[i]);
        const int16x8x2_t odd = vzipq_s16(made[1].val[i], made[3].val[i]);
        const int16x8x2_t first = vzipq_s16(even.val[0], odd.val[0]);
        const int16x8x2_t last = vzipq_s16(even.val[1], odd.val[1]);
#ifdef __aarch64__
        STORE_EIGHT(first.val[0], first.val[1], last.val[0], last.val[1], to, to + 4 * step, step,
                    2 * step, 3 * step);
#else
        LANES_TO(STORE_4, first.val[0], 2)
        LANES_TO(STORE_4, first.val[1], 2)
        LANES_TO(STORE_4, last.val[0], 2)
        LANES_TO(STORE_4, last.val[1], 2)
        to -= 8 * step;
#endif
    }
}
#endif

/* One channel to five, a constant, of sixteen pixels `step` bytes apart. */
INLINED void store_in_line(const int16x8_t *o, int channels, plane_bounds within, int8_t *to,
                           int64_t step) {
    line_channel made[5];
    line_channels(o, channels, within, made);
    const int first = channels >= 4 ? 4 : channels >= 2 ? 2 : 0;
    if (first == 4) {
        store_four_in_line(made, to, step);
    } else if (first == 2) {
        store_two_in_line(made, to, step);
    }
    if (first < channels) {
        store_one_in_line(made + first, to + first * ELEMENT_BYTES, step);
    }
}

#endif
