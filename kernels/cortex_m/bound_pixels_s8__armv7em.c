/* Bounds of int8 outputs that ssat does not have, such as those of a ReLU whose zero point lies
 * within the type: the convolutions on columns share them.
 *
 * Outputs lie there low + 128 below what they are, so that ssat has cut them at the lower bound.
 * Adding that again with 127 - high more, saturated, and taking the latter away cuts them at the
 * upper one, four outputs at once. What is added may be 255, twice what a byte's addition takes. */
#include "dpl/cortex_m/high_s8.h"

typedef struct {
    uint32_t first, second, back; /* bytes to subtract: two that saturate, one that does not */
    int32_t add, high;            /* of one output */
} bounds;

static uint32_t four_of(int32_t value) {
    return (uint32_t)(uint8_t)value * 0x01010101u;
}

static bounds bounds_of(int32_t low, int32_t high) {
    const int32_t add = low - INT8_MIN, all = add + INT8_MAX - high;
    const int32_t first = all < 128 ? all : 128;
    return (bounds){four_of(-first), four_of(first - all), four_of(INT8_MAX - high), add, high};
}

static __attribute__((noinline)) int8_t *bound_bytes(const bounds *b, int8_t *at,
                                                     const int8_t *end) {
    const int32_t add = b->add, high = b->high;
    for (; at < end; at++) {
        const int32_t output = *at + add;
        *at = (int8_t)(output < high ? output : high);
    }
    return at;
}

#if defined(__ARM_FEATURE_DSP)

/* `eights` of outputs, one at least. What follows a subtraction that saturates waits two cycles:
 * two words take turns, 9 cycles. */
static inline int8_t *bound_eights(const bounds *b, int8_t *at, int32_t eights) {
    uint32_t p, q;
    __asm__ volatile(".p2align 2\n"
                     "1:\n"
                     "ldr %[p], [%[at]]\n ldr %[q], [%[at], #4]\n"
                     "qsub8 %[p], %[p], %[first]\n subs %[left], %[left], #1\n"
                     "qsub8 %[q], %[q], %[first]\n add %[at], %[at], #8\n"
                     "qsub8 %[p], %[p], %[second]\n"
                     "qsub8 %[q], %[q], %[second]\n"
                     "usub8 %[p], %[p], %[back]\n"
                     "usub8 %[q], %[q], %[back]\n str %[p], [%[at], #-8]\n"
                     "str %[q], [%[at], #-4]\n bne 1b\n"
                     : [at] "+r"(at), [left] "+r"(eights), [p] "=&r"(p), [q] "=&r"(q)
                     : [first] "r"(b->first), [second] "r"(b->second), [back] "r"(b->back)
                     : "cc", "memory");
    return at;
}

#else

static inline int8_t *bound_eights(const bounds *b, int8_t *at, int32_t eights) {
    return bound_bytes(b, at, at + 8 * eights);
}

#endif

/* Words lie at boundaries: others take three cycles more to load. */
static void bound_run(const bounds *b, int8_t *at, int8_t *end) {
    int8_t *const boundary = at + (-(uintptr_t)at & 3);
    at = bound_bytes(b, at, boundary < end ? boundary : end);
    if (end - at >= 8) {
        at = bound_eights(b, at, (int32_t)(end - at) / 8);
    }
    bound_bytes(b, at, end);
}

/* Pixels whose channels follow one another are one run. A pixel that repeats the address before it
 * is none. */
void dpl_bound_pixels_s8__armv7em(const three_pixels *out, int32_t triples, int32_t channels,
                                  const dpl_requant *q) {
    const bounds b = bounds_of(q->low, q->high);
    int8_t *begin = out->at - channels, *end = begin;
    if (q->rule != DPL_Q32) {
        return;
    }
    for (int32_t i = 0; i < triples; i++) {
        if (out[i].at - channels == end && out[i].second == channels &&
            out[i].third == 2 * channels) {
            end += 3 * channels;
            continue;
        }
        const int32_t distance[COLUMNS] = {0, out[i].second, out[i].third};
        for (int32_t n = 0; n < COLUMNS; n++) {
            int8_t *const behind = out[i].at + distance[n];
            if (behind == end && n > 0) {
                continue;
            }
            if (behind - channels != end) {
                bound_run(&b, begin, end);
                begin = behind - channels;
            }
            end = behind;
        }
    }
    bound_run(&b, begin, end);
}
