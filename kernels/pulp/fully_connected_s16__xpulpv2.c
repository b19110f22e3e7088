/* FullyConnected, int16: products of bytes. A value is 256 times its high byte, plus its low one,
 * which is between 0 and 255: less 128 both are int8, so that two sums of four products each stand
 * for one of int16, and weights stay as wide as they are in flash. What 128 adds to a sum is in the
 * biases (layout "x4c4_halves").
 *
 * Cores share groups of four channels or, where these are few, the words of the input
 * (fully_connected_s8__xpulpv2.c). */
#include "dpl/fully_connected.h"

#include "dpl/cores.h"
#include "dpl/pulp/bytes.h"
#include "dpl/pulp/dense.h"
#include "dpl/pulp/four_by_four.h"
#include "dpl/tensor.h"

typedef dpl_fully_connected_s16_args args;

/* Scratch: planes of the input, each of so many words, then sums. */
typedef struct {
    int32_t words, groups, group_bytes;
    int8_t *high, *low;
    int32_t *sums; /* `step` of a core */
    int32_t step, cores;
} layer;

static layer layer_of(const args *a) {
    layer l = {.words = (a->input.channels + 3) >> 2, .groups = (a->output.channels + 3) >> 2};
    l.group_bytes = FOUR * FOUR * l.words + FOUR_TABLES;
    l.high = a->scratch;
    l.low = l.high + 4 * l.words;
    l.sums = (int32_t *)(void *)(l.low + 4 * l.words);
    l.step = FOUR * l.groups;
    l.cores = dpl_dense_in_slices(l.groups, l.words) && l.groups <= DPL_SLICED_GROUPS
                  ? DPL_CORE_COUNT
                  : 1;
    return l;
}

/* The sums of groups of channels over words of the input. */
static void add_sums(const args *a, const layer *l, dpl_share groups, dpl_share words,
                     int32_t *sums) {
    const int32_t from = 4 * words.begin;
    const dpl_dense_halves_slice s = {
        .of = {.input = l->high + from,
               .words = words.end - words.begin,
               .weights = a->weights + groups.begin * l->group_bytes + FOUR * from,
               .step = l->group_bytes,
               .groups = groups.end - groups.begin,
               .sums = sums + FOUR * groups.begin},
        .low = l->low + from,
    };
    if (s.of.words > 0 && s.of.groups > 0) {
        dpl_dense_halves(&s);
    }
}

/* 128 times the weights of a channel, for rules whose biases are not in the tables. */
static __attribute__((noinline)) int32_t of_weights(const layer *l, const int8_t *group,
                                                    int32_t lane) {
    int32_t sum = 0;
    for (int32_t i = 0; i < l->words; i++, group += FOUR * FOUR) {
        for (int32_t k = 0; k < 4; k++) {
            sum += group[4 * lane + k];
        }
    }
    return 128 * sum;
}

static uint32_t sum_of(const layer *l, int32_t channel) {
    const int32_t *from = l->sums + channel;
    uint32_t sum = 0;
    for (int32_t core = 0; core < l->cores; core++, from += l->step) {
        sum += (uint32_t)*from;
    }
    return sum;
}

static void finish(const args *a, const layer *l, int32_t c) {
    const int8_t *weights = a->weights + (c >> 2) * l->group_bytes;
    const int8_t *tables = weights + l->group_bytes - FOUR_TABLES;
    const int32_t *table = (const int32_t *)(const void *)tables + 3 * (c & 3);
    const int32_t high_word = dpl_high_word_rule(&a->requant, tables);
    const uint32_t sum = sum_of(l, c);
    int16_t *out = dpl_row_s16(&a->output, 0) + c;
    if (high_word || dpl_four_by_four_rule(&a->requant)) {
        const int32_t y = dpl_dense_scaled(sum, table, high_word);
        *out = (int16_t)dpl_clamp(y, a->requant.low, a->requant.high);
    } else {
        const int32_t whole = (int32_t)sum + of_weights(l, weights, c & 3) + a->bias[c];
        *out = (int16_t)dpl_requantize(&a->requant, whole, c);
    }
}

/* Channels of this core, and their sums. */
static dpl_share sums_of_outputs(const args *a, const layer *l, dpl_share words) {
    if (l->cores > 1) {
        const dpl_share all = {0, l->groups};
        add_sums(a, l, all, words, l->sums + dpl_core_id() * l->step);
        dpl_barrier();
        return dpl_core_share(a->output.channels);
    }
    const dpl_share all = {0, l->words}, groups = dpl_core_share(l->groups);
    add_sums(a, l, groups, all, l->sums);
    const int32_t end = FOUR * groups.end, count = a->output.channels;
    return (dpl_share){FOUR * groups.begin, end < count ? end : count};
}

void dpl_fully_connected_s16__xpulpv2(const dpl_fully_connected_s16_args *a) {
    const layer l = layer_of(a);
    const dpl_share words = dpl_core_share(l.words);
    dpl_split_halves(l.high + 4 * words.begin, l.low + 4 * words.begin,
                     dpl_row_s16(&a->input, 0) + 4 * words.begin, words.end - words.begin);
    dpl_barrier();
    const dpl_share outputs = sums_of_outputs(a, &l, words);
    for (int32_t c = outputs.begin; c < outputs.end; c++) {
        finish(a, &l, c);
    }
}
