/* FullyConnected: four channels at a time, whose groups the cores share, or, where groups are few,
 * the words of the input: each core has partial sums of all outputs, which they then add up. */
#include "dpl/fully_connected.h"

#include "dpl/cores.h"
#include "dpl/pulp/blocking.h"
#include "dpl/pulp/bytes.h"
#include "dpl/pulp/dense.h"
#include "dpl/pulp/four_by_four.h"

typedef dpl_fully_connected_s8_args args;

/* The input in whole words: a copy of the core's own where it has none. What follows it there
 * meets weights of zero. */
static const int8_t *input_of(const args *a, int32_t words) {
    const int8_t *input = dpl_row_s8(&a->input, 0);
    if ((a->input.channels & 3) == 0) {
        return input;
    }
    int8_t *copy = (int8_t *)a->scratch + dpl_core_id() * FOUR * words;
    dpl_copy_bytes(copy, input, a->input.channels);
    return copy;
}

/* A last group of one to three channels. */
static void rest(dpl_dense *d, int8_t *out, int32_t count) {
    int8_t bytes[FOUR];
    d->groups = 1;
    d->out = bytes;
    dpl_dense_outputs(d);
    for (int32_t c = 0; c < count; c++) {
        out[c] = bytes[c];
    }
}

static void fast(const args *a, dpl_dense *d, dpl_share groups, int32_t group_bytes) {
    const int32_t channels = a->output.channels, all = channels / FOUR;
    const int32_t whole = groups.end < all ? groups.end : all;
    int8_t *out = dpl_row_s8(&a->output, 0);
    if (groups.begin < whole) {
        d->groups = whole - groups.begin;
        d->weights = a->weights + groups.begin * group_bytes;
        d->out = out + FOUR * groups.begin;
        dpl_dense_outputs(d);
    }
    if (whole < groups.end) {
        d->weights = a->weights + whole * group_bytes;
        rest(d, out + FOUR * whole, channels - FOUR * whole);
    }
}

/* Words begin to end - 1 of the input; as above. */
static const int8_t *slice_of(const args *a, dpl_share words, int8_t *room) {
    const int8_t *input = dpl_row_s8(&a->input, 0) + FOUR * words.begin;
    if ((a->input.channels & 3) == 0) {
        return input;
    }
    int32_t bytes = a->input.channels - FOUR * words.begin, most = FOUR * (words.end - words.begin);
    dpl_copy_bytes(room, input, bytes < most ? bytes : most);
    return room;
}

/* The outputs of a group, of which each core has partial sums, `step` apart. */
static void add_up(const args *a, const int32_t *sums, int32_t step, int32_t group,
                   const int8_t *tables, int32_t high_word) {
    const int32_t *table = (const int32_t *)(const void *)tables;
    int8_t *out = dpl_row_s8(&a->output, 0);
    for (int32_t c = FOUR * group; c < FOUR * group + FOUR && c < a->output.channels; c++) {
        uint32_t sum = 0;
        for (int32_t core = 0; core < DPL_CORE_COUNT; core++) {
            sum += (uint32_t)sums[core * step + c];
        }
        const int32_t y = dpl_dense_scaled(sum, table, high_word);
        out[c] = (int8_t)dpl_clamp(y, a->requant.low, a->requant.high);
        table += 3;
    }
}

/* In scratch the partial sums of each core, then its part of a copy of the input. */
static void by_slices(const args *a, int32_t groups, int32_t words, int32_t group_bytes,
                      int32_t high_word) {
    int32_t *sums = (int32_t *)a->scratch;
    const dpl_share share = dpl_core_share(words), own = dpl_core_share(groups);
    const int32_t step = FOUR * groups;
    int8_t *room = (int8_t *)(sums + DPL_CORE_COUNT * step) + FOUR * share.begin;
    const dpl_dense_slice s = {.input = slice_of(a, share, room),
                               .words = share.end - share.begin,
                               .weights = a->weights + FOUR * FOUR * share.begin,
                               .step = group_bytes,
                               .groups = groups,
                               .sums = sums + dpl_core_id() * step};
    dpl_dense_sums(&s);
    dpl_barrier();
    for (int32_t g = own.begin; g < own.end; g++) {
        add_up(a, sums, step, g, a->weights + (g + 1) * group_bytes - FOUR_TABLES, high_word);
    }
}

/* Any other rule: the input as each of four windows. */
static void any_rule(const args *a, const dpl_dense *d, dpl_share groups, int32_t group_bytes) {
    const int8_t *table[2 * FOUR];
    dpl_four_by_four
        f; /* what dpl_four_by_four_sums reads; zeros in the rest would be a call of memset */
    int8_t *out = dpl_row_s8(&a->output, 0);
    int32_t sums[FOUR * FOUR];
    f.table = table;
    f.count = 1;
    f.words = d->words;
    for (int32_t i = 0; i < 2 * FOUR; i++) {
        table[i] = d->input;
    }
    for (int32_t g = groups.begin; g < groups.end; g++) {
        f.weights = a->weights + g * group_bytes;
        dpl_four_by_four_sums(&f, sums);
        for (int32_t c = FOUR * g; c < FOUR * g + FOUR && c < a->output.channels; c++) {
            int32_t sum = sums[FOUR * (c - FOUR * g)] + a->bias[c];
            out[c] = (int8_t)dpl_requantize(&a->requant, sum, c);
        }
    }
}

void dpl_fully_connected_s8__xpulpv2(const dpl_fully_connected_s8_args *a) {
    const int32_t all = (a->output.channels + FOUR - 1) / FOUR;
    const int32_t words = (a->input.channels + 3) >> 2;
    const int32_t group_bytes = FOUR * FOUR * words + FOUR_TABLES;
    const int32_t high_word =
        dpl_high_word_rule(&a->requant, a->weights + group_bytes - FOUR_TABLES);
    const int32_t in_tables = high_word || dpl_four_by_four_rule(&a->requant);
    if (in_tables && dpl_dense_in_slices(all, words)) {
        by_slices(a, all, words, group_bytes, high_word);
        return;
    }
    const dpl_share groups = dpl_core_share(all);
    if (groups.begin == groups.end) {
        return;
    }
    dpl_dense d = {.input = input_of(a, words), .words = words};
    d.low = a->requant.low;
    d.high = a->requant.high;
    d.high_word = high_word;
    if (in_tables) {
        fast(a, &d, groups, group_bytes);
    } else {
        any_rule(a, &d, groups, group_bytes);
    }
}
