/* Runs of bytes in words at any address: RI5CY reads and writes them, in two cycles where they
 * are not aligned, but C for a core without that would go byte by byte. */
#ifndef DPL_PULP_BYTES_H
#define DPL_PULP_BYTES_H

#include <stdint.h>

/* The value in each byte of a word. */
static inline uint32_t dpl_bytes_of(int32_t value) {
    return (uint32_t)(uint8_t)value * 0x01010101u;
}

/* Whole words, at least one: lp.setup of two instructions, then p.lw and p.sw. */
static inline void dpl_copy_words(int8_t *to, const int8_t *from, int32_t words) {
    int32_t word;
    __asm__ volatile(".insn i 0x7b, 4, x0, %3, 4\n"
                     ".insn i 0x0b, 2, %2, 4(%1)\n"
                     ".insn s 0x2b, 2, %2, 4(%0)\n"
                     : "+r"(to), "+r"(from), "=&r"(word)
                     : "r"(words)
                     : "memory");
}

/* The runs have no byte in common. Where the last word is not whole, it is the last four bytes. */
static inline void dpl_copy_bytes(int8_t *to, const int8_t *from, int32_t count) {
    if (count >= 4) {
        dpl_copy_words(to, from, count >> 2);
        if (count & 3) {
            dpl_copy_words(to + count - 4, from + count - 4, 1);
        }
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        to[i] = from[i];
    }
}

/* At least one word. */
static inline void dpl_fill_words(int8_t *to, uint32_t word, int32_t words) {
    int8_t *last = to + 4 * (words - 1);
    words >>= 1;
    if (words > 0) {
        __asm__ volatile(".insn i 0x7b, 4, x0, %2, 4\n"
                         ".insn s 0x2b, 2, %1, 4(%0)\n"
                         ".insn s 0x2b, 2, %1, 4(%0)\n"
                         : "+r"(to)
                         : "r"(word), "r"(words)
                         : "memory");
    }
    *(uint32_t *)(void *)last = word;
}

static inline void dpl_fill_bytes(int8_t *to, int8_t value, int32_t count) {
    const uint32_t word = dpl_bytes_of(value);
    for (; count >= 4; count -= 4) {
        __asm__ volatile(".insn s 0x2b, 2, %1, 4(%0)\n" : "+r"(to) : "r"(word) : "memory");
    }
    for (int32_t i = 0; i < count; i++) {
        to[i] = value;
    }
}

#endif
