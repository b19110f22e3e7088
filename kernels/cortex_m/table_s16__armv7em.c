/* Table, int16: between two neighbouring entries, two elements at a time. The difference
 * of two entries times 127 has 24 bits. */
#include "dpl/body/s16.h"
#include "dpl/elementwise.h"

#define KERNEL dpl_table_s16__armv7em
typedef dpl_table_s16_args args;
typedef element source;

enum { STEP_BITS = 7, MIDDLE = 1 << (15 - STEP_BITS), HALF = 1 << (STEP_BITS - 1) };

/* An element between its entry and the next: the entry, the difference, and how far. */
typedef struct {
    int32_t first, step, far;
} place;

static inline place place_of(const int16_t *middle, int32_t x) {
    const int16_t *entry = middle + (x >> STEP_BITS);
    const place p = {entry[0], entry[1] - entry[0], x & ((1 << STEP_BITS) - 1)};
    return p;
}

static inline element between(const place *p) {
    return (element)(p->first + ((p->step * p->far + HALF) >> STEP_BITS));
}

/* `count` > 0 times two outputs in 11 cycles each: of the element `p`, and of `x`, behind which
 * `input` is. Both are then the next ones. Two elements are half a turn apart, so that none waits
 * for its entries; they are read ahead of what is written: the output may take the input's place.
 */
static inline int32_t run_x2(const int16_t *middle, place *b, int32_t x, const element *input,
                             element *out, int32_t count) {
#if defined(__ARM_FEATURE_DSP)
    const element *end = input + 2 * count;
    int32_t y = b->far, r = b->first, j = b->step, i, p;
    __asm__ volatile(
        "1: asr %[i], %[x], #7\n mla %[j], %[j], %[y], %[half]\n"
        "and %[x], %[x], #127\n ldrsh %[y], [%[input]], #4\n"
        "ldrsh %[p], [%[middle], %[i], lsl #1]\n cmp %[input], %[end]\n"
        "ldrsh %[i], [%[next], %[i], lsl #1]\n add %[r], %[r], %[j], asr #7\n"
        "strh %[r], [%[out]], #4\n asr %[j], %[y], #7\n"
        "sub %[i], %[i], %[p]\n and %[y], %[y], #127\n"
        "mla %[i], %[i], %[x], %[half]\n ldrsh %[r], [%[middle], %[j], lsl #1]\n"
        "ldrsh %[j], [%[next], %[j], lsl #1]\n ldrsh %[x], [%[input], #-2]\n"
        "add %[p], %[p], %[i], asr #7\n strh %[p], [%[out], #-2]\n"
        "sub %[j], %[j], %[r]\n bne 1b\n"
        : [input] "+r"(input), [out] "+r"(out), [x] "+r"(x), [y] "+r"(y), [i] "=&r"(i), [j] "+r"(j),
          [p] "=&r"(p), [r] "+r"(r)
        : [middle] "r"(middle), [next] "r"(middle + 1), [half] "r"(HALF), [end] "r"(end)
        : "cc", "memory");
    b->far = y, b->first = r, b->step = j;
#else
    for (int32_t i = 0; i < 2 * count; i += 2) {
        const place a = place_of(middle, x);
        out[i] = between(b);
        *b = place_of(middle, input[i]);
        x = input[i + 1];
        out[i + 1] = between(&a);
    }
#endif
    return x;
}

/* The loop leaves one or two elements besides the one it began. */
static void run(const args *a, const element *input, element *out, int32_t count) {
    if (count < 1) {
        return;
    }
    const int16_t *middle = a->table + MIDDLE;
    const int32_t turns = count > 2 ? (count - 2) / 2 : 0;
    place p = place_of(middle, input[0]);
    int32_t done = 2 * turns + 1;
    if (count > 1) {
        int32_t x = input[1];
        if (turns > 0) {
            x = run_x2(middle, &p, x, input + 2, out, turns);
        }
        const place second = place_of(middle, x);
        const int32_t third = count > done + 1 ? input[done + 1] : 0;
        out[done - 1] = between(&p);
        out[done++] = between(&second);
        p = place_of(middle, third);
    }
    if (done < count || count == 1) {
        out[count - 1] = between(&p);
    }
}

#include "dpl/body/runs.h"
