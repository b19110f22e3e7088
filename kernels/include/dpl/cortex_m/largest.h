/* The largest byte of a row. */
#ifndef DPL_CORTEX_M_LARGEST_H
#define DPL_CORTEX_M_LARGEST_H

#include "dpl/cortex_m/bytes.h"

/* The largest of four or more: the last word is one over those before. */
static int32_t largest_of_words(const int8_t *row, int32_t count) {
    uint32_t best = load_word(row + count - 4);
    for (int32_t i = 0; i + 4 <= count; i += 4) {
        best = larger_bytes(best, load_word(row + i));
    }
    best = larger_bytes(best, best >> 16);
    return (int8_t)larger_bytes(best, best >> 8);
}

#endif
