/* Runs of elements that depend on nothing but those at their place. A kernel's file names the types
 * `source` and `element`, defines `constants` and `eight`, which computes eight elements of two
 * inputs, or of one that is given twice, and then includes this. `way` is a constant that
 * `eight` decides by: a rule, unless the kernel has other ways. */
#include "dpl/neon/eight.h"
#include "dpl/neon/rules.h"

/* Eights at a time: what one of them waits for hides behind the others. */
enum { TOGETHER = 4 };

INLINED void run_together(int way, const constants *k, const source *left, const source *right,
                          element *out) {
    int16x8_t x[TOGETHER], y[TOGETHER];
    UNROLLED for (int i = 0; i < TOGETHER; i++) {
        x[i] = load_eight(left + EIGHT * i);
        y[i] = load_eight(right + EIGHT * i);
    }
    UNROLLED for (int i = 0; i < TOGETHER; i++) {
        x[i] = eight(way, k, x[i], y[i]);
    }
    UNROLLED for (int i = 0; i < TOGETHER; i++) {
        store_eight(out + EIGHT * i, x[i]);
    }
}

/* The last eight are read before anything is written, since the output may take an input's place:
 * they overlap those before. */
INLINED void run_eights(int way, const constants *given, const source *left, const source *right,
                        element *out, int32_t count) {
    const constants k = *given; /* a store could change them */
    const int32_t last = count - EIGHT;
    const int16x8_t x = load_eight(left + last), y = load_eight(right + last);
    int32_t i = 0;
    for (; i + TOGETHER * EIGHT <= count; i += TOGETHER * EIGHT) {
        run_together(way, &k, left + i, right + i, out + i);
    }
    if (i == count) {
        return;
    }
    for (; i < last; i += EIGHT) {
        store_eight(out + i, eight(way, &k, load_eight(left + i), load_eight(right + i)));
    }
    store_eight(out + last, eight(way, &k, x, y));
}

INLINED void run_by(int way, const constants *k, const source *left, const source *right,
                    element *out, int32_t count) {
    if (count >= EIGHT) {
        run_eights(way, k, left, right, out, count);
        return;
    }
    const int16x8_t x = load_few(left, count), y = load_few(right, count);
    store_few(out, eight(way, k, x, y), count);
}

static inline void run_elements(dpl_rule rule, const constants *k, const source *left,
                                const source *right, element *out, int32_t count) {
    switch (rule) {
    case DPL_SHIFT: run_by(DPL_SHIFT, k, left, right, out, count); break;
    case DPL_I32: run_by(DPL_I32, k, left, right, out, count); break;
    case DPL_Q16: run_by(DPL_Q16, k, left, right, out, count); break;
    case DPL_Q32: run_by(DPL_Q32, k, left, right, out, count); break;
    default: run_by(DPL_Q31, k, left, right, out, count); break;
    }
}
