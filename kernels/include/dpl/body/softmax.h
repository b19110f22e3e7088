/* Softmax, int8: three passes over the channels of a pixel. The division by the sum becomes a
 * product with its reciprocal: the high word of n * (2^32 / sum) is the quotient or one less, which
 * the remainder tells. Entries of the table come one by one; elements in pairs hide each other's
 * latency. A body, with KERNEL, `largest_of_many`, which takes FEWEST_OF_MANY or more, and
 * `saturated` before it. */
#include "dpl/cores.h"
#include "dpl/softmax.h"

static int32_t largest(const int8_t *row, int32_t count) {
    if (count >= FEWEST_OF_MANY) {
        return largest_of_many(row, count);
    }
    int32_t best = row[0];
    for (int32_t i = 1; i < count; i++) {
        best = row[i] > best ? row[i] : best;
    }
    return best;
}

/* At most 65,536 terms of 2^15: fits unsigned 32 bits. */
static uint32_t sum_powers(const int32_t *table, const int8_t *row, int32_t count, int32_t best) {
    uint32_t sum = 0, other = 0;
    int32_t i = 0;
    for (; i + 4 <= count; i += 4) {
        const int32_t a = best - row[i], b = best - row[i + 1];
        const int32_t c = best - row[i + 2], d = best - row[i + 3];
        sum += (uint32_t)table[a] + (uint32_t)table[c];
        other += (uint32_t)table[b] + (uint32_t)table[d];
    }
    for (; i < count; i++) {
        sum += (uint32_t)table[best - row[i]];
    }
    return sum + other;
}

/* What the outputs of a pixel share. */
typedef struct {
    const int32_t *table;
    int32_t best, zero;
    uint32_t levels, sum, reciprocal;
} shares;

static inline int32_t share_of(const shares *s, int32_t x) {
    const uint32_t scaled = (uint32_t)s->table[s->best - x] * s->levels + s->sum / 2;
    const uint32_t near = (uint32_t)((uint64_t)scaled * s->reciprocal >> 32);
    const uint32_t left = scaled - near * s->sum;
    return saturated(s->zero + (int32_t)near + (left >= s->sum));
}

/* Not in place: another core would read what this one has written. */
static void write_shares(const shares *given, dpl_share channels, const int8_t *restrict row,
                         int8_t *restrict out) {
    const shares s = *given;
    int32_t c = channels.begin;
    for (; c + 2 <= channels.end; c += 2) {
        const int32_t x = row[c], y = row[c + 1];
        const int32_t first = share_of(&s, x), second = share_of(&s, y);
        out[c] = (int8_t)first;
        out[c + 1] = (int8_t)second;
    }
    if (c < channels.end) {
        out[c] = (int8_t)share_of(&s, row[c]);
    }
}

void KERNEL(const dpl_softmax_s8_args *a) {
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    const int32_t count = a->input.channels;
    shares s = {.table = a->table, .zero = a->output_zero, .levels = (uint32_t)a->levels};
    for (int32_t y = part.rows.begin; y < part.rows.end; y++) {
        const int8_t *row = dpl_row_s8(&a->input, y);
        int8_t *out = dpl_row_s8(&a->output, y);
        for (int32_t x = 0; x < a->output.width; x++) {
            s.best = largest(row, count);
            s.sum = sum_powers(a->table, row, count, s.best);
            s.reciprocal = UINT32_MAX / s.sum;
            write_shares(&s, part.channels, row, out);
            row += a->input.pixel_pitch;
            out += a->output.pixel_pitch;
        }
    }
}
