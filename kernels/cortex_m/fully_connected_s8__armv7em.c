/* FullyConnected, int8: the input widened once, weights streamed once, eight channels at a time,
 * what is left in pairs, the last by itself. All of the input is read before the first output is
 * written. */
#include "dpl/cores.h"
#include "dpl/cortex_m/four.h"
#include "dpl/cortex_m/gemv_input.h"
#include "dpl/fully_connected.h"

typedef struct {
    const dpl_fully_connected_s8_args *a;
    const uint32_t *weights, *x;
    const int8_t *raw, *last; /* the input, and where its last eight values lie */
    int32_t words;            /* of x */
    int8_t *out;
} plan;

/* The rule of the high words; by locals, which outputs do not alias. */
static void finish_high(const dpl_requant *q, const int32_t *sums, const int32_t *m, int32_t step,
                        int32_t count, int8_t *out) {
    const int32_t zero = q->rounding[0], low = q->low, high = q->high;
    for (const int32_t *end = sums + count; sums < end; sums++, m += step) {
        int32_t x = scale_high(*sums, *m, zero); /* one bound after the other, without a branch */
        x = x < low ? low : x;
        *out++ = (int8_t)(x > high ? high : x);
    }
}

/* `multipliers`: of a block, which lie behind its weights and so in the same lines of the cache; 0
 * for those of the array. */
static void finish(const plan *p, const int32_t *sums, const uint32_t *multipliers, int32_t first,
                   int32_t most) {
    const dpl_requant *q = &p->a->requant;
    const int32_t left = p->a->output.channels - first, count = left < most ? left : most;
    if (q->rule == DPL_Q32) {
        const int32_t *array = q->multiplier + first * q->channel_step;
        finish_high(q, sums, multipliers ? (const int32_t *)multipliers : array,
                    multipliers ? 1 : q->channel_step, count, p->out + first);
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        p->out[first + i] = (int8_t)dpl_requantize(q, sums[i], first + i);
    }
}

static void run_blocks(const plan *p, int32_t begin, int32_t end) {
    const int32_t whole = p->a->output.channels / BLOCK, size = block_words(BLOCK, p->words);
    const int32_t high = end < whole ? end : whole;
    if (begin < high && by_high_word(&p->a->requant)) {
        gemv_high_word(p->weights + begin * size, p->weights + high * size, p->x, p->words,
                       p->a->requant.rounding[0], p->out + begin * BLOCK);
        begin = high;
    }
    for (; begin < end; begin++) {
        int32_t sums[BLOCK];
        const uint32_t *weights = p->weights + begin * size;
        gemv_sums(weights, p->x, p->words, sums);
        finish(p, sums, weights + size - BLOCK, begin * BLOCK, BLOCK);
    }
}

/* The sums of what the blocks leave. */
static void sum_rest(const plan *p, int32_t blocks, int32_t *sums) {
    const uint32_t *weights = p->weights + blocks * block_words(BLOCK, p->words);
    int32_t left = p->a->output.channels - blocks * BLOCK;
    for (; left >= PAIR; left -= PAIR, sums += PAIR) {
        pair_sums(weights, p->raw, p->last, 2 * p->words, sums);
        weights += block_words(PAIR, p->words);
    }
    if (left > 0) {
        sums[0] = single_sum(weights, p->raw, p->last, 2 * p->words);
    }
}

void dpl_fully_connected_s8__armv7em(const dpl_fully_connected_s8_args *a) {
    const int32_t depth = a->input.channels, channels = a->output.channels;
    const int32_t blocks = (int32_t)((uint32_t)(channels + BLOCK - DPL_MIN_GEMV_CHANNELS) / BLOCK);
    const dpl_share share = dpl_core_share(blocks + (channels > blocks * BLOCK));
    const int8_t *in = dpl_row_s8(&a->input, 0);
    uint32_t *x = a->scratch;
    plan p = {a,
              (const uint32_t *)(const void *)a->weights,
              x,
              in,
              in,
              (int32_t)((uint32_t)(depth + STEP - 1) / STEP * 4),
              dpl_row_s8(&a->output, 0)};
    if (blocks > 0) {
        widen_input(in, depth, x);
        x += p.words + DPL_GEMV_OVERREAD_BYTES / 4;
    }
    int32_t left[DPL_MIN_GEMV_CHANNELS];
    if (share.end > blocks) {
        p.last = last_eight(in, depth, (int8_t *)x);
        sum_rest(&p, blocks, left);
    }
    run_blocks(&p, share.begin, share.end < blocks ? share.end : blocks);
    if (share.end > blocks) {
        finish(&p, left, 0, blocks * BLOCK, BLOCK);
    }
}
