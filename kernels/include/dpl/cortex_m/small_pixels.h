/* Copies of pixels of less than a word that lie apart: gathered to words where the output has no
 * gaps, since a store of a byte costs as much. */
#ifndef DPL_CORTEX_M_SMALL_PIXELS_H
#define DPL_CORTEX_M_SMALL_PIXELS_H

#include "dpl/cortex_m/simd.h"

/* Pitches are in bytes. What moves on are copies: a store of a byte could change the fields. */
typedef struct {
    const int8_t *from;
    int32_t from_pitch;
    int8_t *to;
    int32_t to_pitch, count;
} small_pixels;

static inline uint32_t byte_at(const int8_t *from) {
    return (uint8_t)*from;
}

static inline uint32_t half_at(const int8_t *from) {
    uint16_t half;
    __builtin_memcpy(&half, from, sizeof half);
    return half;
}

static void gather_bytes(const int8_t *from, int32_t pitch, int8_t *to, int32_t words) {
    const int8_t *second = from + pitch;
    for (; words > 0; words--, from += 4 * pitch, second += 4 * pitch, to += 4) {
        const uint32_t even = byte_at(from) | byte_at(from + 2 * pitch) << 16;
        const uint32_t odd = byte_at(second) | byte_at(second + 2 * pitch) << 16;
        store_word(to, even | odd << 8);
    }
}

static void gather_halves(const int8_t *from, int32_t pitch, int8_t *to, int32_t words) {
    const int8_t *second = from + pitch;
    for (; words > 0; words--, from += 2 * pitch, second += 2 * pitch, to += 4) {
        store_word(to, half_at(from) | half_at(second) << 16);
    }
}

/* The fourth byte of a word is the next pixel's, which follows. */
static void gather_threes(const int8_t *from, int32_t pitch, int8_t *to, int32_t words) {
    for (; words > 0; words--, from += pitch, to += 3) {
        store_word(to, load_word(from));
    }
}

/* Pixels that words take. */
static int32_t gathered(const small_pixels *p, int32_t bytes) {
    if (p->to_pitch != bytes) {
        return 0;
    }
    if (bytes == 1) {
        gather_bytes(p->from, p->from_pitch, p->to, p->count / 4);
        return p->count & -4;
    }
    if (bytes == 2) {
        gather_halves(p->from, p->from_pitch, p->to, p->count / 2);
        return p->count & -2;
    }
    gather_threes(p->from, p->from_pitch, p->to, p->count - 1);
    return p->count - 1;
}

/* Pixels of one to three bytes. */
static void copy_small(const small_pixels *p, int32_t bytes) {
    for (int32_t x = gathered(p, bytes); x < p->count; x++) {
        for (int32_t i = 0; i < bytes; i++) {
            p->to[x * p->to_pitch + i] = p->from[x * p->from_pitch + i];
        }
    }
}

#endif
