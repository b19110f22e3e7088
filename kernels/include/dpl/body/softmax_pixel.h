/* Softmax, int8: what is done with a pixel's channels once its largest is known. The division by
 * the sum becomes a product with its reciprocal: the high word of n * (2^32 / sum) is the quotient
 * or one less, which the remainder tells. Entries of the table come one by one; elements in pairs
 * hide each other's latency. `saturated` comes before it. */
#include "dpl/cores.h"
#include "dpl/softmax.h"

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
