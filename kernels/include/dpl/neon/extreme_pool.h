/* Pools that give one of the elements of their window. A kernel's file has `args` and KERNEL,
 * EXTREME, `max` or `min`, PADDING, the element that any other replaces, and BETTER.
 *
 * A tap of four vectors costs their loads and as many operations, which do not wait for each other:
 * those of four pixels or, in a single one, of its channels. The last vector of a pixel overlaps
 * the one before. */
#include "dpl/neon/rules.h"
#include "dpl/requant.h"

enum { BLOCKS = 4, LEAST_CHANNELS = LANES_OF_HALF, FEW = 4 };

#define JOIN(A, B) A##_##B
#define JOINED(A, B) JOIN(A, B)

/* `count` vectors, so many elements apart. */
typedef struct {
    int32_t from, to;
} distances;

#define FOLD(KIND)                                                                                 \
    INLINED void fold_##KIND(const dpl_requant *q, const dpl_taps *taps, const element *input,     \
                             element *out, distances apart, int count) {                           \
        const KIND low = fill_##KIND((element)q->low), high = fill_##KIND((element)q->high);       \
        const int32_t width = taps->x.end - taps->x.begin;                                         \
        dpl_row_walk rows = taps->rows;                                                            \
        KIND best[BLOCKS];                                                                         \
        UNROLLED for (int i = 0; i < count; i++) {                                                 \
            best[i] = fill_##KIND(PADDING);                                                        \
        }                                                                                          \
        for (int32_t y = taps->y.begin; y < taps->y.end; y++, dpl_next_row(&rows)) {               \
            const element *x = input + rows.offset + taps->column;                                 \
            for (int32_t left = width; left > 0; left--, x += taps->pitch) {                       \
                UNROLLED for (int i = 0; i < count; i++) {                                         \
                    best[i] = JOINED(KIND, EXTREME)(best[i], load_##KIND(x + i * apart.from));     \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        UNROLLED for (int i = 0; i < count; i++) {                                                 \
            store_##KIND(out + i * apart.to, KIND##_min(KIND##_max(best[i], low), high));          \
        }                                                                                          \
    }

FOLD(vector)
FOLD(half)

/* Up to FEW channels: a constant. */
INLINED void fold_some(const dpl_requant *q, const dpl_taps *taps, const element *input,
                       element *out, int count) {
    const int32_t width = taps->x.end - taps->x.begin;
    int32_t best[FEW];
    dpl_row_walk rows = taps->rows;
    UNROLLED for (int i = 0; i < count; i++) {
        best[i] = PADDING;
    }
    for (int32_t y = taps->y.begin; y < taps->y.end; y++, dpl_next_row(&rows)) {
        const element *x = input + rows.offset + taps->column;
        for (int32_t left = width; left > 0; left--, x += taps->pitch) {
            UNROLLED for (int i = 0; i < count; i++) {
                best[i] = BETTER(x[i], best[i]) ? x[i] : best[i];
            }
        }
    }
    UNROLLED for (int i = 0; i < count; i++) {
        out[i] = (element)dpl_clamp(best[i], q->low, q->high);
    }
}

/* At least half a vector. */
static void fold_alike(const args *a, const dpl_taps *taps, const element *input, element *out,
                       int32_t count) {
    const dpl_requant *q = &a->requant;
    const int32_t step = a->window.stride_width * a->input.pixel_pitch;
    const distances apart = {step, a->output.pixel_pitch};
    const int32_t last = count - LANES_OF_VECTOR;
    if (last < 0) {
        const int32_t rest = count - LANES_OF_HALF;
        fold_half(q, taps, input, out, apart, BLOCKS);
        fold_half(q, taps, input + rest, out + rest, apart, BLOCKS);
        return;
    }
    for (int32_t c = 0; c < last; c += LANES_OF_VECTOR) {
        fold_vector(q, taps, input + c, out + c, apart, BLOCKS);
    }
    fold_vector(q, taps, input + last, out + last, apart, BLOCKS);
}

/* Fewer than a vector. */
static inline void fold_few(const dpl_requant *q, const dpl_taps *taps, const element *input,
                            element *out, int32_t count) {
    const distances none = {0, 0};
    if (count < LANES_OF_HALF) {
        int32_t c = 0;
        for (; c + FEW <= count; c += FEW) {
            fold_some(q, taps, input + c, out + c, FEW);
        }
        for (; c < count; c++) {
            fold_some(q, taps, input + c, out + c, 1);
        }
        return;
    }
    const int32_t rest = count - LANES_OF_HALF;
    fold_half(q, taps, input, out, none, 1);
    fold_half(q, taps, input + rest, out + rest, none, 1);
}

static void fold_pixel(const args *a, const dpl_taps *taps, const element *input, element *out,
                       int32_t count) {
    const dpl_requant *q = &a->requant;
    const distances apart = {LANES_OF_VECTOR, LANES_OF_VECTOR};
    const int32_t last = count - LANES_OF_VECTOR;
    if (last < 0) {
        fold_few(q, taps, input, out, count);
        return;
    }
    int32_t c = 0;
    for (; c + BLOCKS * LANES_OF_VECTOR <= count; c += BLOCKS * LANES_OF_VECTOR) {
        fold_vector(q, taps, input + c, out + c, apart, BLOCKS);
    }
    for (; c < last; c += LANES_OF_VECTOR) {
        fold_vector(q, taps, input + c, out + c, apart, 1);
    }
    if (c < count) {
        fold_vector(q, taps, input + last, out + last, apart, 1);
    }
}

#include "dpl/neon/pool_rows.h"
