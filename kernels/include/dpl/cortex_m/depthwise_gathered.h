/* DepthwiseConv2d of two outputs a channel or a multiple of four, pixel after pixel. The body of a
 * kernel of int8 or int16; its file names `args`, `KERNEL`, BITS and STORE.
 *
 * The windows of a pixel are gathered once for all outputs of a channel, taps in pairs as
 * dpl/cortex_m/gathered_outputs.h takes them. Channels that have more weights and windows than the
 * cache holds are taken in chunks, one after another. */
#include "dpl/cores.h"
#include "dpl/cortex_m/blocking.h"
#include "dpl/cortex_m/bound_rows.h"
#include "dpl/cortex_m/depthwise_windows.h"
#include "dpl/cortex_m/gather.h"
#include "dpl/cortex_m/gathered_outputs.h"

typedef struct {
    const args *a;
    windows s;
    gathered_loop loop;
    int32_t multiplier; /* output channels of an input channel */
    int32_t pairs;      /* of taps */
    int32_t zero;       /* that scaled sums are added to */
    int32_t group;      /* words of weights of four outputs */
    int32_t blocks; /* of four input channels; the last one may have channels of the one before */
    int32_t chunk;  /* blocks at a time */
    int32_t listed; /* blocks before that of the chunk that `fours` lists; less than 0: none */
    int32_t *fours; /* where the words of each four outputs begin */
    uint32_t *gathered;
} plan;

/* Whether the loops end at zero, as ReLUs of int16 do. */
static inline int ends_positive(const dpl_requant *q) {
    return BITS == 16 && q->low == 0 && q->high == HIGHEST;
}

/* The loop that makes four outputs after another; none: in C. */
static gathered_loop loop_of(const args *a, int32_t multiplier, int32_t pairs) {
#if defined(__ARM_FEATURE_DSP)
    const dpl_requant *q = &a->requant;
    const int two = multiplier == 2, five = pairs == FIVE;
    if (q->rule == DPL_Q32) {
#if BITS == 16
        if (ends_positive(q)) {
            return two ? some_of_two_positive : some_of_one_positive;
        }
#endif
        return two ? some_of_two : five ? five_of_one : some_of_one;
    }
#else
    (void)a, (void)multiplier, (void)pairs;
#endif
    return 0;
}

static int32_t least(int32_t a, int32_t b) {
    return a < b ? a : b;
}

static void plan_call(plan *p, const args *a) {
    p->a = a;
    p->multiplier = a->output.channels / a->input.channels;
    plan_windows(&p->s, a, a->input.channels);
    p->pairs = (p->s.taps + 1) / 2;
    p->zero = ends_positive(&a->requant) ? a->requant.rounding[0] : addend_below(&a->requant);
    p->group = FOUR * (p->pairs + 2);
    p->blocks = (a->input.channels + FOUR - 1) / FOUR;
    const int32_t bytes = 4 * (p->multiplier * p->group + FOUR * p->pairs);
    p->chunk = least(p->blocks, bytes < DPL_CHUNK_BYTES ? DPL_CHUNK_BYTES / bytes : 1);
    p->loop = loop_of(a, p->multiplier, p->pairs);
    p->gathered = (uint32_t *)((char *)p->s.zeros + FOUR * (int32_t)sizeof(element) * p->blocks);
    p->fours = (int32_t *)(p->gathered + FOUR * p->pairs * p->chunk);
}

/* Channel from which on a block has four. */
static inline int32_t first_of_block(const plan *p, int32_t block) {
    return least(FOUR * block, p->a->input.channels - FOUR);
}

/* Where words are, as an entry of the list; loops take it for an address. */
static inline int32_t words_at(const plan *p, int32_t word) {
#if defined(__ARM_FEATURE_DSP)
    return (int32_t)(p->gathered + word);
#else
    (void)p;
    return word;
#endif
}

static inline const uint32_t *words_of(const plan *p, int32_t entry) {
#if defined(__ARM_FEATURE_DSP)
    (void)p;
    return (const uint32_t *)entry;
#else
    return p->gathered + entry;
#endif
}

/* The fours of blocks, and behind them that which begins earlier, where channels of two outputs are
 * an odd number; how many without that. The last block's channels are its last ones. */
static int32_t list_fours(plan *p, dpl_share blocks) {
    const int32_t left = blocks.end == p->blocks ? p->a->input.channels % FOUR : 0;
    const int32_t step = p->multiplier == 2 ? 2 : 1, whole = blocks.end - blocks.begin - (left > 0);
    int32_t *to = p->fours;
    for (int32_t b = 0; b < blocks.end - blocks.begin; b++) {
        const int32_t words = b * FOUR * p->pairs;
        for (int32_t lane = b < whole ? 0 : FOUR - left; lane + step <= FOUR; lane += step) {
            for (int32_t n = 0; n < p->multiplier; n += FOUR) {
                *to++ = words_at(p, words + lane);
            }
        }
    }
    *to = words_at(p, (blocks.end - blocks.begin - 1) * FOUR * p->pairs + FOUR - step);
    return (int32_t)(to - p->fours);
}

/* The windows of so many blocks, the first with channels from c on. */
static void gather(const plan *p, const element *at, const int32_t *list, int32_t c, int32_t blocks,
                   uint32_t *to) {
#if defined(__ARM_FEATURE_DSP)
    const int32_t bytes = p->a->input.channels * (int32_t)sizeof(element);
    gather_blocks((gather_walk){at + c, list, to, p->pairs, blocks},
                  bytes % 4 == 0 ? 4 : 2 - bytes % 2);
#else
    for (; blocks > 0; blocks--, c += FOUR) {
        for (const int32_t *tap = list; tap < list + 2 * p->pairs; tap += 2, to += FOUR) {
            const element *first = tap_at(&p->s, at + c, tap[0], c);
            const element *second = tap_at(&p->s, at + c, tap[1], c);
            for (int32_t i = 0; i < FOUR; i++) {
                to[i] = low_halves((uint32_t)first[i], (uint32_t)second[i]);
            }
        }
    }
#endif
}

/* Those of a chunk of channels; the last four cover channels of the block before. */
static void gather_chunk(const plan *p, const element *at, const int32_t *list, dpl_share blocks) {
    const int32_t channels = p->a->input.channels, first = FOUR * blocks.begin;
    const int32_t whole = least(blocks.end, channels / FOUR) - blocks.begin;
    if (whole > 0) {
        gather(p, at, list, first, whole, p->gathered);
    }
    if (blocks.end > channels / FOUR) {
        gather(p, at, list, channels - FOUR, 1, p->gathered + whole * FOUR * p->pairs);
    }
}

/* Four outputs from o on in C, by any rule. */
static void four_in_c(const plan *p, const gathered_run *r, int32_t o) {
    const uint32_t *x = words_of(p, *r->list);
    const uint32_t *w = (const uint32_t *)(r->w + FOUR);
    const int32_t apart = p->multiplier == 2; /* words from the first channel to the second */
    int32_t sums[FOUR] = {r->w[0], r->w[1], r->w[2], r->w[3]};
    for (int32_t n = p->pairs; n > 0; n--, x += FOUR, w += FOUR) {
        for (int32_t i = 0; i < FOUR; i++) {
            sums[i] = dual_mac(x[i / 2 * apart], w[i], sums[i]);
        }
    }
    for (int32_t i = 0; i < FOUR; i++) {
        r->out[i] = (element)dpl_requantize(&p->a->requant, sums[i], o + i);
    }
}

/* So many fours of a list, from output o on. */
static void run_fours(const plan *p, element *out, const int32_t *list, int32_t count, int32_t o) {
    const int32_t *w =
        (const int32_t *)(const void *)p->a->weights + (o + FOUR - 1) / FOUR * p->group;
    gathered_run r = {w, list, list + count, out + o, p->pairs, p->zero};
    if (p->loop) {
        p->loop(&r);
        return;
    }
    for (; r.list != r.end; r.list++, r.out += FOUR, r.w += p->group, o += FOUR) {
        four_in_c(p, &r, o);
    }
}

/* Blocks of channels of a row of pixels, which have so many whole fours of outputs. */
static void run_row(plan *p, int32_t y, dpl_share blocks, int32_t count) {
    const int32_t first = FOUR * blocks.begin * p->multiplier;
    const int left = blocks.end == p->blocks && p->a->output.channels % FOUR > 0;
    const int all = find_rows(&p->s, y);
    element *out = row_of(&p->a->output, y);
    for (int32_t x = 0; x < p->a->output.width; x++, out += p->a->output.pixel_pitch) {
        const element *at;
        const int32_t *list = list_of(&p->s, all, x, &at);
        gather_chunk(p, at, list, blocks);
        if (count > 0) {
            run_fours(p, out, p->fours, count, first);
        }
        if (left) {
            run_fours(p, out, p->fours + count, 1, p->a->output.channels - FOUR);
        }
    }
}

void KERNEL(const args *a) {
    args own;
    copy_args(&own, a);
    plan p;
    plan_call(&p, &own);
    if (turn_column(&own)) {
        plan_call(&p, &own);
    }
    const dpl_share share = dpl_core_share(own.output.height);
    for (int32_t b = 0; b < p.blocks; b += p.chunk) {
        const dpl_share blocks = {b, least(b + p.chunk, p.blocks)};
        const int32_t count = list_fours(&p, blocks);
        for (int32_t y = share.begin; y < share.end; y++) {
            run_row(&p, y, blocks, count);
        }
    }
    if (p.loop && !ends_positive(&own.requant)) {
        bound_rows(&a->output, &a->requant);
    }
}
