/* A run of a Resample of integers. */
#include "dpl/requant.h"
#include "dpl/resample.h"

enum { FRACTION = 14 };

static inline element rounded(int32_t sum) {
    return (element)dpl_clamp((sum + (1 << (FRACTION - 1))) >> FRACTION, LOWEST, HIGHEST);
}

/* The channels from `at` of tap t: in a row of its own, which may be a ring's, or a pixel on. */
static inline const element *tap_of(const args *a, int32_t top, int32_t at, int32_t t) {
    return a->axis == 0 ? row_of(&a->input, top + t) + at
                        : row_of(&a->input, top) + at + t * a->input.pixel_pitch;
}

/* Linear ones: two loads and two products a channel, whose weights stay in registers. */
static void run_of_two(const element *first, const element *second, const int16_t *weights,
                       int32_t count, element *restrict out) {
    const int32_t left = weights[0], right = weights[1];
    for (int32_t c = 0; c < count; c++) {
        out[c] = rounded(left * first[c] + right * second[c]);
    }
}

static void run(const args *a, int32_t o, int32_t top, int32_t at, int32_t count,
                element *restrict out) {
    const int16_t *weights = a->weights + o * a->taps;
    if (a->taps == 2) {
        run_of_two(tap_of(a, top, at, 0), tap_of(a, top, at, 1), weights, count, out);
        return;
    }
    for (int32_t c = 0; c < count; c++) {
        int32_t sum = 0;
        for (int32_t t = 0; t < a->taps; t++) {
            sum += weights[t] * tap_of(a, top, at, t)[c];
        }
        out[c] = rounded(sum);
    }
}
