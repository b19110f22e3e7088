/* dpl/body/run.h in words at any address: 10 instructions and 6 cycles for 16 bytes (pipeline model
 * of the Cortex-M7). Include it before a body that copies or fills. The last bytes of a run are a
 * word over those before, so input and output may not share bytes. */
#ifndef DPL_BODY_RUN_H
#define DPL_BODY_RUN_H

#include <stdint.h>

static inline void move_word(int8_t *to, const int8_t *from) {
    uint32_t word;
    __builtin_memcpy(&word, from, sizeof word);
    __builtin_memcpy(to, &word, sizeof word);
}

/* `count` times 16 bytes, count > 0; both pointers move on. */
static inline void move_lines(int8_t **to, const int8_t **from, int32_t count) {
#if defined(__ARM_FEATURE_DSP)
    const int8_t *end = *from + 16 * count;
    uint32_t a, b, c, d;
    __asm__ volatile(
        "1:\n"
        "ldr %[a], [%[from]], #16\n ldr %[b], [%[from], #-12]\n"
        "ldr %[c], [%[from], #-8]\n str %[a], [%[to]], #16\n"
        "ldr %[d], [%[from], #-4]\n str %[b], [%[to], #-12]\n"
        "cmp %[from], %[end]\n str %[c], [%[to], #-8]\n"
        "str %[d], [%[to], #-4]\n bne 1b\n"
        : [from] "+r"(*from), [to] "+r"(*to), [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d)
        : [end] "r"(end)
        : "cc", "memory");
#else
    for (; count > 0; count--) {
        for (int32_t i = 0; i < 16; i += 4) {
            move_word(*to + i, *from + i);
        }
        *to += 16;
        *from += 16;
    }
#endif
}

static inline void copy_bytes_of_run(int8_t *to, const int8_t *from, int32_t bytes) {
    if (bytes < 4) {
        for (; bytes > 0; bytes--) {
            *to++ = *from++;
        }
        return;
    }
    if (bytes >= 16) {
        move_lines(&to, &from, bytes / 16);
    }
    for (int32_t left = bytes & 12; left > 0; left -= 4, to += 4, from += 4) {
        move_word(to, from);
    }
    const int32_t rest = bytes & 3;
    if (rest) {
        move_word(to + rest - 4, from + rest - 4);
    }
}

static inline void copy_run(element *out, const element *from, int32_t count) {
    copy_bytes_of_run((int8_t *)out, (const int8_t *)from, count * (int32_t)sizeof(element));
}

/* Short runs in loops without a branch: two loads and two stores that may lie over each other, as
 * wide as `half`, which is not more than a run and not less than half of it. */
#define MOVE_SHORT(half)                                                                           \
    for (; pixels > 0; pixels--, to += to_step, from += from_step) {                               \
        half first, last;                                                                          \
        __builtin_memcpy(&first, from, sizeof first);                                              \
        __builtin_memcpy(&last, from + bytes - sizeof last, sizeof last);                          \
        __builtin_memcpy(to, &first, sizeof first);                                                \
        __builtin_memcpy(to + bytes - sizeof last, &last, sizeof last);                            \
    }

/* Of 9 to 16 bytes the same with pairs of words. */
static inline void move_pairs(int8_t *to, int32_t to_step, const int8_t *from, int32_t from_step,
                              uint32_t bytes, int32_t pixels) {
    const uint32_t last = bytes - 8;
    for (; pixels > 0; pixels--, from += from_step, to += to_step) {
        move_word(to, from);
        move_word(to + 4, from + 4);
        move_word(to + last, from + last);
        move_word(to + last + 4, from + last + 4);
    }
}

static inline void move_short_runs(int8_t *to, int32_t to_step, const int8_t *from,
                                   int32_t from_step, uint32_t bytes, int32_t pixels) {
    if (bytes > 8) {
        move_pairs(to, to_step, from, from_step, bytes, pixels);
    } else if (bytes >= 4) {
        MOVE_SHORT(uint32_t)
    } else if (bytes >= 2) {
        MOVE_SHORT(uint16_t)
    } else {
        MOVE_SHORT(uint8_t)
    }
}

enum { SHORT_BYTES = 16 };

/* `pixels` runs of `count` elements, so far apart. */
static inline void copy_each(element *out, int32_t out_pitch, const element *from,
                             int32_t from_pitch, int32_t count, int32_t pixels) {
    const int32_t size = (int32_t)sizeof(element);
    if (count * size <= SHORT_BYTES) {
        move_short_runs((int8_t *)out, out_pitch * size, (const int8_t *)from, from_pitch * size,
                        (uint32_t)(count * size), pixels);
        return;
    }
    for (; pixels > 0; pixels--, out += out_pitch, from += from_pitch) {
        copy_run(out, from, count);
    }
}

/* The loop is not one over bytes that compilers take for memset, nor are the last elements. */
static inline void fill_run(element *out, element value, int32_t count) {
    const uint32_t mask = sizeof(element) == 1 ? 0x01010101u : 0x00010001u;
    const uint32_t word = mask * (sizeof(element) == 1 ? (uint8_t)value : (uint16_t)value);
    const int32_t bytes = count * (int32_t)sizeof(element);
    int8_t *to = (int8_t *)out;
    if (bytes < 4) {
        switch (count) {
        case 3: out[2] = value; /* fall through */
        case 2: out[1] = value; /* fall through */
        case 1: out[0] = value; /* fall through */
        default: return;
        }
    }
    for (int32_t i = 0; i + 4 < bytes; i += 4) {
        __builtin_memcpy(to + i, &word, sizeof word);
    }
    __builtin_memcpy(to + bytes - 4, &word, sizeof word);
}

#endif
