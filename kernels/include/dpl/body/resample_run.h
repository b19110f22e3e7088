/* A run of a Resample of integers. */
#include "dpl/requant.h"
#include "dpl/resample.h"

enum { FRACTION = 14 };

/* Channels from `at` in rows from `top` on. Taps lie in rows of their own, which may be a ring's.
 */
static void run(const args *a, int32_t o, int32_t top, int32_t at, int32_t count,
                element *restrict out) {
    const int16_t *weights = a->weights + o * a->taps;
    for (int32_t c = 0; c < count; c++) {
        int32_t sum = 1 << (FRACTION - 1);
        for (int32_t t = 0; t < a->taps; t++) {
            const element *row = row_of(&a->input, a->axis == 0 ? top + t : top);
            sum += weights[t] * row[at + c + (a->axis == 1 ? t * a->input.pixel_pitch : 0)];
        }
        out[c] = (element)dpl_clamp(sum >> FRACTION, LOWEST, HIGHEST);
    }
}
