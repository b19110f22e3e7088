/* Resize of a column of short pixels, or of one whose rows stay as they are, as that of a row, so
 * that few columns of outputs are long runs: a body. A file has `args`, `element` and
 * `resize_rows`. deployer/kernelset/cortex_m/move.py has the same condition. */
#include "dpl/cortex_m/simd.h"

static int is_column(const args *a) {
    const int32_t bytes = a->input.channels * (int32_t)sizeof(element);
    const int few = bytes <= DPL_RESIZE_TURNED_BYTES || a->factor_height == 1;
    const int rings = a->input.ring_height != 0 || a->output.ring_height != 0;
    return a->input.width == 1 && a->input.height > 1 && few && !rings;
}

static inline void exchange(int32_t *x, int32_t *y) {
    const int32_t former = *x;
    *x = *y;
    *y = former;
}

static void turn_tensor(tensor *t) {
    exchange(&t->width, &t->height);
    exchange(&t->pixel_pitch, &t->row_pitch);
}

/* The barrier keeps gcc from a call of memcpy, which a freestanding program may lack. */
static void resize_column(const args *a) {
    args turned;
    for (uint32_t i = 0; i < sizeof turned; i += 4) {
        store_word((int8_t *)&turned + i, load_word((const int8_t *)a + i));
        __asm__ volatile("" : : : "memory");
    }
    turn_tensor(&turned.input);
    turn_tensor(&turned.output);
    exchange(&turned.factor_height, &turned.factor_width);
    exchange(&turned.top, &turned.left);
    exchange(&turned.start_height, &turned.start_width);
    resize_rows(&turned);
}

void KERNEL(const args *a) {
    (is_column(a) ? resize_column : resize_rows)(a);
}
