/* Conv2d, int8, one group, channels that fill no words: three windows of bytes at a time, gathered
 * but not widened.
 *
 * Half the scratch of a triple of columns, none for small windows, which the stack holds; a product
 * takes 0.75 cycles in place of 0.52 (byte_block.h), and the weights are read once for every three
 * pixels. */
#include "dpl/conv2d.h"
#include "dpl/cortex_m/byte_windows.h"

#include "dpl/cortex_m/byte_block.h"
#include "dpl/cortex_m/byte_outputs.h"

/* All channels of three pixels. */
static void run_triple(const channel_job *j, const byte_triple *t, int32_t values) {
    const byte_runs runs = {t->at, t->pitch, values, 0, UINTPTR_MAX, 0, 1};
    const uint32_t *w = j->weights;
    for (int32_t c = 0; c < j->channels; c += 2, w += j->piece) {
        const sums_2x3 s = add_runs_2x3(biases_2x3(w), w + BIAS_WORDS, &runs);
        finish_pair(j, &s, w, c, t->out, t->second, t->third);
    }
    bound_triple(j, t->out, t->second, t->third);
}

void dpl_conv2d_s8__armv7em_bytes(const dpl_conv2d_s8_args *a) {
    uint32_t small[COLUMNS * DPL_STACK_WINDOW_BYTES / 4];
    byte_windows v = byte_windows_of(&a->input, &a->output, &a->window, a->input_zero, a->scratch);
    const channel_job j = channel_job_of(&a->requant, a->weights, a->output.channels, v.padded);
    byte_cursor c;
    if (v.padded <= DPL_STACK_WINDOW_BYTES) {
        v.values = (int8_t *)small;
    }
    if (a->output.width == 0 || a->output.height == 0) {
        return;
    }
    begin_byte_row(&v, &c, 0);
    for (int32_t left = a->output.height * a->output.width; left > 0;) {
        byte_triple t;
        left -= gathered_triple(&v, &c, left, &t);
        run_triple(&j, &t, v.padded);
    }
}
