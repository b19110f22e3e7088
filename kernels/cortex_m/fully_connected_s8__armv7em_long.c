/* FullyConnected, int8, inputs of any number: as fully_connected_s8__armv7em, in chunks of inputs
 * so short that their sums fit the 24 bits that two channels in a halfword leave. The sums of
 * chunks add up in 32 bits: 60 cycles for 4,032 products. */
#include "dpl/cores.h"
#include "dpl/cortex_m/four.h"
#include "dpl/cortex_m/gemv_input.h"
#include "dpl/fully_connected.h"

enum { CHUNK = DPL_GEMV_CHUNK_VALUES };
_Static_assert(CHUNK % STEP == 0 && CHUNK * 128 * 128 < 1 << 23, "sums of 24 bits");

typedef struct {
    const dpl_fully_connected_s8_args *a;
    const uint32_t *x;
    const int8_t *raw, *last; /* the input, and where its last eight values lie */
    int32_t depth;            /* in eights */
} plan;

/* Words of the column of a chunk that begins at value `first`. */
static int32_t chunk_words(const plan *p, int32_t first) {
    return (p->depth - first < CHUNK ? p->depth - first : CHUNK) / 2;
}

/* Of all chunks of a block of `channels`. */
static int32_t weight_words(const plan *p, int32_t channels) {
    int32_t words = 0;
    for (int32_t k = 0; k < p->depth; k += CHUNK) {
        words += block_words(channels, chunk_words(p, k));
    }
    return words;
}

static void begin(const plan *p, int32_t *sums, int32_t first, int32_t count) {
    const int32_t left = p->a->output.channels - first;
    for (int32_t i = 0; i < count; i++) {
        sums[i] = i < left ? p->a->bias[first + i] : 0;
    }
}

static void sum_block(const plan *p, const uint32_t *w, int32_t *sums) {
    for (int32_t k = 0; k < p->depth; k += CHUNK) {
        const int32_t words = chunk_words(p, k);
        int32_t part[BLOCK];
        gemv_sums(w, p->x + k / 2, words, part);
        for (int32_t i = 0; i < BLOCK; i++) {
            sums[i] += part[i];
        }
        w += block_words(BLOCK, words);
    }
}

static void sum_pair(const plan *p, const uint32_t *w, int32_t *sums) {
    for (int32_t k = 0; k < p->depth; k += CHUNK) {
        const int32_t words = chunk_words(p, k);
        const int32_t end = k + 2 * words;
        int32_t part[PAIR];
        pair_sums(w, p->raw + k, end == p->depth ? p->last : p->raw + end - STEP, 2 * words, part);
        sums[0] += part[0];
        sums[1] += part[1];
        w += block_words(PAIR, words);
    }
}

static int32_t sum_single(const plan *p, const uint32_t *w, int32_t sum) {
    for (int32_t k = 0; k < p->depth; k += CHUNK) {
        const int32_t words = chunk_words(p, k), end = k + 2 * words;
        const int8_t *last = end == p->depth ? p->last : p->raw + end - STEP;
        sum += single_sum(w, p->raw + k, last, 2 * words);
        w += block_words(1, words);
    }
    return sum;
}

static void finish(const plan *p, const int32_t *sums, int32_t first) {
    const dpl_requant *q = &p->a->requant;
    const int32_t left = p->a->output.channels - first;
    int8_t *out = dpl_row_s8(&p->a->output, 0) + first;
    if (left >= BLOCK && by_high_word(q) && q->channel_step == 1) {
        finish_four(sums, q->multiplier + first, q->rounding[0], out);
        finish_four(sums + 4, q->multiplier + first + 4, q->rounding[0], out + 4);
        return;
    }
    for (int32_t i = 0; i < (left < BLOCK ? left : BLOCK); i++) {
        out[i] = (int8_t)dpl_requantize(q, sums[i], first + i);
    }
}

/* What the blocks leave. */
static void sum_rest(const plan *p, const uint32_t *w, int32_t first, int32_t *sums) {
    const int32_t words = weight_words(p, PAIR);
    begin(p, sums, first, DPL_MIN_GEMV_CHANNELS);
    int32_t left = p->a->output.channels - first;
    for (; left >= PAIR; left -= PAIR, sums += PAIR, w += words) {
        sum_pair(p, w, sums);
    }
    if (left > 0) {
        sums[0] = sum_single(p, w, sums[0]);
    }
}

void dpl_fully_connected_s8__armv7em_long(const dpl_fully_connected_s8_args *a) {
    const int32_t depth = a->input.channels, channels = a->output.channels;
    const int32_t blocks = (channels + BLOCK - DPL_MIN_GEMV_CHANNELS) / BLOCK;
    const dpl_share share = dpl_core_share(blocks + (channels > blocks * BLOCK));
    const uint32_t *weights = (const uint32_t *)(const void *)a->weights;
    const int8_t *in = dpl_row_s8(&a->input, 0);
    uint32_t *x = a->scratch;
    plan p = {a, x, in, in, (depth + STEP - 1) / STEP * STEP};
    const int32_t words = weight_words(&p, BLOCK);
    int32_t rest[DPL_MIN_GEMV_CHANNELS + 1];
    if (blocks > 0) {
        widen_input(in, depth, x);
        x += p.depth / 2 + DPL_GEMV_OVERREAD_BYTES / 4;
    }
    if (share.end > blocks) {
        p.last = last_eight(in, depth, (int8_t *)x);
        sum_rest(&p, weights + blocks * words, blocks * BLOCK, rest);
    }
    for (int32_t i = share.begin; i < share.end && i < blocks; i++) {
        int32_t sums[BLOCK];
        begin(&p, sums, i * BLOCK, BLOCK);
        sum_block(&p, weights + i * words, sums);
        finish(&p, sums, i * BLOCK);
    }
    if (share.end > blocks) {
        finish(&p, rest, blocks * BLOCK);
    }
}
