/* Softmax, int8, portable: three passes over the channels of a pixel. A division for each element
 * costs 2 to 12 cycles on a Cortex-M7, about 35 on a core that divides bit by bit. */
#include "dpl/cores.h"
#include "dpl/softmax.h"

static int32_t largest(const int8_t *row, int32_t count) {
    int32_t best = row[0];
    for (int32_t i = 1; i < count; i++) {
        best = row[i] > best ? row[i] : best;
    }
    return best;
}

/* At most 65,536 terms of 2^15: fits unsigned 32 bits. */
static uint32_t sum_powers(const int32_t *table, const int8_t *row, int32_t count, int32_t best) {
    uint32_t sum = 0;
    for (int32_t i = 0; i < count; i++) {
        sum += (uint32_t)table[best - row[i]];
    }
    return sum;
}

/* Writes this core's channels; maximum and sum are over all of them. Not in place: another core
 * would read what this one has written. */
static void pixel(const dpl_softmax_s8_args *a, dpl_share channels, const int8_t *restrict row,
                  int8_t *restrict out) {
    int32_t best = largest(row, a->input.channels);
    uint32_t sum = sum_powers(a->table, row, a->input.channels, best);
    for (int32_t c = channels.begin; c < channels.end; c++) {
        uint32_t scaled = (uint32_t)a->table[best - row[c]] * (uint32_t)a->levels + sum / 2;
        int32_t y = a->output_zero + (int32_t)(scaled / sum);
        out[c] = (int8_t)(y < INT8_MAX ? y : INT8_MAX);
    }
}

void dpl_softmax_s8__ref(const dpl_softmax_s8_args *a) {
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    for (int32_t y = part.rows.begin; y < part.rows.end; y++) {
        const int8_t *row = dpl_row_s8(&a->input, y);
        int8_t *out = dpl_row_s8(&a->output, y);
        for (int32_t x = 0; x < a->output.width; x++) {
            pixel(a, part.channels, row, out);
            row += a->input.pixel_pitch;
            out += a->output.pixel_pitch;
        }
    }
}
