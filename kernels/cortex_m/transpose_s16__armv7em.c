/* Transpose, int16: squares of 2x2 halfwords in registers. */
#include "dpl/body/s16.h"
#include "dpl/cortex_m/simd.h"
#include "dpl/transpose.h"

#define KERNEL dpl_transpose_s16__armv7em
typedef dpl_transpose_s16_args args;

enum { SIDE = 2 };

/* `count` > 0 squares, two rows `from` apart, to columns `to` apart. */
static void strip(const element *in, int32_t from, element *out, int32_t to, int32_t count) {
    for (; count > 0; count--, in += SIDE, out += SIDE * to) {
        const uint32_t x = load_word(in), y = load_word(in + from);
        store_word(out, low_halves(x, y));
        store_word(out + to, high_halves(x, y));
    }
}

#include "dpl/cortex_m/transpose.h"
