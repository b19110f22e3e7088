/* Products of four pixels of one tensor with four of another (four_by_pixels.S). */
#ifndef DPL_PULP_PRODUCTS_H
#define DPL_PULP_PRODUCTS_H

#include <stdint.h>

enum { DPL_SIDE_PIXELS = 4 };

/* A pixel, and the bytes from it to three others. The assembler has these offsets, too. */
typedef struct {
    const int8_t *first;
    int32_t others[DPL_SIDE_PIXELS - 1];
} dpl_side;

typedef struct {
    dpl_side left, right;
    int32_t words; /* of a pixel, whole ones */
    uint32_t mask; /* of the values of one behind them, 0 where there are none */
} dpl_pixel_products;

/* sums[4 * right + left], of bytes as they are. */
void dpl_four_by_pixels(const dpl_pixel_products *p, int32_t *sums);

/* The sum of whole words of bytes, at least one: a loop of p.lw and pv.sdotsp.b with ones. */
static inline int32_t dpl_sum_words(const int8_t *from, int32_t words) {
    int32_t sum = 0, word;
    __asm__ volatile(".insn i 0x7b, 4, x0, %3, 4\n"
                     ".insn i 0x0b, 2, %2, 4(%1)\n"
                     ".insn r 0x57, 1, 0x5c, %0, %2, %4\n"
                     : "+r"(sum), "+r"(from), "=&r"(word)
                     : "r"(words), "r"(0x01010101)
                     : "memory");
    return sum;
}

static inline int32_t dpl_sum_bytes(const int8_t *x, int32_t count) {
    const int32_t words = count >> 2;
    int32_t sum = words > 0 ? dpl_sum_words(x, words) : 0;
    for (int32_t i = 4 * words; i < count; i++) {
        sum += x[i];
    }
    return sum;
}

#endif
