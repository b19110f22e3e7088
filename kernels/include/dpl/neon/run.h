/* dpl/body/run.h in vectors. Include it before a body that copies or fills. The last bytes of a run
 * are a vector over those before, so input and output may not share bytes. */
#ifndef DPL_BODY_RUN_H
#define DPL_BODY_RUN_H

#include "dpl/neon/simd.h"

enum { VECTOR_BYTES = 16, HALF_BYTES = 8, WORD_BYTES = 4 };

static inline void move_word(int8_t *to, const int8_t *from) {
    uint32_t word;
    __builtin_memcpy(&word, from, sizeof word);
    __builtin_memcpy(to, &word, sizeof word);
}

/* Fewer than a vector. */
static inline void copy_few_bytes(int8_t *to, const int8_t *from, int32_t bytes) {
    if (bytes >= HALF_BYTES) {
        const int8x8_t first = vld1_s8(from), last = vld1_s8(from + bytes - HALF_BYTES);
        vst1_s8(to, first);
        vst1_s8(to + bytes - HALF_BYTES, last);
        return;
    }
    if (bytes >= WORD_BYTES) {
        move_word(to, from);
        move_word(to + bytes - WORD_BYTES, from + bytes - WORD_BYTES);
        return;
    }
    switch (bytes) {
    case 3: to[2] = from[2]; /* fall through */
    case 2: to[1] = from[1]; /* fall through */
    case 1: to[0] = from[0]; /* fall through */
    default: break;
    }
}

static inline void copy_bytes_of_run(int8_t *to, const int8_t *from, int32_t bytes) {
    if (bytes < VECTOR_BYTES) {
        copy_few_bytes(to, from, bytes);
        return;
    }
    int32_t i = 0;
    for (; i + 2 * VECTOR_BYTES <= bytes; i += 2 * VECTOR_BYTES) {
        const int8x16_t first = vld1q_s8(from + i), second = vld1q_s8(from + i + VECTOR_BYTES);
        vst1q_s8(to + i, first);
        vst1q_s8(to + i + VECTOR_BYTES, second);
    }
    if (i + VECTOR_BYTES < bytes) {
        vst1q_s8(to + i, vld1q_s8(from + i));
    }
    if (i < bytes) {
        vst1q_s8(to + bytes - VECTOR_BYTES, vld1q_s8(from + bytes - VECTOR_BYTES));
    }
}

static inline void copy_run(element *out, const element *from, int32_t count) {
    copy_bytes_of_run((int8_t *)out, (const int8_t *)from, count * (int32_t)sizeof(element));
}

#define FOR_EACH_RUN(COPY)                                                                         \
    for (; pixels > 0; pixels--, to += to_pitch, from += from_pitch) {                             \
        COPY;                                                                                      \
    }

/* Fewer than a word. */
static inline void copy_each_few(int8_t *to, int32_t to_pitch, const int8_t *from,
                                 int32_t from_pitch, int32_t bytes, int32_t pixels) {
    switch (bytes) {
    case 3: FOR_EACH_RUN((to[0] = from[0], to[1] = from[1], to[2] = from[2])) break;
    case 2: FOR_EACH_RUN((to[0] = from[0], to[1] = from[1])) break;
    case 1: FOR_EACH_RUN(to[0] = from[0]) break;
    default: break;
    }
}

/* `pixels` runs of `count` elements, so far apart; the kind of copy is decided once. */
static inline void copy_each(element *out, int32_t out_pitch, const element *input,
                             int32_t input_pitch, int32_t count, int32_t pixels) {
    const int32_t size = (int32_t)sizeof(element), bytes = count * size;
    const int32_t to_pitch = out_pitch * size, from_pitch = input_pitch * size;
    int8_t *to = (int8_t *)out;
    const int8_t *from = (const int8_t *)input;
    if (bytes >= VECTOR_BYTES) {
        FOR_EACH_RUN(copy_bytes_of_run(to, from, bytes))
    } else if (bytes > HALF_BYTES) {
        FOR_EACH_RUN(copy_few_bytes(to, from, bytes))
    } else if (bytes == HALF_BYTES) {
        FOR_EACH_RUN(vst1_s8(to, vld1_s8(from)))
    } else if (bytes > WORD_BYTES) {
        FOR_EACH_RUN(
            (move_word(to, from), move_word(to + bytes - WORD_BYTES, from + bytes - WORD_BYTES)))
    } else if (bytes == WORD_BYTES) {
        FOR_EACH_RUN(move_word(to, from))
    } else {
        copy_each_few(to, to_pitch, from, from_pitch, bytes, pixels);
    }
}

static inline void fill_few_bytes(int8_t *to, uint32_t word, int32_t bytes) {
    if (bytes >= WORD_BYTES) {
        for (int32_t i = 0; i + WORD_BYTES < bytes; i += WORD_BYTES) {
            __builtin_memcpy(to + i, &word, sizeof word);
        }
        __builtin_memcpy(to + bytes - WORD_BYTES, &word, sizeof word);
        return;
    }
    for (int32_t i = 0; i < bytes; i++, word = word >> 8 | word << 24) {
        to[i] = (int8_t)word;
    }
}

/* What is not a multiple of WORD_BYTES ends with a word that begins inside the one before: of int16
 * between two elements, so that the halves are in order. */
static inline void fill_run(element *out, element value, int32_t count) {
    const uint32_t mask = sizeof(element) == 1 ? 0x01010101u : 0x00010001u;
    const uint32_t word = mask * (sizeof(element) == 1 ? (uint8_t)value : (uint16_t)value);
    const int32_t bytes = count * (int32_t)sizeof(element);
    int8_t *to = (int8_t *)out;
    if (bytes < VECTOR_BYTES) {
        fill_few_bytes(to, word, bytes);
        return;
    }
    const int8x16_t all = vreinterpretq_s8_s32(vdupq_n_s32((int32_t)word));
    for (int32_t i = 0; i < bytes - VECTOR_BYTES; i += VECTOR_BYTES) {
        vst1q_s8(to + i, all);
    }
    vst1q_s8(to + bytes - VECTOR_BYTES, all);
}

#endif
